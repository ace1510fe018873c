// One pass over a cluster: everything in it is judged as `scan` does it, its chips are counted, and
// what is found is written as reports: of OpenReports where the server has them, else of
// wgpolicyk8s.io, else nowhere. Reports of what is found no more are deleted. Memory: one page of a
// list (kMostPageBytes), the findings of one page, and a few hundred bytes for each report, TPU
// node and TPU pod. One thread; a pass blocks.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tpu_admission/admission/judge.h"
#include "tpu_admission/base/clock.h"
#include "tpu_admission/base/lifetime.h"
#include "tpu_admission/cluster/capacity.h"
#include "tpu_admission/kube/collections.h"
#include "tpu_admission/rules/rule.h"

namespace tpu_admission::audit {

// A client's `body_bytes`: a page that is larger is asked for in halves.
inline constexpr std::size_t kMostPageBytes = std::size_t(16) << 20;

struct Outcome {
  std::size_t objects = 0;
  std::size_t workloads = 0;                // TPU workloads at the top
  std::map<rules::Mode, std::size_t> told;  // workloads by their hardest finding
  std::size_t fixed = 0;                    // workloads whose new pods /mutate mends
  std::map<std::pair<const rules::Rule*, rules::Mode>, std::size_t> findings;
  cluster::Capacity capacity;
  std::string reports;  // the group that they are of; empty: the server has none
  std::size_t written = 0;
  std::size_t deleted = 0;
  std::vector<std::string> errors;  // what could not be listed or written, at most kMostErrors
  std::vector<std::string> unread;  // objects that were not judged, at most kMostErrors
  std::size_t left_out = 0;         // nodes and pods beyond kMostCounted

  static constexpr std::size_t kMostErrors = 100;
  static constexpr std::size_t kMostCounted = 100'000;  // of each

  bool ok() const { return errors.empty(); }
};

class Auditor {
 public:
  Auditor(kube::Collections& api TPU_ADMISSION_LIFETIME_BOUND,
          const Clock& clock TPU_ADMISSION_LIFETIME_BOUND,
          std::chrono::seconds gang_patience = cluster::kPatience)
      : api_(api), clock_(clock), gang_patience_(gang_patience) {}

  Outcome Pass(const admission::Settings& settings);
  // Deletes every report of ours.
  Outcome Clean();

 private:
  kube::Collections& api_;
  const Clock& clock_;
  const std::chrono::seconds gang_patience_;
};

}  // namespace tpu_admission::audit
