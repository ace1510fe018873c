#include "rules/engine/host_names.h"

#include <algorithm>

#include "rules/engine/worker.h"
#include "tpu_admission/base/byte_scan.h"
#include "tpu_admission/workload/tpu_variables.h"

namespace tpu_admission::rules {
namespace {

std::optional<std::string_view> Literal(const k8s::Container& container, std::string_view name) {
  const std::optional<std::string_view> value = container.EnvValue(name);
  if (!value) return std::nullopt;
  // "$(NAMES)", "{{ names }}", "<names>": lists may be long, so this is no IsPlaceholder(). Of one
  // that no process starts with the first part tells.
  const std::string_view start = value->substr(0, kLongestVariable);
  const char* const end = start.data() + start.size();
  const auto is_open = [](auto c) { return (c == '$') | (c == '<') | (c == '{'); };
  return FindByte(start.data(), end, is_open) == end ? value : std::nullopt;
}

}  // namespace

std::optional<HostNameList> HostNamesOf(const k8s::Container& container) {
  for (const std::string_view name :
       {workload::kTpuProcessAddresses, workload::kTpuWorkerHostNames}) {
    if (!container.HasEnv(name)) continue;
    const std::optional<std::string_view> text = Literal(container, name);
    return text ? std::optional(HostNameList{name, *text}) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::string_view> WorkerIdOf(const k8s::Container& container) {
  return Literal(container, workload::kTpuWorkerId);
}

std::string_view TakeHostName(std::string_view& rest) {
  const std::size_t comma = std::min(rest.find(','), rest.size());
  std::string_view name = rest.substr(0, comma);
  rest.remove_prefix(std::min(comma + 1, rest.size()));
  const std::size_t colon = name.find(':');
  // An IPv6 address has several, and no port that could be told from it.
  return colon == name.rfind(':') ? name.substr(0, colon) : name;
}

std::int64_t CountHostNames(std::string_view list) {
  return 1 + std::count(list.begin(), list.end(), ',');
}

bool HasTooManyNames(std::int64_t names, const Slice& slice, std::int64_t processes) {
  return names > slice.pods && names != slice.pods * processes;
}

std::string_view DnsLabelOf(std::string_view name, std::size_t number) {
  for (std::size_t i = 0; i < number; ++i) {
    const std::size_t dot = name.find('.');
    if (dot == name.npos) return {};
    name.remove_prefix(dot + 1);
  }
  return name.substr(0, name.find('.'));
}

std::optional<std::size_t> LongestNameBeforeRevision(const Subject& subject) {
  // "-" and the hash of the revision, a number of 32 bits in up to ten digits.
  // https://github.com/kubernetes/kubernetes/issues/64023
  constexpr std::size_t kHash = 11;
  const std::string_view kind = subject.workload.kind->name;
  if (kind != "StatefulSet" && kind != "LeaderWorkerSet") return std::nullopt;
  // LeaderWorkerSet makes a StatefulSet for the workers of each group, "train-0".
  // https://github.com/kubernetes-sigs/lws/issues/410
  const workload::Scale& scale = subject.pods.scale;
  const bool has_workers =
      scale.counting == workload::Counting::kGroup && scale.pods.value.value_or(0) > 1;
  const std::int64_t groups = std::max<std::int64_t>(scale.slices.value.value_or(1), 1);
  return kLongestLabel - kHash - (has_workers ? 1 + std::to_string(groups - 1).size() : 0);
}

}  // namespace tpu_admission::rules
