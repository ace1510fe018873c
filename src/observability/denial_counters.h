// Denials by rule and namespace, and what would deny but for the policy's default. Namespaces are
// named by whoever asks: only what can be the name of one gets series of its own, and of these the
// kMaxNamespaces that were counted last. Safe from any thread; each denial takes a lock.
#pragma once

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tpu_admission/admission/decision.h"
#include "tpu_admission/base/thread_annotations.h"

namespace tpu_admission::observability {

class DenialCounters : public prometheus::Collectable {
 public:
  static constexpr std::size_t kMaxNamespaces = 256;
  static constexpr std::string_view kOther = "_other";  // no namespace can be called so

  // A finding whose would_be is kDeny.
  void Count(const admission::JudgedFinding& judged, std::string_view name_space);
  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  struct Denials {
    std::map<std::pair<const rules::Rule*, rules::Mode>, std::uint64_t> counts;
    std::uint64_t last = 0;  // place among all denials
  };
  Denials& Of(std::string_view name_space) TPU_ADMISSION_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<std::string, Denials, std::less<>> namespaces_ TPU_ADMISSION_GUARDED_BY(mutex_);
  std::uint64_t denials_ TPU_ADMISSION_GUARDED_BY(mutex_) = 0;
};

}  // namespace tpu_admission::observability
