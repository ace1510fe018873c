#include "tpu_admission/workload/worker_identity.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/jobset_keys.h"
#include "tpu_admission/workload/lws_keys.h"

namespace tpu_admission::workload {
namespace {

constexpr std::string_view kOfNameEnd = "%";
constexpr std::string_view kJobIndex = "batch.kubernetes.io/job-completion-index";
constexpr std::string_view kRayHost = "ray.io/replica-host-index";
constexpr std::string_view kReplicaIndex = "training.kubeflow.org/replica-index";
constexpr std::string_view kReplicaHost =
    "{training.kubeflow.org/job-name}-{training.kubeflow.org/replica-type}-";
// Of replicated jobs that make up a workload together with others: how many slices that are, and
// which job leads, does not stand in the pod.
constexpr std::string_view kJobSetGroup = "jobset.sigs.k8s.io/group-name";
constexpr std::string_view kIndexed = "set completionMode: Indexed in the Job";
constexpr std::string_view kNewerKubeRay =
    "use KubeRay 1.6 or later, or 1.5 with its feature gate RayMultiHostIndexing";

constexpr IdentityRow Kubeflow(std::string_view kind, HostDomain domain) {
  return {.kind = kind,
          .owner_group = "kubeflow.org",
          .owner_kind = kind,
          .index = kReplicaIndex,
          .host = kReplicaHost,
          .name = "{training.kubeflow.org/job-name}-$",
          .domain = domain,
          .no_index = "use the label training.kubeflow.org/replica-index"};
}

// kubernetes-sigs/jobset pkg/controllers/jobset_controller.go, kubernetes pkg/controller/{job,
// statefulset}, ray-project/kuberay ray-operator/controllers/ray/common/pod.go,
// kubeflow/training-operator pkg/controller.v1/common.
constexpr std::array kRows = {
    IdentityRow{.kind = "JobSet",
                .owner_group = "batch",
                .owner_kind = "Job",
                .only_with = kJobSetName,
                .index = kJobIndex,
                .host = "{batch.kubernetes.io/job-name}-",
                .name = "{batch.kubernetes.io/job-name}",
                .slice = "jobset.sigs.k8s.io/job-index",
                .slices = "jobset.sigs.k8s.io/replicatedjob-replicas",
                .coordinator =
                    "{jobset.sigs.k8s.io/jobset-name}-{jobset.sigs.k8s.io/replicatedjob-name}-0-0",
                .coordinated_by = "jobset.sigs.k8s.io/coordinator",
                .no_index = kIndexed,
                .gke_serves = true},
    IdentityRow{.kind = "Job",
                .owner_group = "batch",
                .owner_kind = "Job",
                .index = kJobIndex,
                .host = "{batch.kubernetes.io/job-name}-",
                .name = "{batch.kubernetes.io/job-name}-$",
                .no_index = kIndexed,
                .gke_serves = true},
    IdentityRow{.kind = "StatefulSet",
                .owner_group = "apps",
                .owner_kind = "StatefulSet",
                .never_with = kLwsName,
                .index = kOfNameEnd,
                .host = "%-",
                .name = "%-$",
                .no_index = "let a StatefulSet name the pod"},
    IdentityRow{.kind = "RayCluster",
                .owner_group = "ray.io",
                .owner_kind = "RayCluster",
                .only_with = "ray.io/node-type",
                .only_value = "worker",
                .index = kRayHost,
                .host = "{ray.io/group}-{ray.io/worker-group-replica-index}-",
                .name = "{ray.io/group}-{ray.io/worker-group-replica-index}",
                .domain = HostDomain::kCluster,
                .slice = "ray.io/worker-group-replica-index",
                .coordinator = "{ray.io/group}-0-0",
                .no_index = kNewerKubeRay,
                .process_port = 8471,
                .is_ray = true},
    Kubeflow("JAXJob", HostDomain::kOwn),
    Kubeflow("PyTorchJob", HostDomain::kOwn),
    Kubeflow("TFJob", HostDomain::kOwn),
    Kubeflow("MPIJob", HostDomain::kSubdomain),
};

constexpr std::size_t kLongestDnsLabel = 63;

bool HasDnsLetters(std::string_view text) {
  static constexpr auto kGood = [] {
    std::array<bool, 256> good{};
    for (const char c : std::string_view("-0123456789abcdefghijklmnopqrstuvwxyz")) {
      good[static_cast<unsigned char>(c)] = true;
    }
    return good;
  }();
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return kGood[static_cast<unsigned char>(c)]; });
}

