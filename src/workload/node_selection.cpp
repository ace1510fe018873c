#include "tpu_admission/workload/node_selection.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::workload {
namespace {

using k8s::NodeSelectorRequirement;
using k8s::NodeSelectorTerm;

// Labels that can lead to a TPU node by themselves.
// https://cloud.google.com/kubernetes-engine/docs/concepts/about-custom-compute-classes and the
// reservation labels of the GKE cluster autoscaler (pkg/cloudprovider/gke/labels).
constexpr std::array<std::string_view, 7> kOtherMeans = {
    kGkeComputeClass,  kGkeNodePool,       kGkeReservation,  kGkeReservationAffinity,
    kGkeMachineFamily, kInstanceTypeLabel, kGkeSliceTopology};

std::optional<std::size_t> LabelIndex(std::string_view key) {
  const auto found = std::find(kNodeLabels.begin(), kNodeLabels.end(), key);
  if (found == kNodeLabels.end()) return std::nullopt;
  return std::size_t(found - kNodeLabels.begin());
}

Selected Fixed(std::string_view value, std::size_t term, std::size_t expression) {
  const auto state = IsPlaceholder(value) ? Selected::State::kOpaque : Selected::State::kFixed;
  return {state, value, term, expression};
}

// What nodeSelector says.
NodeChoice FromNodeSelector(const k8s::StringMap& selector) {
  NodeChoice choice;
  for (std::size_t i = 0; i < kNodeLabels.size(); ++i) {
    if (const auto value = selector.Find(kNodeLabels[i])) {
      choice.labels[i] = Fixed(*value, Selected::kInNodeSelector, 0);
    } else if (selector.Has(kNodeLabels[i])) {
      choice.labels[i].state = Selected::State::kOpaque;  // no string
    }
  }
  return choice;
}

// Grows the alternatives of one affinity term, requirement by requirement.
class TermChoices {
 public:
  TermChoices(const NodeChoice& base, NodeSelection& selection) : selection_(selection) {
    choices_.push_back(base);
  }

  // False as soon as nothing is left, or too much.
  bool Narrow(std::size_t label, const NodeSelectorRequirement& in, std::size_t term,
              std::size_t expression) {
    std::vector<NodeChoice> next;
    for (const NodeChoice& choice : choices_) {
      const Selected& now = choice.labels[label];
      for (const std::string_view value : in.values) {
        if (now.fixed() && now.value != value && !IsPlaceholder(value)) {
          Conflict(label, now.value, value);
          continue;
        }
        too_many_ = next.size() == NodeSelection::kMaxChoices;
        if (too_many_) return false;
        next.push_back(choice);
        if (!now.fixed()) next.back().labels[label] = Fixed(value, term, expression);
      }
    }
    choices_ = std::move(next);
    return !choices_.empty();
  }

  void MakeOpaque(std::size_t label) {
    for (NodeChoice& choice : choices_) {
      if (choice.labels[label].free()) choice.labels[label].state = Selected::State::kOpaque;
    }
  }

  std::span<const NodeChoice> choices() const { return choices_; }
  bool too_many() const { return too_many_; }

 private:
  void Conflict(std::size_t label, std::string_view one, std::string_view other) {
    if (!selection_.one_value.empty()) return;
    selection_.contradicting = static_cast<NodeLabel>(label);
    selection_.one_value = one;
    selection_.other_value = other;
  }

