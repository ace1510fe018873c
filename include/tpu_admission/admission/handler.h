// One review: bytes in, bytes out, and a record of what happened. Pure: no I/O, clock or globals.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/admission/judge.h"
#include "tpu_admission/base/snapshot_cell.h"
#include "tpu_admission/k8s/arena.h"
#include "tpu_admission/k8s/json.h"
#include "tpu_admission/k8s/review.h"

namespace tpu_admission::admission {

enum class Endpoint { kMutate, kValidate };

// A dry run of an object that has this annotation, with the value "true", is answered with one more
// warning: SignOfLife(). So `tpu-admission verify` can tell whether the API server asks us,
// whatever the policy makes of the object. It changes nothing else.
inline constexpr std::string_view kVerifyAnnotation = "tpu-admission.io/verify";
std::string_view SignOfLife(Endpoint endpoint);

enum class Outcome {
  kIgnored,  // none of our business: no TPUs, an unknown kind, a DELETE
  kAllowed,
  kWarned,
  kPatched,
  kDenied,
  kNotChecked,  // too large to be judged, so it was let in, with a warning
  kInvalid,     // the body is no review; the answer is HTTP 400
};
inline constexpr std::size_t kOutcomes = 7;
std::string_view Name(Outcome outcome);

// What happened, for log and metrics. Views live until the Handler's next call.
struct Record {
  Outcome outcome = Outcome::kInvalid;
  k8s::AdmissionRequest request;    // empty if the body could not be read that far
  std::string_view kind = "other";  // a name of the kind table, or "other": a closed set
  std::vector<JudgedFinding> findings;
  std::int64_t chips = 0;        // that a new Pod asks for, at /validate; a dry run asks for none
  std::string_view accelerator;  // where they are, by the catalog; empty: it cannot be said
  std::string error;             // kInvalid, kNotChecked: why
};

// Belongs to one thread; keeps its memory from review to review.
class Handler {
 public:
  explicit Handler(const SnapshotCell<Settings>& settings) : settings_(settings) {}

  // Appends the answer to `out`: an AdmissionReview, or for kInvalid one line of plain text.
  // `today` in UTC: exemptions may end.
  Record Handle(Endpoint endpoint, std::string_view body, Day today, std::string& out);
  // Ends the life of the record's views, and gives back the memory of a large review.
  void Release();

 private:
  k8s::AdmissionResponse Answer(Endpoint endpoint, const Settings& settings, Day today,
                                Record& record);
  k8s::AdmissionResponse Mutate(const Settings& settings, Record& record);
  k8s::AdmissionResponse Validate(const Settings& settings, Day today, Record& record);

  SnapshotCell<Settings>::Reader settings_;
  k8s::JsonParser parser_;
  k8s::Arena arena_;
};

}  // namespace tpu_admission::admission
