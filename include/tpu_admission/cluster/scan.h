// What is in a cluster, judged as if it were created now, by one policy or by two whose difference
// is wanted. Only the objects at the top: what a workload of a known kind owns was judged with it,
// if that was read too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/admission/judge.h"
#include "tpu_admission/base/day.h"
#include "tpu_admission/base/result.h"
#include "tpu_admission/cluster/kubectl.h"
#include "tpu_admission/rules/rule.h"

namespace tpu_admission::cluster {

struct ScanFinding : admission::ToldFinding {
  std::optional<rules::Mode> mode_before;  // by the first of two policies

  bool denies() const { return mode == rules::Mode::kDeny; }
  bool would_deny() const { return would_be == rules::Mode::kDeny && !denies(); }
};

// What would run in its place, proven by the judge.
struct ScanRepair {
  std::string text;
  std::int64_t chips_before = 0;
  std::int64_t chips_after = 0;
  std::string patch;  // RFC 6902, of the object as it was read
};

// A TPU workload about which there is something to say.
struct ScannedWorkload {
  std::string namespace_name;  // empty: of the cluster
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  std::vector<ScanFinding> findings;  // hardest first
  std::vector<ScanRepair> repairs;    // nearest first
  // The rules whose faults /mutate mends in its new pods.
  std::vector<const rules::Rule*> fixed;
  std::vector<std::string> notes;  // what was not checked, and why

  rules::Mode mode() const;  // of the hardest finding
  bool says_nothing() const { return findings.empty() && fixed.empty() && notes.empty(); }
};

struct ScanReport {
  static constexpr std::size_t kMostTold = 20'000;

  std::size_t objects = 0;            // read
  std::size_t workloads = 0;          // of these at the top, and with TPUs
  std::vector<ScannedWorkload> told;  // by namespace, kind and name; at most kMostTold
  std::vector<std::string> errors;    // what could not be read; the rest counts all the same

  std::size_t Count(rules::Mode mode) const;  // workloads whose hardest finding has it
  std::size_t CountFixed() const;
  std::size_t CountWouldBeDenied() const;  // and is not denied
};

class Scanner {
 public:
  // With `before`, findings that both policies treat alike are left out.
  Scanner(const admission::Settings& settings, const admission::Settings* before, Day today,
          std::size_t most_told = ScanReport::kMostTold);
  ~Scanner();
  Scanner(const Scanner&) = delete;
  Scanner& operator=(const Scanner&) = delete;

  // Of what is read from now on only this namespace is judged, and nothing of the cluster as a
  // whole; empty: all of it.
  void KeepTo(std::string namespace_name);

  // JSON, cut wherever: objects one after another, lists of them, arrays. Keeps one object and the
  // findings. An error ends the reading; an object that cannot be read, or is too large for it, is
  // in the report instead.
  Status Read(std::string_view json);
  Status FinishReading();
  // One whole object; what a known kind owns is left out, whether or not its owner is taken.
  void Take(std::string_view json);

  // Reads by kubectl the kinds of the table that the server has; all namespaces, or one and then
  // nothing of the cluster as a whole. What cannot be listed is in the report; after three kinds in
  // a row without an answer of the API server the others are not asked for. `progress` is told what
  // is read next.
  Status ReadCluster(Kubectl& kubectl, const std::string& namespace_name,
                     const std::function<void(const std::string&)>& progress);

  // What was found since the last call.
  ScanReport TakeReport();

 private:
  Status ReadKind(Kubectl& kubectl, const std::string& resource, const std::string& namespace_name);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tpu_admission::cluster
