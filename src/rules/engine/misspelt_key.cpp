#include "rules/engine/misspelt_key.h"

#include <algorithm>
#include <array>

#include "tpu_admission/base/text.h"
#include "tpu_admission/tpu/guess.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::rules {
namespace {

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

struct DomainAndName {
  std::string_view domain;  // empty if there is none
  std::string_view name;
};

DomainAndName Parse(std::string_view key) {
  const std::size_t slash = key.find('/');
  return slash == key.npos ? DomainAndName{"", key}
                           : DomainAndName{key.substr(0, slash), key.substr(slash + 1)};
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
  const DomainAndName key = Parse(written);
  for (const NodeLabel label : kLabels) {
    const DomainAndName right = Parse(workload::Key(label));
    const bool near_domain = key.domain.empty() || IsNear(key.domain, right.domain, 2);
    if (near_domain && IsNear(key.name, right.name, kMostEdits)) return label;
  }
  return std::nullopt;
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

// A name of GKE's that GKE has not, with the accelerator behind it: gke-tpu-type: tpu-v6e-slice.
bool IsOfAccelerators(const Subject& subject, std::string_view key, std::string_view value) {
  const bool is_other =
      std::find(kOtherLabels.begin(), kOtherLabels.end(), key) != kOtherLabels.end();
  return IsOfGke(key) && !IsNodeLabel(key) && !is_other &&
         Parse(key).name.find("tpu") != key.npos && subject.catalog.FindByLabel(value) != nullptr;
}

// nodeSelector or the same term has the right key, and another value of it.
bool IsGainsaid(const k8s::PodSpec& spec, const MisspeltKey& misspelt) {
  const workload::RequiredLabel& place = misspelt.place;
  const auto is_other = [&](std::string_view value) {
    return !place.fixed || value != place.value;
  };
  const auto selected = spec.node_selector.Find(misspelt.right);
  const auto& needs = spec.required_affinity[place.term].requirements;
  return (selected && is_other(*selected)) ||
         std::any_of(needs.begin(), needs.end(), [&](const auto& need) {
           return need.key == misspelt.right &&
                  std::any_of(need.values.begin(), need.values.end(), is_other);
         });
}

std::optional<MisspeltKey> Look(const Subject& subject, const workload::RequiredLabel& place) {
  std::optional<NodeLabel> label = MeantBy(place.key);
  if (IsOfAccelerators(subject, place.key, place.value)) label = NodeLabel::kAccelerator;
  if (!label) {
    const std::string_view right = OtherMeantBy(place.key);
    return right.empty() ? std::nullopt : std::optional(MisspeltKey{place, right, label});
  }
  const bool misses = *label != NodeLabel::kAcceleratorCount && subject.Misses(*label);
  if (!IsOfGke(place.key) && !(misses && IsValueOf(subject, *label, place.value))) {
    return std::nullopt;
  }
  return MisspeltKey{place, workload::Key(*label), label};
}

}  // namespace

bool IsOfGke(std::string_view key) {
  return Parse(key).domain == Parse(workload::kGkeTpuTopology).domain;
}

std::vector<MisspeltKey> MisspeltKeys(const Subject& subject) {
  std::vector<MisspeltKey> all;
  std::size_t looked = 0;
  const auto look = [&](const workload::RequiredLabel& place) {
    if (looked++ >= kMostKeys) return;
    if (auto misspelt = Look(subject, place)) all.push_back(*misspelt);
  };
  const k8s::StringMap& selector = subject.pods.pod.spec.node_selector;
  for (std::size_t i = 0; i < selector.size() && looked < kMostKeys; ++i) {
    const auto value = selector.Value(i);
    if (value) look({.key = selector.Key(i), .value = *value, .fixed = true});
  }
  const auto& terms = subject.pods.pod.spec.required_affinity;
  for (std::size_t t = 0; t < terms.size() && looked < kMostKeys; ++t) {
    const auto& needs = terms[t].requirements;
    for (std::size_t i = 0; i < needs.size(); ++i) {
      if (needs[i].op != "In" && needs[i].op != "Exists") continue;
      const bool fixed = needs[i].values.size() == 1;
      look({.key = needs[i].key,
            .value = fixed ? needs[i].values.front() : std::string_view(),
            .fixed = fixed,
            .term = t,
            .expression = i});
    }
  }
  return all;
}

workload::Edits Respelt(const Subject& subject, const MisspeltKey& misspelt) {
  const workload::RequiredLabel& place = misspelt.place;
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  if (place.term != workload::Selected::kInNodeSelector) {
    if (IsGainsaid(spec, misspelt)) return {};
    return {{subject.At(place) + "/key", std::string(misspelt.right)}};
  }
  const workload::RequiredLabel right{.key = misspelt.right};
  workload::Edits edits;
  if (!workload::FindRequired(spec, misspelt.right))
    edits.push_back({subject.At(right), std::string(place.value)});
  edits.push_back({subject.At(place), std::nullopt});
  return edits;
}

workload::Edits RespeltTo(const Subject& subject, NodeLabel label) {
  if (subject.pods.pod.spec.required_affinity.size() > 1) return {};  // which alternative is it?
  for (const MisspeltKey& misspelt : MisspeltKeys(subject)) {
    if (misspelt.label == label) return Respelt(subject, misspelt);
  }
  return {};
}

}  // namespace tpu_admission::rules
