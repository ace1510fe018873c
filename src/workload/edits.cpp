#include "tpu_admission/workload/edits.h"

#include <algorithm>

#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::workload {
namespace {

// A count that is not written is 1.
void Set(const Count& count, std::int64_t value, Edits& edits) {
  if (count.value != value) edits.push_back({count.pointer(), value});
}

// With neither count both are 1; with parallelism alone completions stay away. A kind of the policy
// has none.
void SetPodsOfJob(const Scale& scale, std::int64_t count, Edits& edits) {
  const Count& done = scale.completions;
  if (done.field.empty()) return Set(scale.pods, count, edits);
  if (done.written) {
    const bool follow = done.value == scale.pods.value || done.value.value_or(0) < count;
    Set(scale.pods, count, edits);
    if (follow) Set(done, count, edits);
  } else if (scale.pods.written || count != 1) {
    Set(scale.pods, count, edits);
    edits.push_back({done.pointer(), count});
  }
}

// "/values/1": an alternative is one of the values of an In.
std::string InList(const PodSet& pods, std::size_t term, std::size_t expression,
                   std::string_view value) {
  const auto values = pods.pod.spec.required_affinity[term].requirements[expression].values;
  const auto found = std::find(values.begin(), values.end(), value);
  return PointerBelow("/values", std::size_t(found - values.begin()));
}

// LeaderWorkerSet wants sub-groups that divide all pods, or all but the leader; one without TPUs
// must not be among those that fill a slice.
void SetSubGroup(const Scale& scale, std::int64_t part, Edits& edits) {
  const std::int64_t size = scale.pods.value.value_or(0);
  const std::int64_t idle = scale.leaders_without_tpus;
  if (scale.sub_group != part) {
    edits.push_back({std::string(scale.pointer) + "/subGroupPolicy/subGroupSize", part});
  }
  // Where the leader is not known to be idle, one pod too many was for such a leader.
  const bool one_more = idle == 0 && part > 1 && size > part && (size - 1) % part == 0;
  const std::int64_t pods = size - idle - (one_more ? 1 : 0);
  const std::int64_t parts = std::max<std::int64_t>(1, (pods + part - 1) / part);
  Set(scale.pods, parts * part + idle, edits);
}

// Where nodeSelector and affinity name the same value, both must name the new one.
void SetInAffinity(const PodSet& pods, NodeLabel label, std::string_view old,
                   const std::string& value, Edits& edits) {
  const auto& terms = pods.pod.spec.required_affinity;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const auto& needs = terms[t].requirements;
    for (std::size_t i = 0; i < needs.size(); ++i) {
      const auto has = [&](std::string_view other) {
        return std::find(needs[i].values.begin(), needs[i].values.end(), other) !=
               needs[i].values.end();
      };
      if (needs[i].key != Key(label) || needs[i].op != "In" || !has(old) || has(value)) continue;
      const RequiredLabel place{
          .key = Key(label), .value = old, .fixed = true, .term = t, .expression = i};
      edits.push_back(
          {std::string(pods.selector_pointer) + PointerOf(place) + InList(pods, t, i, old), value,
           Key(label)});
    }
  }
}

}  // namespace

std::string PointerOf(const PodSet& pods, const k8s::Container& container, std::string_view below) {
  std::string pointer = std::string(pods.spec_pointer) + "/";
  pointer.append(container.list);  // known names, nothing to escape
  if (container.index != k8s::Container::kAlone) AppendPointerIndex(pointer, container.index);
  return pointer.append(below);
}

const k8s::Container* ChipContainer(const PodSet& pods) {
  using IsOne = bool (*)(const k8s::Container&);
  constexpr IsOne kFirstOfThese[] = {
      [](const auto& one) { return one.Stays() && UsesTpu(one); },
      [](const auto& one) { return UsesTpu(one); },
      [](const auto& one) { return one.role == k8s::ContainerRole::kMain; },
  };
  for (const IsOne is_one : kFirstOfThese) {
    const k8s::Container* found = nullptr;
    for (const k8s::Container& container : pods.pod.spec.containers) {
      if (!is_one(container)) continue;
      if (found != nullptr) return nullptr;
      found = &container;
    }
    if (found != nullptr) return found;
  }
  return nullptr;
}

