#include <fmt/core.h>

#include <algorithm>

#include "rules/engine/host_names.h"
#include "rules/engine/phrases.h"
#include "rules/engine/worker.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/tpu_variables.h"

namespace tpu_admission::rules {
namespace tpu805 {

// What is wrong with a list of names: the rest of "TPU_WORKER_HOSTNAMES ..." and why it matters.
struct Fault {
  std::string summary;
  std::string problem;
  std::string change;
};

bool IsNamePart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

// Whether a resolver would ask for it at all.
bool CanBeResolved(std::string_view name) {
  if (name.find(':') != name.npos) return true;  // an IPv6 address, or no name of ours to judge
  if (name.ends_with('.')) name.remove_suffix(1);
  while (true) {
    const std::string_view label = name.substr(0, name.find('.'));
    if (label.empty() || label.size() > 63) return false;
    if (!std::all_of(label.begin(), label.end(), IsNamePart)) return false;
    if (label.size() == name.size()) return true;
    name.remove_prefix(label.size() + 1);
  }
}

std::optional<Fault> FaultOfForm(std::string_view list) {
  for (std::string_view rest = list; !rest.empty();) {
    const std::string_view name = TakeHostName(rest);
    if (CanBeResolved(name)) continue;
    return Fault{
        fmt::format("has {}, which is no name in DNS", Quoted(name, 40)),
        fmt::format("has {} among its names, which is no name in DNS", Quoted(name, 63)),
        "join the names by commas alone (a name has lower-case letters, digits and dashes)"};
  }
  if (list.empty() || list.back() == ',') {
    return Fault{"ends with an empty name", "ends with an empty name", "take the last comma out"};
  }
  return std::nullopt;
}

// How the names lie to the Service that the pod is in.
struct Placing {
  std::string_view strange;  // the first name in a Service that the pod is not in
  bool in_service = false;   // some name is in the pod's own
  bool has_own = false;      // and one is its own
  bool is_certain = true;    // all are names of pods in a Service
};

Placing Place(const Subject& subject, std::string_view list) {
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  const std::string_view subdomain = spec.Text("subdomain");
  const std::string_view space = subject.workload.metadata.namespace_name;
  Placing placing;
  while (!list.empty()) {
    const std::string_view name = TakeHostName(list);
    const std::string_view service = DnsLabelOf(name, 1);
    const std::string_view third = DnsLabelOf(name, 2);
    const bool here = third.empty() || (third == space && !space.empty());
    // "worker-0.ml" may be the Service worker-0 of the namespace ml.
    if (service.empty() || !here || (third.empty() && service == space && service != subdomain)) {
      placing.is_certain = false;
    } else if (service == subdomain) {
      placing.in_service = true;
      placing.has_own |= DnsLabelOf(name, 0) == spec.Text("hostname");
    } else if (placing.strange.empty()) {
      placing.strange = name;
    }
  }
  return placing;
}

std::optional<Fault> FaultOfService(const Subject& subject, std::string_view list) {
  const k8s::PodSpec& spec = subject.pods.pod.spec;
  if (spec.UsesHostNetwork()) return std::nullopt;
  const Placing placing = Place(subject, list);
  const std::string_view subdomain = spec.Text("subdomain");
  const std::string_view hostname = spec.Text("hostname");
  if (placing.is_certain && !placing.in_service && !placing.strange.empty()) {
    const std::string service(DnsLabelOf(placing.strange, 1));
    const std::string found =
        subdomain.empty() ? "no subdomain" : "the subdomain " + Quoted(subdomain, 63);
    return Fault{
        fmt::format("names {}, but the pod has {}", Quoted(placing.strange, 40),
                    subdomain.empty() ? found : "another subdomain"),
        fmt::format("names {}, but the pod has {}: no Service leads from such names to it",
                    Quoted(placing.strange, 130), found),
        fmt::format("set subdomain to {} (a headless Service that selects the pods), or name "
                    "the workers by theirs",
                    Quoted(service, 63))};
  }
  if (placing.in_service && hostname.empty()) {
    return Fault{"has names that need a hostname, and the pod has none",
                 "has names of a Service and a host, but the pod has no hostname, and so no such "
                 "name",
                 "set hostname to the pod's name (as it stands in the list)"};
  }
  if (placing.is_certain && placing.in_service && !placing.has_own) {
    return Fault{fmt::format("does not have the pod's own name, {}", Quoted(hostname, 40)),
                 fmt::format("does not have the pod's own name, {}: the others never find it",
                             Quoted(hostname, 63)),
                 "name each worker of the slice by its hostname"};
  }
  const workload::IdentityRow* row = workload::IdentityRowOf(subject.pods.pod);
  const std::string service =
      row != nullptr && row->is_ray ? workload::RayServiceOf(subject.pods.pod) : "";
  if (placing.in_service && !service.empty() && service != subdomain) {
    return Fault{"names another Service than KubeRay's",
                 fmt::format("has names in {}, but the headless Service that KubeRay makes for the "
                             "workers is {}: no name resolves",
                             Quoted(subdomain, 63), Quoted(service, 63)),
                 "leave hostname, subdomain and names to tpu-admission, or use a cluster name of "
                 "at most 41 characters"};
  }
  return std::nullopt;
}

// `processes`: of each pod, which may have names of their own. Pods that share one host need not
// know each other.
std::optional<Fault> FaultOfCount(const HostNameList& names, const Slice& slice,
                                  std::int64_t processes) {
  const std::int64_t count = CountHostNames(names.text);
  const bool too_many = HasTooManyNames(count, slice, processes);
  const bool too_few = slice.multi_host() && count < slice.pods;
  if (!too_few && !too_many) return std::nullopt;
  const std::string pods = Counted(slice.pods, "pod");
  const std::string found = fmt::format("has {}, a slice of {} has {}", Counted(count, "name"),
                                        slice.topology.Text(), pods);
  const std::string change =
      too_few           ? fmt::format("name all {} in the order of their numbers", pods)
      : slice.pods == 1 ? fmt::format("remove {}", names.variable)
                        : "name the workers of this slice alone, in the order of their numbers";
  return Fault{found, fmt::format("{}: {}", found, too_few ? kNotFoundByOthers : kAllAreWaitedFor),
               change};
}

std::optional<Fault> FaultOf(const Subject& subject, const HostNameList& names, const Slice& slice,
                             std::int64_t processes) {
  if (!slice.multi_host()) return FaultOfCount(names, slice, processes);
  const std::string_view list = names.text;
  if (names.variable.size() + 1 + list.size() > kLongestVariable) {
    return Fault{"has 128 KiB or more, with which no process starts",
                 "has 128 KiB or more, and Linux starts no process with a variable of that length",
                 "use shorter names, or a smaller slice"};
  }
  if (auto fault = FaultOfForm(list)) return fault;
  if (auto fault = FaultOfCount(names, slice, processes)) return fault;
  return FaultOfService(subject, list);
}

void Check(const Subject& subject, Report& report) {
  if (!subject.is_pod()) return;
  std::optional<Slice> slice;
  int looked_at = 0;
  for (const k8s::Container& container : subject.pods.pod.spec.containers) {
    if (report.full()) return;
    if (!container.Stays() || !workload::UsesTpu(container) || RunsAlone(container)) continue;
    const std::optional<HostNameList> names = HostNamesOf(container);
    if (!names) continue;
    if (++looked_at > kMostProcesses) return;
    if (!slice) slice = subject.SliceOfPods();
    if (!slice) return;
    const std::int64_t processes = ProcessOf(subject, container).of;
    std::optional<Fault> fault = FaultOf(subject, *names, *slice, processes);
    if (!fault) continue;
    report.Add(container, {.pointer = subject.AtEnv(container, names->variable),
                           .summary = fmt::format("{} {}", names->variable, fault->summary),
                           .problem = fault->problem + ".",
                           .change = std::move(fault->change),
                           .decision = "what the workers are called"});
  }
}

}  // namespace tpu805

const Rule kTPU805 = {
    .id = "TPU805",
    .name = "worker-host-names",
    .mode = Mode::kWarn,
    .check = tpu805::Check,
    .keeps_waiting = true,
};

}  // namespace tpu_admission::rules