std::optional<std::string_view> Find(const k8s::ObjectMeta& meta, std::string_view key) {
  const std::optional<std::string_view> label = meta.labels.Find(key);
  return label ? label : meta.annotations.Find(key);
}

// Of at most six digits: sums and products of two never overflow.
std::optional<std::int64_t> Number(std::optional<std::string_view> text) {
  if (!text || text->size() > 6) return std::nullopt;
  const auto number = WholeNumber(*text);
  return number.value_or(-1) < 0 ? std::nullopt : number;
}

// "serve-6": "serve" and "6".
struct Numbered {
  std::string_view stem;
  std::string_view number;
};
Numbered Split(std::string_view name) {
  const std::size_t dash = name.rfind('-');
  if (dash == name.npos) return {name, {}};
  return {name.substr(0, dash), name.substr(dash + 1)};
}

// Appends what `pattern` says of the pod; false if a label is missing.
bool Expand(std::string& text, std::string_view pattern, const k8s::ObjectMeta& meta,
            std::int64_t slice) {
  while (!pattern.empty()) {
    const char sign = pattern.front();
    std::size_t taken = 1;
    if (sign == '{') {
      taken = pattern.find('}') + 1;
      const auto value = Find(meta, pattern.substr(1, taken - 2));
      if (!value || value->empty()) return false;
      text += *value;
    } else if (sign == '%') {
      text += Split(meta.name).stem;
    } else if (sign == '$') {
      text += std::to_string(slice);
    } else {
      taken = std::min(pattern.find_first_of("{%$"), pattern.size());
      text += pattern.substr(0, taken);
    }
    pattern.remove_prefix(taken);
  }
  return true;
}

// A worker of Kubeflow whose number counts on from a master or chief, which it is told of.
bool FollowsAMaster(const k8s::PodSpec& spec) {
  for (const k8s::Container& container : spec.containers) {
    const std::string_view address = container.EnvValue("MASTER_ADDR").value_or("");
    const std::string_view config = container.EnvValue("TF_CONFIG").value_or("");
    if (address.find("-master-") != address.npos || config.find("\"master\"") != config.npos ||
        config.find("\"chief\"") != config.npos) {
      return true;
    }
  }
  return false;
}

// A value that is no text is left alone.
bool IsUnset(k8s::JsonView field) { return !field.has_value() || field.AsString() == ""; }

NoIdentity Misses(std::string_view key, std::string_view change) {
  return {"has no " + (key == kOfNameEnd ? "number at the end of its name" : std::string(key)) +
              ", so its number among the workers is not known",
          std::string(change)};
}

// A number as digits, without a string of the heap.
class Digits {
 public:
  explicit Digits(std::int64_t number)
      : size_(
            std::size_t(std::to_chars(digits_.data(), digits_.data() + digits_.size(), number).ptr -
                        digits_.data())) {}
  std::string_view view() const { return {digits_.data(), size_}; }

 private:
  std::array<char, 20> digits_;
  std::size_t size_;
};

bool IsHostLabel(std::string_view label, std::string_view host, std::int64_t number) {
  return label.starts_with(host) && label.substr(host.size()) == Digits(number).view();
}

// Whether `host` with each number up to `last` behind it is a DNS label.
bool MakesDnsLabels(std::string_view host, std::int64_t last) {
  return HasDnsLetters(host) && !host.starts_with('-') &&
         host.size() + Digits(last).view().size() <= kLongestDnsLabel;
}

