// Denials by rule and namespace. Namespaces are named by whoever asks, so only the first hundreds
// get a series of their own. Safe from any thread.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/registry.h>

#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "tpu_admission/rules/rule.h"

namespace tpu_admission::observability {

class DenialCounters {
 public:
  static constexpr std::size_t kMaxNamespaces = 256;
  static constexpr std::string_view kOther = "_other";  // no namespace can be called so

  explicit DenialCounters(prometheus::Registry& registry);

  void Count(const rules::Rule& rule, std::string_view name_space);

 private:
  std::string LabelOf(std::string_view name_space);

  prometheus::Family<prometheus::Counter>& family_;
  std::mutex mutex_;
  std::set<std::string, std::less<>> namespaces_;
};

}  // namespace tpu_admission::observability
