#include <fmt/core.h>
#include <algorithm>
#include <array>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/tpu/guess.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::rules {
namespace tpu117 {

using workload::NodeLabel;

constexpr std::array kLabels = {NodeLabel::kAccelerator, NodeLabel::kTopology,
                                NodeLabel::kAcceleratorCount};

// What else GKE's nodes have, or what makes it create them.
constexpr std::array kOtherLabels = {
    workload::kGkeNodePool,          workload::kGkeNodePoolGroup,       workload::kGkeSpot,
    workload::kGkePreemptible,       workload::kGkeFlexStart,           workload::kGkeProvisioning,
    workload::kGkeComputeClass,      workload::kGkeMachineFamily,       workload::kGkeImage,
    workload::kGkeMaxRunDuration,    workload::kGkeReservation,         workload::kGkeLocalSsd,
    workload::kGkeBootDiskSize,      workload::kGkeReservationAffinity, workload::kGkeGpu,
    workload::kGkeReservationBlocks, workload::kGkeReservationSubBlocks};

// Nobody selects nodes by more labels; each is held against all that it may have been meant to be.
constexpr std::size_t kMostKeys = 50;

struct Key {
  std::string_view domain;  // empty if there is none
  std::string_view name;
};

Key Parse(std::string_view key) {
  const std::size_t slash = key.find('/');
  return slash == key.npos ? Key{"", key} : Key{key.substr(0, slash), key.substr(slash + 1)};
}

bool IsNear(std::string_view word, std::string_view right, std::size_t edits) {
  return word == right || !Nearest(word, std::array{right}, edits).empty();
}

bool IsNodeLabel(std::string_view key) {
  const auto& labels = workload::kNodeLabels;
  return std::find(labels.begin(), labels.end(), key) != labels.end();
}

// The label whose key is misspelt here: gke-tpu-acelerator, tpu-topology,
// gke-tpu-accelerator-count.
std::optional<NodeLabel> MeantBy(std::string_view written) {
  constexpr std::size_t kMostEdits = 4;  // "gke-" left out
  if (IsNodeLabel(written) || written == workload::kGkeGpu) return std::nullopt;
  const Key key = Parse(written);
  for (const NodeLabel label : kLabels) {
    const Key right = Parse(workload::Key(label));
    const bool near_domain = key.domain.empty() || IsNear(key.domain, right.domain, 2);
    if (near_domain && IsNear(key.name, right.name, kMostEdits)) return label;
  }
  return std::nullopt;
}

// A label of somebody's own may have a name like that, but not in the domain of GKE's.
bool IsOfGke(std::string_view key) {
  return Parse(key).domain == Parse(workload::kGkeTpuTopology).domain;
}

// One of kOtherLabels with a letter or two too many, too few or wrong; empty if it is none, or none
// of GKE's domain.
std::string_view OtherMeantBy(std::string_view written) {
  const bool right =
      std::find(kOtherLabels.begin(), kOtherLabels.end(), written) != kOtherLabels.end();
  if (right || IsNodeLabel(written) || !IsOfGke(written)) return {};
  return Nearest(written, kOtherLabels, 2);
}

// A value that the label may have: what is none belongs to a label of somebody's own.
bool IsValueOf(const Subject& subject, NodeLabel label, std::string_view value) {
  if (workload::IsPlaceholder(value)) return true;
  if (label == NodeLabel::kTopology) return tpu::Tidied(value).has_value();
  return label != NodeLabel::kAccelerator || subject.catalog.FindByLabel(value) != nullptr ||
         subject.catalog.Guess(value) != nullptr || subject.catalog.LooksLikeNewGeneration(value);
}

// The right key in the place of the wrong one; if it is there already, only without the wrong one.
workload::Edits Renamed(const Subject& subject, NodeLabel label, std::string_view key,
                        std::string_view value) {
  const workload::RequiredLabel right{.key = workload::Key(label)};
  const workload::RequiredLabel wrong{.key = key};
  workload::Edits edits;
  if (subject.shape.choice[label].free()) {
    edits.push_back({subject.At(right), std::string(value)});
  }
  edits.push_back({subject.At(wrong), std::nullopt});
  return edits;
}

std::string Problem(std::string_view right, std::string_view unless) {
  return fmt::format(
      "is no label of GKE's nodes; {} is. A pod goes only to nodes that have all labels of its "
      "nodeSelector, so it stays Pending{}.",
      right, unless);
}

void CheckOther(const Subject& subject, std::string_view key, std::string_view value,
                Report& report) {
  const std::string_view right = OtherMeantBy(key);
  if (right.empty()) return;
  workload::Edits edits;
  if (!subject.pods.pod.spec.node_selector.Has(right)) {
    edits.push_back({subject.At(workload::RequiredLabel{.key = right}), std::string(value)});
  }
  edits.push_back({subject.At(workload::RequiredLabel{.key = key}), std::nullopt});
  report.Add({.pointer = subject.At(workload::RequiredLabel{.key = key}),
              .part = std::string(key),
              .summary = fmt::format("{} is no label of GKE's nodes", Printable(key)),
              .problem = Problem(right, " unless your node pools have this label"),
              .edits = std::move(edits),
              .milder = Mode::kWarn});
}

void Check(const Subject& subject, Report& report) {
  const k8s::StringMap& selector = subject.pods.pod.spec.node_selector;
  const bool asks = subject.pods.use != workload::TpuUse::kSelects;
  for (std::size_t i = 0; i < std::min(selector.size(), kMostKeys); ++i) {
    const std::string_view key = selector.Key(i);
    const std::optional<NodeLabel> label = MeantBy(key);
    const auto value = selector.Value(i);
    if (!label) {
      if (value) CheckOther(subject, key, *value, report);
      continue;
    }
    const bool misses = *label != NodeLabel::kAcceleratorCount && subject.Misses(*label);
    if (!value || (!IsOfGke(key) && !(misses && IsValueOf(subject, *label, *value)))) continue;
    const std::string_view right = workload::Key(*label);
    const bool may_be_own = !IsOfGke(key) && workload::IsPlaceholder(*value);
    report.Add({.pointer = subject.At(workload::RequiredLabel{.key = key}),
                .part = std::string(key),
                .summary = fmt::format("{} is no label of GKE's nodes", Printable(key)),
                .problem = Problem(
                    right, IsOfGke(key) ? "" : " unless your node pools have this label too"),
                .edits = Renamed(subject, *label, key, *value),
                .milder = misses && asks && !may_be_own ? subject.MissingSelectorMode()
                                                        : std::optional(Mode::kWarn)});
  }
}

}  // namespace tpu117

const Rule kTPU117 = {
    .id = "TPU117",
    .name = "label-misspelt",
    .mode = Mode::kDeny,
    .check = tpu117::Check,
    .audience = workload::TpuUse::kChips | workload::TpuUse::kClaims | workload::TpuUse::kSelects,
    .keeps_pending = true,
};

}  // namespace tpu_admission::rules