// Fills number and slice from the index; the reason if there is none, or it is not possible.
std::optional<NoIdentity> ReadPlace(const IdentityRow& row, const k8s::ObjectMeta& meta,
                                    WorkerIdentity& identity) {
  const auto text =
      row.index == kOfNameEnd ? std::optional(Split(meta.name).number) : Find(meta, row.index);
  std::optional<std::int64_t> index = Number(text);
  if (!index && row.is_ray && !text && identity.workers == 1) index = 0;
  if (!index) return Misses(row.index, row.no_index);
  if (row.slice.empty()) {
    identity.id = *index % identity.workers;
    identity.slice = *index / identity.workers;
    identity.first = *index - identity.id;
    return std::nullopt;
  }
  const std::optional<std::int64_t> slice = Number(Find(meta, row.slice));
  if (!slice) return Misses(row.slice, row.no_index);
  if (*index >= identity.workers) {
    return NoIdentity{"has number " + std::to_string(*index) + ", but a slice has " +
                          std::to_string(identity.workers) + " workers, numbered from 0",
                      "let each slice have a Job or group of its own"};
  }
  identity.id = *index;
  identity.slice = *slice;
  return std::nullopt;
}

std::optional<NoIdentity> ReadDomain(const IdentityRow& row, const k8s::Pod& pod,
                                     WorkerIdentity& identity) {
  if (row.domain == HostDomain::kOwn) return std::nullopt;
  const k8s::JsonView field = pod.spec.json["subdomain"];
  const std::string_view subdomain = field.StringOr("");
  identity.lacks_subdomain = IsUnset(field);
  std::string_view wanted = subdomain;
  std::string service;
  if (row.domain == HostDomain::kCluster) {
    wanted = service = RayServiceOf(pod);
    if (!subdomain.empty() && subdomain != wanted) {
      return NoIdentity{"has the subdomain " + Quoted(subdomain) +
                            ", not the Service that KubeRay "
                            "makes for the workers, " +
                            Quoted(wanted),
                        "leave subdomain out"};
    }
  }
  if (wanted.empty()) {
    return NoIdentity{"has no subdomain, so its workers have no names in DNS",
                      "set subdomain to the name of a headless Service that has "
                      "publishNotReadyAddresses: true and selects the pods"};
  }
  if (!IsDnsLabel(wanted)) {
    return NoIdentity{"has the subdomain " + Quoted(wanted) + ", which is no DNS label",
                      "use lower-case letters, digits and dashes, at most 63"};
  }
  identity.domain.reserve(1 + wanted.size());
  identity.domain.append(1, '.').append(wanted);
  return std::nullopt;
}

// The names of a slice, and whether they are this pod's.
std::optional<NoIdentity> ReadNames(const IdentityRow& row, const k8s::Pod& pod,
                                    WorkerIdentity& identity) {
  if (!Expand(identity.host, row.host, pod.metadata, identity.slice) ||
      !Expand(identity.name, row.name, pod.metadata, identity.slice)) {
    return NoIdentity{"lacks a label that names its workers", "let the controller label its pods"};
  }
  if (identity.workers == 1) return std::nullopt;
  if (!MakesDnsLabels(identity.host, identity.first + identity.workers - 1)) {
    return NoIdentity{"would have the host name " + Quoted(identity.HostLabel()) +
                          ", and the names of its workers are no DNS labels",
                      "use shorter names of lower-case letters, digits and dashes"};
  }
  std::string_view own = pod.metadata.name;
  if (row.domain != HostDomain::kOwn) {
    const k8s::JsonView hostname = pod.spec.json["hostname"];
    identity.lacks_hostname = IsUnset(hostname);
    own = hostname.StringOr("");
  }
  if (!own.empty() && !IsHostLabel(own, identity.host, identity.first + identity.id)) {
    return NoIdentity{
        "is called " + Quoted(own) + ", but as worker " + std::to_string(identity.id) +
            " the others would look for " + Quoted(identity.HostLabel()),
        row.domain == HostDomain::kOwn ? "number the workers from 0" : "leave hostname out"};
  }
  return ReadDomain(row, pod, identity);
}

}  // namespace

