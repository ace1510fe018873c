#include "workload/paths.h"

#include "tpu_admission/base/json_pointer.h"

namespace tpu_admission::workload {

using k8s::JsonView;

PathStep FirstStep(std::string_view path) {
  const std::size_t slash = path.find('/');
  PathStep step;
  step.name = path.substr(0, slash);
  step.rest = slash == path.npos ? std::string_view() : path.substr(slash + 1);
  step.each_element = step.name.ends_with("[]");
  step.each_member = step.name.ends_with("{}");
  if (step.each_element || step.each_member) step.name.remove_suffix(2);
  return step;
}

JsonView Locate(JsonView object, std::string_view path, const Binding& binding) {
  std::size_t mark = 0;
  while (!path.empty() && object.present()) {
    const PathStep step = FirstStep(path);
    object = object[step.name];
    if (step.each_element) object = object.Element(binding.at[mark++]);
    if (step.each_member) object = object.Member(binding.at[mark++]);
    path = step.rest;
  }
  return object;
}

std::string PointerAt(JsonView object, std::string_view path, const Binding& binding) {
  constexpr std::size_t kForIndices = 16;
  std::string pointer;
  pointer.reserve(path.size() + kForIndices);
  std::size_t mark = 0;
  while (!path.empty()) {
    const PathStep step = FirstStep(path);
    AppendPointerToken(pointer, step.name);
    object = object[step.name];
    if (step.each_element) {
      AppendPointerIndex(pointer, binding.at[mark]);
      object = object.Element(binding.at[mark++]);
    } else if (step.each_member) {
      AppendPointerToken(pointer, object.MemberKey(binding.at[mark]));
      object = object.Member(binding.at[mark++]);
    }
    path = step.rest;
  }
  return pointer;
}

std::string_view KeptPointer(std::string_view pointer, std::string_view key, k8s::Arena& arena) {
  std::string text;
  text.reserve(pointer.size() + key.size() + 8);  // for escapes
  text = pointer;
  AppendPointerToken(text, key);
  return arena.Text(text);
}

}  // namespace tpu_admission::workload
