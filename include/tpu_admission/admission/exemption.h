// What the author of an object asks to be excused from, by an annotation on the object or on a pod
// template:
//
//   tpu-admission.io/ignore: "<id>=our zone is new; <id>@2026-12-31=until we use JobSet"
//
// A request is not a right: it counts only where the policy says so, and never in silence.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tpu_admission/admission/policy.h"
#include "tpu_admission/base/day.h"
#include "tpu_admission/rules/finding.h"
#include "tpu_admission/workload/workload.h"

namespace tpu_admission::admission {

inline constexpr std::string_view kIgnoreAnnotation = "tpu-admission.io/ignore";

struct Exemption {
  const rules::Rule* rule = nullptr;
  std::string_view reason;   // as written, without spaces around; never empty
  std::optional<Day> until;  // the last day on which it counts, in UTC
};

// All exemptions that one workload asks for. Belongs to one review; views its JSON. A workload is
// judged again for each repair that is tried, so only so much is read: of all annotations together
// kMostBytes and kMostEntries. What cannot be read is a complaint, and the rest counts all the
// same.
class AskedExemptions {
 public:
  static constexpr std::size_t kMostBytes = 8'192;
  static constexpr std::size_t kMostEntries = 200;
  static constexpr std::size_t kMostComplaints = 32;

  // Looks up one annotation of the object, and one of each pod template.
  explicit AskedExemptions(const workload::Workload& workload);

  bool empty() const { return asked_.empty(); }

  // Why `finding` is to be ignored, or nothing. An entry of the object goes before one of the pod
  // template. If the one that is asked for does not count, that becomes a complaint, provided that
  // the finding is `heard` at all: beyond the log.
  std::optional<std::string_view> ReasonToIgnore(const rules::Finding& finding,
                                                 const Policy& policy,
                                                 std::string_view namespace_name, Day today,
                                                 bool heard);

  // Each once, one line of at most 120 bytes; at most kMostComplaints.
  std::vector<std::string> TakeComplaints() { return std::move(complaints_); }

 private:
  void Read(const workload::PodSet* pods, const k8s::StringMap& annotations);
  void ReadEntries(const workload::PodSet* pods, std::string_view annotation);
  // What is left of kMostBytes of it, as far as an entry ends there; of the first its reason is
  // cut.
  std::string_view WithinBounds(std::string_view annotation);
  const Exemption* Find(const rules::Finding& finding) const;
  // `what` makes the text, which most of many would make for nothing.
  template <typename What>
  void Complain(What what);

  // By pod set (nullptr: the whole object) and rule.
  std::map<std::pair<const workload::PodSet*, const rules::Rule*>, Exemption> asked_;
  std::vector<std::string> complaints_;
  std::size_t tried_ = 0;  // complaints, with those that were there
  std::size_t bytes_ = 0;
  std::size_t entries_ = 0;
};

}  // namespace tpu_admission::admission