  NodeSelection& selection_;
  std::vector<NodeChoice> choices_;
  bool too_many_ = false;
};

TermChoices ChoicesOf(const NodeSelectorTerm& term, std::size_t term_index, const NodeChoice& base,
                      NodeSelection& selection) {
  TermChoices choices(base, selection);
  for (std::size_t i = 0; i < term.requirements.size(); ++i) {
    const NodeSelectorRequirement& requirement = term.requirements[i];
    const std::optional<std::size_t> label = LabelIndex(requirement.key);
    if (!label) continue;
    if (requirement.op != "In") {
      choices.MakeOpaque(*label);
    } else if (!choices.Narrow(*label, requirement, term_index, i)) {
      break;
    }
  }
  return choices;
}

bool SelectsByOtherMeans(const k8s::PodSpec& spec) {
  const auto leads = [](std::string_view key) {
    return std::find(kOtherMeans.begin(), kOtherMeans.end(), key) != kOtherMeans.end();
  };
  for (std::size_t i = 0; i < spec.node_selector.size(); ++i) {
    if (leads(spec.node_selector.Key(i))) return true;
  }
  return std::any_of(spec.required_affinity.begin(), spec.required_affinity.end(),
                     [&](const NodeSelectorTerm& term) {
                       return std::any_of(term.requirements.begin(), term.requirements.end(),
                                          [&](const auto& r) { return leads(r.key); });
                     });
}

// What one term of the affinity requires of `key`: the first single value, or else where the term
// first speaks of it.
std::optional<RequiredLabel> OfTerm(const NodeSelectorTerm& term, std::size_t index,
                                    std::string_view key) {
  std::optional<RequiredLabel> found;
  for (std::size_t i = 0; i < term.requirements.size(); ++i) {
    const NodeSelectorRequirement& in = term.requirements[i];
    if (in.key != key) continue;
    if (!found) found = RequiredLabel{.key = key, .term = index, .expression = i};
    if (in.op != "In" || in.values.size() != 1 || IsPlaceholder(in.values[0])) continue;
    return RequiredLabel{key, in.values[0], true, index, i};
  }
  return found;
}

std::string PointerAt(std::string_view key, std::size_t term, std::size_t expression) {
  if (term == Selected::kInNodeSelector) return PointerBelow("/nodeSelector", key);
  std::string pointer =
      "/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution"
      "/nodeSelectorTerms";
  AppendPointerIndex(pointer, term);
  return PointerBelow(std::move(pointer) + "/matchExpressions", expression);
}

std::span<const NodeChoice> Copy(std::span<const NodeChoice> choices, k8s::Arena& arena) {
  const std::span<NodeChoice> copy = arena.Array<NodeChoice>(choices.size());
  std::copy(choices.begin(), choices.end(), copy.begin());
  return copy;
}

constexpr std::array kSliceLabels = {NodeLabel::kAccelerator, NodeLabel::kTopology};

bool SameSlices(const NodeChoice& a, const NodeChoice& b) {
  return std::all_of(kSliceLabels.begin(), kSliceLabels.end(), [&](NodeLabel label) {
    return a[label].state == b[label].state && a[label].value == b[label].value;
  });
}

// Every alternative of `a` is one of `b` too.
bool AreAmong(const NodeSelection& a, const NodeSelection& b) {
  return std::all_of(a.choices.begin(), a.choices.end(), [&](const NodeChoice& one) {
    return std::any_of(b.choices.begin(), b.choices.end(),
                       [&](const NodeChoice& other) { return SameSlices(one, other); });
  });
}

bool IsOpen(const NodeSelection& selection, const Selected& selected) {
  return !selected.fixed() && (!selected.free() || selection.by_other_means);
}

bool MayMeet(const NodeSelection& a, const NodeChoice& one, const NodeSelection& b,
             const NodeChoice& other) {
  return std::all_of(kSliceLabels.begin(), kSliceLabels.end(), [&](NodeLabel label) {
    return one[label].value == other[label].value || IsOpen(a, one[label]) ||
           IsOpen(b, other[label]);
  });
}

}  // namespace

Together GoTogether(const NodeSelection& a, const NodeSelection& b) {
  // Templates of one object mostly say the same.
  const bool are_alike = std::equal(a.choices.begin(), a.choices.end(), b.choices.begin(),
                                    b.choices.end(), SameSlices);
  if (are_alike || (AreAmong(a, b) && AreAmong(b, a))) return Together::kYes;
  if (a.too_many || b.too_many) return Together::kMaybe;
  for (const NodeChoice& one : a.choices) {
    for (const NodeChoice& other : b.choices) {
      if (MayMeet(a, one, b, other)) return Together::kMaybe;
    }
  }
  return Together::kNo;
}

NodeSelection SelectNodes(const k8s::PodSpec& spec, k8s::Arena& arena) {
  NodeSelection selection;
  selection.by_other_means = SelectsByOtherMeans(spec);
  const NodeChoice base = FromNodeSelector(spec.node_selector);
  if (spec.required_affinity.empty()) {
    selection.choices = Copy({&base, 1}, arena);
    return selection;
  }
  std::vector<NodeChoice> all;
  for (std::size_t i = 0; i < spec.required_affinity.size(); ++i) {
    const TermChoices term = ChoicesOf(spec.required_affinity[i], i, base, selection);
    selection.too_many =
        term.too_many() || all.size() + term.choices().size() > NodeSelection::kMaxChoices;
    if (selection.too_many) return selection;
    all.insert(all.end(), term.choices().begin(), term.choices().end());
  }
  selection.contradiction = all.empty();
  selection.choices = Copy(all, arena);
  return selection;
}