std::string PointerOf(const PodSet& pods, NodeLabel label, const Selected& selected) {
  if (!selected.pointer.empty()) return std::string(selected.pointer);
  if (pods.use == TpuUse::kChoice) return std::string(pods.pointer);
  return std::string(pods.selector_pointer) + PointerOf(label, selected);
}

void SetLabel(const PodSet& pods, NodeLabel label, const Selected& selected, std::string value,
              Edits& edits) {
  if (selected.fixed() && selected.value == value) return;
  const bool in_node_selector =
      selected.pointer.empty() && selected.fixed() && selected.term == Selected::kInNodeSelector;
  if (in_node_selector) SetInAffinity(pods, label, selected.value, value, edits);
  k8s::JsonEdit edit{std::string(selected.pointer), std::move(value)};
  if (edit.pointer.empty()) {
    edit.pointer = std::string(pods.selector_pointer) + PointerOf(label, selected);
    if (!selected.fixed()) {
      edit.pointer = PointerBelow(std::string(pods.selector_pointer) + "/nodeSelector", Key(label));
    } else if (selected.term != Selected::kInNodeSelector) {
      edit.pointer += InList(pods, selected.term, selected.expression, selected.value);
      edit.name = Key(label);
    }
  }
  // The count of a ComputeClass is a number, that of a label is text.
  const bool is_number = !selected.pointer.empty() && label == NodeLabel::kAcceleratorCount &&
                         pods.row->form == Form::kTpuPriority;
  if (is_number) edit.value = std::stoll(std::get<std::string>(*edit.value));
  edits.push_back(std::move(edit));
}

void SetChips(const PodSet& pods, const k8s::Container& container, std::int64_t chips,
              Edits& edits) {
  for (const std::string_view list : {"requests", "limits"}) {
    const auto& amounts = list == "limits" ? container.limits : container.requests;
    const auto now = amounts.Find(kTpuResource);
    if (list == "requests" && !now) continue;
    if (now && now->quantity && now->quantity->AsInteger() == chips) continue;
    std::string at = PointerBelow(PointerOf(pods, container, "/resources"), list);
    edits.push_back({PointerBelow(std::move(at), kTpuResource), chips});
  }
}

void SetPods(const Scale& scale, std::int64_t count, Edits& edits) {
  switch (scale.counting) {
    case Counting::kJob:
      return SetPodsOfJob(scale, count, edits);
    case Counting::kGroup:
      if (scale.sub_group > 0) return SetSubGroup(scale, count, edits);
      return Set(scale.pods, count + scale.leaders_without_tpus, edits);
    case Counting::kReplicas:
    case Counting::kPerSlice:
      return Set(scale.pods, count, edits);
    case Counting::kTogether:
    case Counting::kNone:
    case Counting::kElsewhere:
      return;
  }
}

void SetSlices(const Scale& scale, std::int64_t count, Edits& edits) {
  if (scale.slices.value == count) return;
  edits.push_back({scale.slices.pointer(), count});
  constexpr std::int64_t kMost = 1'000'000;  // of each factor
  const std::int64_t before = scale.slices.value.value_or(0);
  const auto scaled = [&](std::int64_t bound, std::int64_t more) {
    const bool can = before > 0 && std::max({bound, before, count}) <= kMost;
    return can ? (bound * count + more) / before : count;
  };
  const std::string holder(scale.slices.holder);
  const std::int64_t least = scale.fewest_slices.value_or(0);
  const std::int64_t fewer = std::min(scaled(least, before - 1), count);
  if (least > fewer) edits.push_back({holder + "/minReplicas", fewer});
  if (!scale.most_slices) return;
  const std::int64_t most = std::max(scaled(*scale.most_slices, 0), count);
  if (most != *scale.most_slices) edits.push_back({holder + "/maxReplicas", most});
}

std::string Shown(const k8s::JsonEdit& edit) {
  if (!edit.value) return "(removed)";
  if (const auto* number = std::get_if<std::int64_t>(&*edit.value)) return std::to_string(*number);
  const std::string& text = std::get<std::string>(*edit.value);
  const bool digits = text.find_first_not_of("0123456789") == text.npos;
  return digits || text == "true" || text == "false" ? Quoted(text) : Printable(text);
}

}  // namespace tpu_admission::workload
