#include <fmt/core.h>
#include <algorithm>
#include <array>

#include "rules/engine/node_resources.h"
#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace tpu608 {

std::string Shown(const k8s::Amount& amount) {
  return amount.text.empty() && amount.quantity ? amount.quantity->Text()
                                                : Printable(amount.text, 24);
}

// As the user wrote it, to the last digit; `sign`: of what is before it, which goes.
k8s::JsonScalar ScalarOf(const k8s::Amount& amount, std::size_t sign = 0) {
  const std::string text = amount.text.empty() ? amount.quantity->Text() : std::string(amount.text);
  if (const auto number = WholeNumber(text.substr(sign))) return *number;
  return text.substr(sign);
}

// 100GB -> "100G or 100Gi"; empty if a B at the end is not what is wrong.
std::string WithoutByte(std::string_view text) {
  if (!text.ends_with('B')) return "";
  const std::string_view bare = text.substr(0, text.size() - 1);
  if (!k8s::Quantity::Parse(bare)) return "";
  return bare.ends_with('i') ? std::string(bare) : fmt::format("{0} or {0}i", bare);
}

// 8 of "8 cores": a number of what CPUs are called.
std::optional<std::int64_t> CpusOf(std::string_view text) {
  using namespace std::string_view_literals;
  constexpr std::array kUnits = {"core"sv, "cores"sv, "cpu"sv, "cpus"sv, "vcpu"sv, "vcpus"sv};
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = WholeNumber(text.substr(0, end));
  text.remove_prefix(std::min(text.find_first_not_of(' ', end), text.size()));
  const bool is_unit = !text.empty() && !Nearest(text, kUnits, 0).empty();  // which ignores case
  return is_unit && number && *number > 0 ? number : std::nullopt;
}

// What can be read by nobody. A longer text may be anything.
bool IsNoQuantity(const k8s::Amount& amount) {
  constexpr std::size_t kLongest = 64;
  return !amount.quantity && amount.text.size() <= kLongest &&
         !workload::IsPlaceholder(amount.text);
}

void CheckForm(const Subject& subject, const k8s::Container& container, std::string_view list,
               const k8s::ResourceList& resources, Report& report) {
  for (std::size_t i = 0; i < resources.size(); ++i) {
    if (report.full()) return;
    const std::string_view resource = resources.Name(i);
    const k8s::Amount* const amount = resources.Find(resource);
    if (amount == nullptr || !IsNoQuantity(*amount)) continue;
    if (resource == workload::kTpuResource) continue;  // chips-quantity speaks of them
    const std::string name = Printable(resource, 60);
    const std::string meant = WithoutByte(amount->text);
    const auto cpus = resource == Name(Resource::kCpu) ? CpusOf(amount->text) : std::nullopt;
    std::string pointer = subject.At(container, list, resource);
    workload::Edits edits;
    if (cpus) edits = {{pointer, *cpus}};
    report.Add(
        container,
        {.pointer = std::move(pointer),
         .part = fmt::format("{} of {}", list, name),
         .summary = fmt::format("{} has {} {}, which is no amount", Title(container),
                                Quoted(amount->text, 24), name),
         .problem = fmt::format(
             "is {}, which is no amount: a number, and behind it nothing, m, or one of k, M, "
             "G, T, P, E (thousands) and Ki, Mi, Gi, Ti, Pi, Ei (1024s). Kubernetes refuses "
             "every pod that has another.",
             Quoted(amount->text, 24)),
         .edits = std::move(edits),
         .change = cpus            ? ""
                   : meant.empty() ? fmt::format("set {} to an amount such as {}", name,
                                                 resource == "cpu" ? "4 or 500m" : "16Gi")
                                   : fmt::format("set {} to {}", name, meant),
         .decision = "how much is meant"});
  }
}