bool SelectsNodes(const k8s::PodSpec& spec) {
  return spec.node_selector.size() > 0 || !spec.required_affinity.empty();
}

bool SelectsTpus(const k8s::PodSpec& spec) {
  constexpr std::array kTpuLabels = {NodeLabel::kAccelerator, NodeLabel::kTopology};
  const auto names = [&](std::string_view key) {
    return std::any_of(kTpuLabels.begin(), kTpuLabels.end(),
                       [&](NodeLabel label) { return Key(label) == key; });
  };
  const auto chooses = [&](const NodeSelectorRequirement& requirement) {
    return (requirement.op == "In" || requirement.op == "Exists") && names(requirement.key);
  };
  const auto term_chooses = [&](const NodeSelectorTerm& term) {
    return std::any_of(term.requirements.begin(), term.requirements.end(), chooses);
  };
  return spec.node_selector.Has(Key(NodeLabel::kAccelerator)) ||
         spec.node_selector.Has(Key(NodeLabel::kTopology)) ||
         std::any_of(spec.required_affinity.begin(), spec.required_affinity.end(), term_chooses);
}

NodeSelection SelectByName(std::span<const NamedLabel> labels, std::span<const NamedLabel> zones,
                           k8s::Arena& arena) {
  const auto name = [](NodeChoice& choice, const NamedLabel& named) {
    Selected& selected = choice.labels[static_cast<std::size_t>(named.label)];
    selected = Fixed(named.value, Selected::kInNodeSelector, 0);
    selected.pointer = named.pointer;
  };
  NodeChoice base;
  for (const NamedLabel& named : labels) name(base, named);
  std::vector<NodeChoice> choices(std::max<std::size_t>(1, zones.size()), base);
  for (std::size_t i = 0; i < zones.size(); ++i) name(choices[i], zones[i]);
  NodeSelection selection;
  selection.too_many = choices.size() > NodeSelection::kMaxChoices;
  if (!selection.too_many) selection.choices = Copy(choices, arena);
  return selection;
}

std::optional<RequiredLabel> FindRequired(const k8s::PodSpec& spec, std::string_view key) {
  if (spec.node_selector.Has(key)) {
    const auto value = spec.node_selector.Find(key);
    if (!value || IsPlaceholder(*value)) return RequiredLabel{.key = key};
    return RequiredLabel{.key = key, .value = *value, .fixed = true};
  }
  std::optional<RequiredLabel> found;
  bool all_agree = true;
  for (std::size_t i = 0; i < spec.required_affinity.size(); ++i) {
    const std::optional<RequiredLabel> own = OfTerm(spec.required_affinity[i], i, key);
    if (!found) found = own;
    all_agree = all_agree && own && own->fixed && own->value == found->value;
  }
  if (!found) return std::nullopt;
  found->fixed = all_agree;
  if (!found->fixed) found->value = {};
  return found;
}

std::string PointerOf(const RequiredLabel& label) {
  return PointerAt(label.key, label.term, label.expression);
}

std::string PointerOf(NodeLabel label, const Selected& selected) {
  if (selected.free()) return "/nodeSelector";
  return PointerAt(Key(label), selected.term, selected.expression);
}

bool IsPlaceholder(std::string_view value) {
  constexpr std::size_t kLongest = 1024;
  if (value.size() > kLongest) return true;
  const bool is_plain = std::none_of(value.begin(), value.end(), [](char c) {
    return c == '{' || c == '$' || c == '<' || c == '[' || c == '@' || c == '%';
  });
  if (is_plain) return value.starts_with("__");
  const auto has = [&](std::string_view mark) { return value.find(mark) != value.npos; };
  const auto encloses = [&](char mark) { return value.find(mark) != value.rfind(mark); };
  return has("{{") || has("{%") || has("#{") || has("[[") || has("$") || (has("<") && has(">")) ||
         encloses('@') || encloses('%');
}

}  // namespace tpu_admission::workload
