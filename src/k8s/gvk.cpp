#include "tpu_admission/k8s/gvk.h"

namespace tpu_admission::k8s {

GroupVersionKind GvkOf(JsonView object) {
  const std::string_view api_version = object["apiVersion"].StringOr("");
  const std::string_view kind = object["kind"].StringOr("");
  const std::size_t slash = api_version.find('/');
  if (slash == api_version.npos) return {"", api_version, kind};
  return {api_version.substr(0, slash), api_version.substr(slash + 1), kind};
}

}  // namespace tpu_admission::k8s
