#include "tpu_admission/workload/chips.h"
#include "tpu_admission/workload/gke_labels.h"
#include "tpu_admission/workload/node_selection.h"

#include <algorithm>

namespace tpu_admission::workload {
namespace {

constexpr std::string_view kNvidiaPrefix = "nvidia.com/";
constexpr std::string_view kAmdGpu = "amd.com/gpu";
constexpr std::int64_t kMostChips = 1'000'000;  // more than any slice, and sums never overflow

bool Positive(const k8s::Amount* amount) {
  return amount != nullptr && !(amount->quantity && amount->quantity->IsZero());
}

std::string_view GpuIn(const k8s::ResourceList& resources) {
  for (std::size_t i = 0; i < resources.size(); ++i) {
    const std::string_view name = resources.Name(i);
    const bool gpu = name.starts_with(kNvidiaPrefix) || name == kAmdGpu;
    if (gpu && Positive(resources.Find(name))) return name;
  }
  return {};
}

bool HasLegacy(const k8s::ResourceList& resources) {
  for (std::size_t i = 0; i < resources.size(); ++i) {
    if (resources.Name(i).starts_with(kLegacyTpuPrefix)) return true;
  }
  return false;
}

bool NamesTpus(std::string_view text) {
  return text == kTpuResource || text == kTpuDriver || text.starts_with(kLegacyTpuPrefix) ||
         text.starts_with(kGkeTpuPrefix);
}

}  // namespace

bool ToleratesTpuTaint(const k8s::PodSpec& spec) {
  return std::any_of(spec.tolerations.begin(), spec.tolerations.end(), [](const auto& each) {
    return each.Tolerates(kTpuResource, kTpuTaintValue, kTpuTaintEffect);
  });
}

bool IsOpen(const k8s::Toleration& toleration) {
  return IsPlaceholder(toleration.key) || IsPlaceholder(toleration.op) ||
         IsPlaceholder(toleration.value) || IsPlaceholder(toleration.effect);
}

bool UsesTpu(const k8s::Container& container) {
  return Positive(container.requests.Find(kTpuResource)) ||
         Positive(container.limits.Find(kTpuResource));
}

std::optional<std::int64_t> ChipsOf(const k8s::Container& container) {
  // A request defaults to the limit, and the API server refuses any other.
  const k8s::Amount* const limit = container.limits.Find(kTpuResource);
  const bool has_limit = Positive(limit);
  const k8s::Amount* const amount = has_limit ? limit : container.Requested(kTpuResource);
  if (amount == nullptr || !amount->quantity) return std::nullopt;
  const std::optional<std::int64_t> chips = amount->quantity->AsInteger();
  return chips && *chips >= 0 ? chips : std::nullopt;
}

std::int64_t ChipsPerPod(const k8s::PodSpec& spec) {
  std::int64_t chips = 0;
  for (const k8s::Container& container : spec.containers) {
    if (!container.Stays() || !UsesTpu(container)) continue;
    const std::optional<std::int64_t> own = ChipsOf(container);
    if (!own || *own > kMostChips) return 0;
    chips += *own;
  }
  return chips;
}

std::string_view GpuResourceOf(const k8s::Container& container) {
  const std::string_view limited = GpuIn(container.limits);
  return limited.empty() ? GpuIn(container.requests) : limited;
}

bool UsesLegacyTpu(const k8s::Container& container) {
  return HasLegacy(container.limits) || HasLegacy(container.requests);
}

// As deep as the parser lets a value be.
bool MentionsTpus(k8s::JsonView object) {
  if (NamesTpus(object.StringOr(""))) return true;
  for (std::size_t i = 0; i < object.size(); ++i) {
    if (NamesTpus(object.MemberKey(i))) return true;
    if (MentionsTpus(object.is_array() ? object.Element(i) : object.Member(i))) return true;
  }
  return false;
}

}  // namespace tpu_admission::workload
