#include <fmt/core.h>

#include "rules/engine/phrases.h"

namespace tpu_admission::rules {
namespace tpu701 {

bool CannotFindNames(const k8s::PodSpec& spec) {
  if (!spec.UsesHostNetwork()) return false;
  const k8s::JsonView json = spec.json["dnsPolicy"];
  const std::string_view policy = json.StringOr(json.has_value() ? "no text" : "");
  return policy.empty() || policy == "ClusterFirst";
}

// A pod by hand may be applied again with the very dnsPolicy that it has in its file.
bool MayBeChanged(const Subject& subject) {
  return !subject.is_pod() || !subject.workload.metadata.controller_kind.empty();
}

void Mend(const Subject& subject, std::vector<Fix>& fixes) {
  if (CannotFindNames(subject.pods.pod.spec) && MayBeChanged(subject)) {
    fixes.emplace_back(SetDnsPolicy{});
  }
}

void Check(const Subject& subject, Report& report) {
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  if (!CannotFindNames(spec)) return;
  const std::optional<Slice> slice = subject.SliceOfPods();  // a single host looks for no others
  report.Add(
      {.pointer = subject.AtSpec("/dnsPolicy"),
       .summary = "with hostNetwork, names of the cluster are not found",
       .problem = fmt::format("{}, but with hostNetwork the pod then asks the DNS of its host, "
                              "which knows no names of Services or other pods.",
                              spec.Text("dnsPolicy").empty() ? "is not set" : "is ClusterFirst"),
       .edits = {{subject.AtSpec("/dnsPolicy"), "ClusterFirstWithHostNet"}},
       .milder = slice && !slice->multi_host() ? std::optional(Mode::kAudit) : std::nullopt});
}

}  // namespace tpu701

const Rule kTPU701 = {
    .id = "TPU701",
    .name = "host-network-dns",
    .mode = Mode::kWarn,
    .check = tpu701::Check,
    .fix = tpu701::Mend,
    .audience = workload::TpuUse::kChips | workload::TpuUse::kClaims,
};

}  // namespace tpu_admission::rules
