#include "observability/denial_counters.h"

#include <algorithm>

namespace tpu_admission::observability {
namespace {

// A label of RFC 1123, as the names of namespaces are; empty: the object is in none.
bool IsNamespace(std::string_view name) {
  constexpr std::string_view kAlphanumeric = "abcdefghijklmnopqrstuvwxyz0123456789";
  constexpr std::size_t kLongest = 63;
  if (name.empty()) return true;
  return name.size() <= kLongest && kAlphanumeric.find(name.front()) != name.npos &&
         kAlphanumeric.find(name.back()) != name.npos &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return c == '-' || kAlphanumeric.find(c) != name.npos; });
}

}  // namespace

void DenialCounters::Count(const admission::JudgedFinding& judged, std::string_view name_space) {
  const std::string_view label = IsNamespace(name_space) ? name_space : kOther;
  const MutexLock lock(mutex_);
  Denials& denials = Of(label);
  denials.last = ++denials_;
  ++denials.counts[{judged.finding.rule, judged.mode}];
}

DenialCounters::Denials& DenialCounters::Of(std::string_view name_space) {
  if (const auto known = namespaces_.find(name_space); known != namespaces_.end()) {
    return known->second;
  }
  if (namespaces_.size() == kMaxNamespaces) {
    namespaces_.erase(std::min_element(
        namespaces_.begin(), namespaces_.end(),
        [](const auto& a, const auto& b) { return a.second.last < b.second.last; }));
  }
  return namespaces_[std::string(name_space)];
}

std::vector<prometheus::MetricFamily> DenialCounters::Collect() const {
  prometheus::MetricFamily family{
      "tpu_admission_denials_total",
      "Findings that denied an object, or would without the default of the policy, by what became "
      "of them, rule and namespace of the object: the 256 namespaces counted last.",
      prometheus::MetricType::Counter,
      {}};
  const MutexLock lock(mutex_);
  for (const auto& [name_space, denials] : namespaces_) {
    for (const auto& [what, count] : denials.counts) {
      prometheus::ClientMetric& metric = family.metric.emplace_back();
      metric.label = {{"mode", std::string(Name(what.second))},
                      {"object_namespace", name_space},
                      {"rule", std::string(what.first->id)}};
      metric.counter.value = static_cast<double>(count);
    }
  }
  return {std::move(family)};
}

}  // namespace tpu_admission::observability
