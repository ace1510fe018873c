#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace tpu304 {

// What is wrong with an amount of chips; empty if nothing is.
std::string_view FaultOf(const k8s::Amount& amount) {
  if (workload::IsPlaceholder(amount.text)) return "";
  if (!amount.quantity) return "is no quantity";
  if (amount.quantity->IsNegative()) return "is negative";
  return amount.quantity->AsInteger() ? "" : "is no whole number of chips";
}

// As it stands there; a number by its digits: 3.5.
std::string AsWritten(const k8s::Amount& amount) {
  if (!amount.text.empty() || !amount.quantity) return Quoted(amount.text, 24);
  std::string text = amount.quantity->Text();
  const auto millis = text.ends_with('m') ? WholeNumber(text.substr(0, text.size() - 1))
                                          : std::optional<std::int64_t>();
  if (!millis || *millis < 0) return text;
  text = fmt::format("{}.{:03}", *millis / 1000, *millis % 1000);
  return text.substr(0, text.find_last_not_of('0') + 1);
}

void CheckAmount(const Subject& subject, const k8s::Container& container, std::string_view list,
                 const k8s::Amount* amount, Report& report) {
  if (amount == nullptr) return;
  const std::string_view fault = FaultOf(*amount);
  if (fault.empty()) return;
  const std::string value = AsWritten(*amount);
  Finding finding = {
      .pointer = subject.At(container, list, workload::kTpuResource),
      .summary =
          fmt::format("{} asks for google.com/tpu {}, which {}", Title(container), value, fault),
      .problem = fmt::format("is {}, which {}. A pod gets whole chips, or none.", value, fault)};
  SuggestChips(subject, container, finding);
  report.Add(container, std::move(finding));
}

void Check(const Subject& subject, Report& report) {
  for (const k8s::Container& container : subject.pods.pod.spec.containers) {
    if (report.full()) return;
    CheckAmount(subject, container, "limits", container.limits.Find(workload::kTpuResource),
                report);
    CheckAmount(subject, container, "requests", container.requests.Find(workload::kTpuResource),
                report);
  }
}

}  // namespace tpu304

const Rule kTPU304 = {
    .id = "TPU304",
    .name = "chips-quantity",
    .mode = Mode::kDeny,
    .check = tpu304::Check,
};

}  // namespace tpu_admission::rules