void CheckSigns(const Subject& subject, const k8s::Container& container, std::string_view list,
                const k8s::ResourceList& resources, Report& report) {
  for (std::size_t i = 0; i < resources.size(); ++i) {
    if (report.full()) return;
    const std::string_view resource = resources.Name(i);
    const k8s::Amount* const amount = resources.Find(resource);
    if (amount == nullptr || !amount->quantity || !amount->quantity->IsNegative()) continue;
    if (resource == workload::kTpuResource) continue;  // chips-quantity speaks of them
    const std::string name = Printable(resource, 60);
    std::string pointer = subject.At(container, list, resource);
    const std::string text = Shown(*amount);
    workload::Edits edits;
    if (text.starts_with('-')) edits = {{pointer, ScalarOf(*amount, 1)}};
    report.Add(container,
               {.pointer = std::move(pointer),
                .summary = fmt::format("{} has {} {}, which is negative", Title(container),
                                       Shown(*amount), name),
                .problem = fmt::format("is {}. No amount may be negative: Kubernetes refuses every "
                                       "pod that has one.",
                                       Shown(*amount)),
                .edits = std::move(edits)});
  }
}

// The request is lowered to the limit where no machine has as much as it asks for.
workload::Edits ToLimit(const Subject& subject, const k8s::Container& container,
                        std::string_view name) {
  for (const Resource resource : kResources) {
    const auto demand = Name(resource) == name ? DemandOf(subject, resource) : std::nullopt;
    if (!demand || demand->asker != &container || !demand->ExceedsMachine(resource)) continue;
    const auto limit = LimitBelow(*demand, resource);
    if (limit && *limit <= AtMost(subject, *demand, resource)) {
      return Lowered(subject, *demand, resource);
    }
  }
  return {};
}

void CheckLimits(const Subject& subject, const k8s::Container& container, Report& report) {
  for (std::size_t i = 0; i < container.requests.size(); ++i) {
    if (report.full()) return;
    const std::string_view resource = container.requests.Name(i);
    if (resource == workload::kTpuResource) continue;  // chips-requests-limits speaks of them
    const k8s::Amount* const limit = container.limits.Find(resource);
    const k8s::Amount* const request = limit ? container.requests.Find(resource) : nullptr;
    if (!request || !limit || !request->quantity || !limit->quantity) continue;
    if (*request->quantity <= *limit->quantity || limit->quantity->IsNegative()) continue;
    const std::string name = Printable(resource, 60);
    workload::Edits edits = ToLimit(subject, container, resource);
    std::string change;
    if (edits.empty()) {
      edits = {{subject.At(container, "limits", resource), ScalarOf(*request)}};
      change = fmt::format(", or lower the request to at most {}", Shown(*limit));
    }
    report.Add(
        container,
        {.pointer = subject.At(container, "requests", resource),
         .summary = fmt::format("{} requests {} {}, its limit is {}", Title(container),
                                Shown(*request), name, Shown(*limit)),
         .problem = fmt::format("is {}, but the limit is {}. A request is never more than its "
                                "limit: Kubernetes refuses every pod where it is.",
                                Shown(*request), Shown(*limit)),
         .edits = std::move(edits),
         .change = std::move(change)});
  }
}

void Check(const Subject& subject, Report& report) {
  for (const k8s::Container& container : subject.pods.pod.spec.containers) {
    if (report.full()) return;
    CheckForm(subject, container, "limits", container.limits, report);
    CheckForm(subject, container, "requests", container.requests, report);
    CheckSigns(subject, container, "limits", container.limits, report);
    CheckSigns(subject, container, "requests", container.requests, report);
    CheckLimits(subject, container, report);
  }
}

}  // namespace tpu608

const Rule kTPU608 = {
    .id = "TPU608",
    .name = "resource-amounts",
    .mode = Mode::kDeny,
    .check = tpu608::Check,
    .audience = workload::TpuUse::kChips | workload::TpuUse::kClaims,
};

}  // namespace tpu_admission::rules
