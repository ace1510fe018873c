#include "tpu_admission/workload/companions.h"

#include "tpu_admission/k8s/decoder.h"
#include "tpu_admission/workload/node_selection.h"

namespace tpu_admission::workload {
namespace {

constexpr std::size_t kMostOfASelector = 100;  // a Service with more is left out
// A label's key with its domain is the longest name that there is. What is longer the API server
// refuses; here it is left out, so that no more is kept than a file of that size can say.
constexpr std::size_t kLongestName = 253 + 1 + 63;

bool MayBeName(std::string_view text) { return text.size() <= kLongestName; }

// https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes
bool IsOfOneNode(k8s::JsonView modes) {
  for (std::size_t i = 0; i < modes.size() && i < k8s::Decoder::kMost; ++i) {
    const std::string_view mode = modes.Element(i).StringOr("");
    if (mode != "ReadWriteOnce" && mode != "ReadWriteOncePod") return false;
  }
  return modes.is_array() && modes.size() > 0;
}

// https://docs.cloud.google.com/kubernetes-engine/docs/how-to/persistent-volumes/gce-pd-csi-driver
StorageClass ToStorageClass(k8s::JsonView object) {
  const std::string_view driver = object["provisioner"].StringOr("");
  if (driver != "pd.csi.storage.gke.io" && driver != "kubernetes.io/gce-pd") return {};
  const std::string_view disk = object["parameters"]["type"].StringOr("");
  return {true, MayBeName(disk) ? std::string(disk) : std::string()};
}

template <typename T>
const T* Find(const std::map<std::pair<std::string, std::string>, T>& all,
              std::string_view namespace_name, std::string_view name) {
  const auto found = all.find(std::pair(std::string(namespace_name), std::string(name)));
  return found == all.end() ? nullptr : &found->second;
}

template <typename T>
void AddAll(const T& others, T& all) {
  for (const auto& [name, each] : others) all.insert_or_assign(name, each);
}

}  // namespace

void Companions::Add(const Companions& others) {
  AddAll(others.claims_, claims_);
  AddAll(others.classes_, classes_);
  AddAll(others.requests_, requests_);
  AddAll(others.services_, services_);
}

void Companions::Add(const k8s::GroupVersionKind& gvk, k8s::JsonView object) {
  const k8s::JsonView metadata = object["metadata"];
  const Name name(metadata["namespace"].StringOr(""), metadata["name"].StringOr(""));
  if (!MayBeName(name.first) || !MayBeName(name.second)) return;
  if (gvk.group.empty() && gvk.kind == "PersistentVolumeClaim") AddClaim(name, object["spec"]);
  if (gvk.group == "storage.k8s.io" && gvk.kind == "StorageClass") {
    classes_.insert_or_assign(Name("", name.second), ToStorageClass(object));
  }
  if (gvk.group.empty() && gvk.kind == "Service") AddService(name, object["spec"]);
  if (gvk.group == "autoscaling.x-k8s.io" && gvk.kind == "ProvisioningRequest") {
    AddRequest(name, object["spec"]);
  }
}

void Companions::AddClaim(const Name& name, k8s::JsonView spec) {
  const std::string_view storage_class = spec["storageClassName"].StringOr("");
  if (!MayBeName(storage_class)) return;
  const bool none = spec["storageClassName"].has_value() && storage_class.empty();
  claims_.insert_or_assign(name,
                           VolumeClaim{IsOfOneNode(spec["accessModes"]), std::string(storage_class),
                                       none || spec["volumeName"].has_value()});
}

// https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/proposals/provisioning-request.md
void Companions::AddRequest(const Name& name, k8s::JsonView spec) {
  const k8s::JsonView sets = spec["podSets"];
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const std::string_view pods = sets.Element(i)["podTemplateRef"]["name"].StringOr("");
    const auto count = sets.Element(i)["count"].AsInteger();
    if (!count || pods.empty() || !MayBeName(pods)) continue;
    requests_.insert_or_assign({name.first, std::string(pods)}, PodRequest{name.second, *count});
  }
}

void Companions::AddService(const Name& name, k8s::JsonView spec) {
  if (spec["type"].StringOr("") == "ExternalName") return;
  const std::string_view address = spec["clusterIP"].StringOr("");
  const k8s::JsonView selector = spec["selector"];
  if (IsPlaceholder(address) || selector.size() > kMostOfASelector) return;
  Service service{address == "None", {}};
  for (std::size_t i = 0; selector.is_object() && i < selector.size(); ++i) {
    const std::optional<std::string_view> value = selector.Member(i).AsString();
    if (!value || !MayBeName(selector.MemberKey(i)) || !MayBeName(*value)) return;
    service.selector.insert_or_assign(std::string(selector.MemberKey(i)), *value);
  }
  services_.insert_or_assign(name, std::move(service));
}

const VolumeClaim* Companions::FindClaim(std::string_view namespace_name,
                                         std::string_view name) const {
  return Find(claims_, namespace_name, name);
}

const StorageClass* Companions::FindClass(std::string_view name) const {
  return Find(classes_, "", name);
}

const PodRequest* Companions::FindRequest(std::string_view namespace_name,
                                          std::string_view name) const {
  return Find(requests_, namespace_name, name);
}

const Service* Companions::FindService(std::string_view namespace_name,
                                       std::string_view name) const {
  return Find(services_, namespace_name, name);
}

}  // namespace tpu_admission::workload
