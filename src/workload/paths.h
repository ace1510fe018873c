// The paths of the kind table ("spec/replicatedJobs[]/template/spec"), followed in an object.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "tpu_admission/k8s/arena.h"
#include "tpu_admission/k8s/decoder.h"
#include "tpu_admission/k8s/json.h"

namespace tpu_admission::workload {

// Which element of each list or map a path goes through.
struct Binding {
  static constexpr std::size_t kMost = 3;
  std::array<std::size_t, kMost> at{};
  std::size_t size = 0;
};

// One name of a path, and what is behind it.
struct PathStep {
  std::string_view name;
  bool each_element = false;  // "[]"
  bool each_member = false;   // "{}"
  std::string_view rest;
};
PathStep FirstStep(std::string_view path);

// The value at `path` with the marks bound as `binding` says; absent if it is not there.
k8s::JsonView Locate(k8s::JsonView object, std::string_view path, const Binding& binding);
// The JSON pointer of the same; "" for the object itself.
std::string PointerAt(k8s::JsonView object, std::string_view path, const Binding& binding);
// The pointer of the member `key`, kept in the arena.
std::string_view KeptPointer(std::string_view pointer, std::string_view key, k8s::Arena& arena);

// Calls visit(value, binding) for every way that `path` can be bound; the value is present. A list
// or map on the way with more than Decoder::kMost entries is not entered: the name of the first is
// returned, empty if there is none.
template <typename Visit>
std::string_view ForEachAt(k8s::JsonView value, std::string_view path, const Visit& visit,
                           Binding binding = {}, std::string_view name = "the object") {
  while (!path.empty() && value.present()) {
    if (value.size() > k8s::Decoder::kMost) return name;
    const PathStep step = FirstStep(path);
    value = value[step.name];
    name = step.name;
    path = step.rest;
    if (!step.each_element && !step.each_member) continue;
    const bool fits = step.each_element ? value.is_array() : value.is_object();
    if (binding.size == Binding::kMost || !fits) return {};
    if (value.size() > k8s::Decoder::kMost) return name;
    std::string_view crowded;
    for (std::size_t i = 0; i < value.size(); ++i) {
      Binding bound = binding;
      bound.at[bound.size++] = i;
      const std::string_view below = ForEachAt(
          step.each_element ? value.Element(i) : value.Member(i), path, visit, bound, name);
      if (crowded.empty()) crowded = below;
    }
    return crowded;
  }
  if (value.present()) visit(value, binding);
  return {};
}

}  // namespace tpu_admission::workload
