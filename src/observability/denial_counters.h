// Denials by rule and namespace, and what would deny but for the policy's default. Namespaces are
// named by whoever asks: only what can be the name of one gets series of its own, and of these the
// kMaxNamespaces that were counted last. Safe from any thread; each denial takes a lock.
#pragma once

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tpu_admission/admission/decision.h"

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
  Denials& Of(std::string_view name_space);

  mutable std::mutex mutex_;
  std::map<std::string, Denials, std::less<>> namespaces_;  // mutex_
  std::uint64_t denials_ = 0;                               // mutex_
};

}  // namespace tpu_admission::observability
