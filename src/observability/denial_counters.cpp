#include "observability/denial_counters.h"

namespace tpu_admission::observability {
namespace {

constexpr std::size_t kLongestNamespace = 63;  // a DNS label

}  // namespace

DenialCounters::DenialCounters(prometheus::Registry& registry)
    : family_(prometheus::BuildCounter()
                  .Name("tpu_admission_denials_total")
                  .Help("Findings that denied an object, by rule and namespace; _other stands for "
                        "the namespaces after the first 256.")
                  .Register(registry)) {}

void DenialCounters::Count(const rules::Rule& rule, std::string_view name_space) {
  family_.Add({{"rule", std::string(rule.id)}, {"namespace", LabelOf(name_space)}}).Increment();
}

std::string DenialCounters::LabelOf(std::string_view name_space) {
  std::lock_guard lock(mutex_);
  if (namespaces_.contains(name_space)) return std::string(name_space);
  if (namespaces_.size() == kMaxNamespaces || name_space.size() > kLongestNamespace) {
    return std::string(kOther);
  }
  return *namespaces_.emplace(name_space).first;
}

}  // namespace tpu_admission::observability
