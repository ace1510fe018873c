#include "tpu_admission/k8s/gvk.h"

namespace tpu_admission::k8s {

GroupVersionKind GvkOf(std::string_view api_version, std::string_view kind) {
  const std::size_t slash = api_version.find('/');
  if (slash == api_version.npos) return {"", api_version, kind};
  return {api_version.substr(0, slash), api_version.substr(slash + 1), kind};
}

GroupVersionKind GvkOf(JsonView object) {
  return GvkOf(object["apiVersion"].StringOr(""), object["kind"].StringOr(""));
}

std::string_view ItemKindOf(std::string_view list_kind) {
  constexpr std::string_view kEnd = "List";
  if (!list_kind.ends_with(kEnd)) return "";
  return list_kind.substr(0, list_kind.size() - kEnd.size());
}

}  // namespace tpu_admission::k8s
