// Which kind of object something is.
#pragma once

#include <string_view>

#include "tpu_admission/k8s/json.h"

namespace tpu_admission::k8s {

struct GroupVersionKind {
  std::string_view group;  // "" is the core group
  std::string_view version;
  std::string_view kind;
};

// Views its parameters.
GroupVersionKind GvkOf(std::string_view api_version, std::string_view kind);
// By apiVersion and kind of an object, or of an owner reference; what is missing is empty.
GroupVersionKind GvkOf(JsonView object);

// What a typed list says of its items: a PodList has Pods, whatever they leave unsaid. Empty for
// every other kind, and for List itself, whose items say what they are.
std::string_view ItemKindOf(std::string_view list_kind);

}  // namespace tpu_admission::k8s
