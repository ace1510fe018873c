#include "tpu_admission/kube/api.h"

#include <algorithm>

#include "tpu_admission/kube/collections.h"

namespace tpu_admission::kube {
namespace {

constexpr std::size_t kMaxName = 253;

bool IsLowerOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

ObjectPath Namespaced(std::string_view kind, std::string_view group,
                      std::string_view namespace_name, std::string_view resource,
                      std::string_view name) {
  std::string path(group);
  path.append("/namespaces/").append(namespace_name).append("/");
  path.append(resource).append("/").append(name);
  return {std::move(path), kind};
}

ObjectPath Configuration(std::string_view kind, std::string_view resource, std::string_view name) {
  std::string path = "/apis/admissionregistration.k8s.io/v1/";
  return {path.append(resource).append("/").append(name), kind};
}

}  // namespace

std::string_view ObjectPath::name() const {
  return std::string_view(text).substr(text.rfind('/') + 1);
}

ObjectPath NamespacePath(std::string_view name) {
  return {std::string("/api/v1/namespaces/").append(name), "Namespace"};
}

ObjectPath SecretPath(std::string_view namespace_name, std::string_view name) {
  return Namespaced("Secret", "/api/v1", namespace_name, "secrets", name);
}

ObjectPath ConfigMapPath(std::string_view namespace_name, std::string_view name) {
  return Namespaced("ConfigMap", "/api/v1", namespace_name, "configmaps", name);
}

ObjectPath LeasePath(std::string_view namespace_name, std::string_view name) {
  return Namespaced("Lease", "/apis/coordination.k8s.io/v1", namespace_name, "leases", name);
}

ObjectPath MutatingConfigurationPath(std::string_view name) {
  return Configuration("MutatingWebhookConfiguration", "mutatingwebhookconfigurations", name);
}

ObjectPath ValidatingConfigurationPath(std::string_view name) {
  return Configuration("ValidatingWebhookConfiguration", "validatingwebhookconfigurations", name);
}

bool IsObjectName(std::string_view name) {
  if (name.empty() || name.size() > kMaxName) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool inside = i > 0 && i + 1 < name.size();
    const bool beside_dot = inside && (name[i - 1] == '.' || name[i + 1] == '.');
    if (IsLowerOrDigit(name[i])) continue;
    if (!inside || beside_dot || (name[i] != '-' && name[i] != '.')) return false;
  }
  return true;
}

std::string Escaped(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : text) {
    const bool plain = IsLowerOrDigit(c) || (c >= 'A' && c <= 'Z') ||
                       std::string_view("-._~").find(c) != std::string_view::npos;
    if (plain) {
      escaped += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      escaped.append({'%', kHex[byte >> 4], kHex[byte & 15]});
    }
  }
  return escaped;
}

}  // namespace tpu_admission::kube