const IdentityRow* IdentityRowOf(const k8s::Pod& pod) {
  const k8s::ObjectMeta& meta = pod.metadata;
  if (meta.controller_kind.empty()) return nullptr;
  for (const IdentityRow& row : kRows) {
    if (meta.controller_kind != row.owner_kind || meta.controller_group != row.owner_group) {
      continue;
    }
    const auto mark = row.only_with.empty() ? "" : meta.labels.Find(row.only_with);
    if (!mark || (!row.only_value.empty() && *mark != row.only_value)) continue;
    const bool is_of_others = !row.never_with.empty() && meta.labels.Has(row.never_with);
    return is_of_others ? nullptr : &row;
  }
  return nullptr;
}

std::string RayServiceOf(const k8s::Pod& pod) {
  std::string service;
  return Expand(service, "{ray.io/cluster}-headless", pod.metadata, 0) ? service : std::string();
}

void WorkerIdentity::AppendHost(std::string& text, std::int64_t worker) const {
  text.append(host).append(Digits(first + worker).view()).append(domain);
}

std::string WorkerIdentity::HostNames() const {
  if (workers <= 0) return "";
  const Digits last(first + workers - 1);
  const std::size_t longest = host.size() + last.view().size() + domain.size();
  std::string names(static_cast<std::size_t>(workers) * (longest + 1), ',');
  char* at = names.data();
  const auto put = [&at](std::string_view text) { at = std::copy(text.begin(), text.end(), at); };
  for (std::int64_t i = 0; i < workers; ++i) {
    put(host);
    put(Digits(first + i).view());
    put(domain);
    ++at;  // over the comma
  }
  names.resize(std::size_t(at - names.data()) - 1);
  return names;
}

std::variant<WorkerIdentity, NoIdentity> IdentityOf(const IdentityRow& row, const k8s::Pod& pod,
                                                    std::int64_t workers) {
  WorkerIdentity identity;
  identity.workers = workers;
  if (auto why = ReadPlace(row, pod.metadata, identity)) return *std::move(why);
  if (row.domain == HostDomain::kOwn && FollowsAMaster(pod.spec)) {
    return NoIdentity{"follows a master, whose place among the workers is not known",
                      "use workers alone, or set the variables in the template"};
  }
  if (auto why = ReadNames(row, pod, identity)) return *std::move(why);
  return identity;
}

SliceGroup SliceGroupOf(const IdentityRow& row, const k8s::ObjectMeta& pod,
                        const WorkerIdentity& identity) {
  SliceGroup group;
  const std::string_view of_job_set = Find(pod, kJobSetGroup).value_or("");
  if (row.coordinator.empty() || (!of_job_set.empty() && of_job_set != "default")) return group;
  if (!row.slices.empty()) group.slices = Number(Find(pod, row.slices)).value_or(0);
  std::string host;
  if (identity.workers < 2 || !Expand(host, row.coordinator, pod, identity.slice) ||
      !IsDnsLabel(host)) {
    return group;
  }
  group.coordinator = std::move(host.append(identity.domain));
  group.is_coordinated =
      IsCoordinated(row, pod) && Find(pod, row.coordinated_by) == group.coordinator;
  return group;
}

bool IsCoordinated(const IdentityRow& row, const k8s::ObjectMeta& pod) {
  return !row.coordinated_by.empty() && Find(pod, row.coordinated_by);
}

bool IsDnsLabel(std::string_view text) {
  return !text.empty() && text.size() <= kLongestDnsLabel && text.front() != '-' &&
         text.back() != '-' && HasDnsLetters(text);
}

}  // namespace tpu_admission::workload
