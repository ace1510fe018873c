// `tpu-admission webhooks`: what the API server is to send us, worked out from the kind table. The
// chart's files/webhooks.yaml is this output, and a test holds the two against each other.
#include <algorithm>
#include <iostream>
#include <set>
#include <vector>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/settings_loader.h"

namespace tpu_admission::app {
namespace {

using workload::Form;
using workload::Kind;
using workload::PodSetRow;

constexpr std::string_view kHead =
    R"(# What the API server sends to tpu-admission: rules and matchConditions of both webhooks. Written by
# `tpu-admission webhooks` from the kind table: do not edit it here.
#
# A condition is CEL, evaluated in the API server on every object of these rules. So it must be cheap,
# and it must not fail: every step is optional (.?), and each list is gone through once. In custom
# resources a list may also be null: optional.ofNonZeroValue() makes that an empty one. What a
# condition lets through by mistake costs one request; what it holds back is never judged.
mutating:
  # Only pods: a patched template would break the second `kubectl apply`.
  rules:
    - operations: [CREATE, UPDATE]
      apiGroups: [""]
      apiVersions: [v1]
      resources: [pods]
      scope: Namespaced
  matchConditions:
    - &not_of_gke
      name: not-in-a-namespace-of-gke
      expression: |-
        !request.?namespace.orValue("").startsWith("gke-")
    - name: uses-tpus
      expression: |-
        object != null &&
        [object.?spec].exists(spec, spec.optMap(pod,
          ["cloud.google.com/gke-tpu-accelerator", "cloud.google.com/gke-tpu-topology"]
            .exists(label, pod.?nodeSelector[?label].hasValue()) ||
          [pod.?containers, pod.?initContainers, pod.?ephemeralContainers].exists(list,
            list.orValue([]).exists(c,
              [c.?resources.?limits, c.?resources.?requests].exists(amounts,
                amounts.orValue({}).exists(name,
                  name == "google.com/tpu" || name.startsWith("cloud-tpus.google.com/"))))) ||
          pod.?tolerations.orValue([]).exists(t, t.?key.orValue("") == "google.com/tpu") ||
          pod.?resourceClaims.orValue([]).size() > 0 ||
          pod.?affinity.?nodeAffinity.?requiredDuringSchedulingIgnoredDuringExecution
            .?nodeSelectorTerms.orValue([]).exists(term,
              term.?matchExpressions.orValue([]).exists(e,
                e.?operator.orValue("") in ["In", "Exists"] &&
                e.?key.orValue("") in ["cloud.google.com/gke-tpu-accelerator",
                                       "cloud.google.com/gke-tpu-topology"])))
          .orValue(false)) ||
        object.?metadata.?annotations[?"cloud.google.com/gke-tpu-slice-topology"].hasValue()
    # The API server forbids to remove a toleration from a Pod. `kubectl apply` of a Pod that was
    # given ours tries to: it gets it back.
    - name: new-or-losing-the-toleration
      expression: |-
        request.operation == "CREATE" ||
        (oldObject.?spec.?tolerations.orValue([])
           .exists(t, t.?key.orValue("") == "google.com/tpu") &&
         !object.?spec.?tolerations.orValue([])
           .exists(t, t.?key.orValue("") == "google.com/tpu"))
validating:
  # Kinds that are not installed in a cluster do no harm here.
  rules:
)";

constexpr std::string_view kConditions = R"(  matchConditions:
    - *not_of_gke
    # The pod templates of all kinds, wherever they stand, in one list; then one question to each. A
    # template is an object with a spec, or the spec itself.
    - name: uses-tpus
      expression: |-
        object != null && (
)";

constexpr std::string_view kQuestion = R"(          ).exists(template,
            template.?metadata.?annotations[?"cloud.google.com/gke-tpu-slice-topology"].hasValue() ||
            template.?spec.or(template).optMap(pod,
              ["cloud.google.com/gke-tpu-accelerator", "cloud.google.com/gke-tpu-topology"]
                .exists(label, pod.?nodeSelector[?label].hasValue()) ||
              [
                pod.?containers, pod.?initContainers, pod.?ephemeralContainers, pod.?sidecars,
                pod.?containerSet.?containers, pod.?container.optMap(c, dyn([c])),
                pod.?script.optMap(c, dyn([c]))
              ].exists(list, optional.ofNonZeroValue(list.orValue([])).orValue([]).exists(c,
                [c.?resources.?limits, c.?resources.?requests].exists(amounts,
                  optional.ofNonZeroValue(amounts.orValue({})).orValue({}).exists(name,
                    name == "google.com/tpu" || name.startsWith("cloud-tpus.google.com/"))))) ||
              optional.ofNonZeroValue(pod.?tolerations.orValue([])).orValue([])
                .exists(t, t.?key.orValue("") == "google.com/tpu") ||
              optional.ofNonZeroValue(pod.?resourceClaims.orValue([])).orValue([]).size() > 0 ||
              optional.ofNonZeroValue(pod.?affinity.?nodeAffinity
                .?requiredDuringSchedulingIgnoredDuringExecution
                .?nodeSelectorTerms.orValue([])).orValue([])
                .exists(term,
                  optional.ofNonZeroValue(term.?matchExpressions.orValue([])).orValue([])
                    .exists(e,
                    e.?operator.orValue("") in ["In", "Exists"] &&
                    e.?key.orValue("") in ["cloud.google.com/gke-tpu-accelerator",
                                           "cloud.google.com/gke-tpu-topology"])))
              .orValue(false)))
)";

// "v1 v1alpha1" -> "v1, v1alpha1"
std::string Listed(std::string_view words) {
  std::string list;
  for (const char c : words) list += c == ' ' ? std::string(", ") : std::string(1, c);
  return list;
}

// The kinds that are sent: those that have pod sets of their own.
std::vector<const Kind*> SentKinds(const workload::KindTable& kinds) {
  std::vector<const Kind*> sent;
  for (const std::span<const Kind> rows : {workload::Kinds(), kinds.own()}) {
    for (const Kind& kind : rows) {
      if (!kind.pod_sets.empty()) sent.push_back(&kind);
    }
  }
  return sent;
}

// One rule for the kinds that share group, versions and scope.
void PrintRules(const std::vector<const Kind*>& kinds) {
  std::set<const Kind*> done;
  for (const Kind* first : kinds) {
    std::string resources;
    for (const Kind* kind : kinds) {
      const bool together = kind->group == first->group && kind->versions == first->versions &&
                            kind->is_cluster_scoped == first->is_cluster_scoped;
      if (!together || !done.insert(kind).second) continue;
      resources.append(resources.empty() ? "" : ", ").append(kind->resource);
    }
    if (resources.empty()) continue;
    std::cout << "    - operations: [CREATE, UPDATE]\n      apiGroups: ["
              << (first->group.empty() ? "\"\"" : first->group) << "]\n      apiVersions: ["
              << Listed(first->versions) << "]\n      resources: [" << resources
              << "]\n      scope: " << (first->is_cluster_scoped ? "Cluster" : "Namespaced")
              << "\n";
  }
}

// "spec/template" -> "object.?spec.?template"
std::string Steps(std::string_view base, std::string_view path) {
  std::string steps(base);
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    steps.append(".?").append(path.substr(0, slash));
    path = slash == path.npos ? std::string_view() : path.substr(slash + 1);
  }
  return steps;
}

// The path of what is below a "[]" or "{}".
std::string_view Below(std::string_view path, std::size_t mark) {
  return mark + 3 <= path.size() ? path.substr(mark + 3) : std::string_view();
}

// The templates at `path`, as an element of a CEL list of optionals ("one"), or as a list of them.
struct Templates {
  std::string one;
  std::string list;
};

Templates TemplatesAt(std::string_view path) {
  if (path.empty()) return {"optional.of(object)", ""};
  const std::size_t mark = path.find_first_of("[{");
  if (mark == path.npos) return {Steps("object", path), ""};
  const std::string holder = Steps("object", path.substr(0, mark));
  const std::string_view below = Below(path, mark);
  if (path[mark] == '[') {
    return {"", "optional.ofNonZeroValue(" + holder + ".orValue([])).orValue([])\n" +
                    "              .map(e, " +
                    (below.empty() ? "optional.of(e)" : Steps("e", below)) + ")"};
  }
  std::string plain = "object." + std::string(path.substr(0, mark));
  std::replace(plain.begin(), plain.end(), '/', '.');
  return {"", "optional.ofNonZeroValue(" + holder + ".orValue({})).orValue({})\n" +
                  "              .map(key, " + Steps(plain + "[key]", below) + ")"};
}

// What a workflow says for all its templates stands in the object that holds their list.
std::string_view WorkflowOf(std::string_view path) {
  const std::string_view holder = path.substr(0, path.rfind('/'));
  return holder == "spec" ? std::string_view() : holder;  // the object itself has a spec
}

// Every object of the user's kinds is sent: their conditions would be as long as all the others.
void PrintWholeKinds(std::span<const Kind> own) {
  std::cout << "          request.kind.kind == \"PathwaysJob\" ||\n";
  for (const Kind& kind : own) {
    std::cout << "          (request.kind.group == \"" << kind.group
              << "\" && request.kind.kind == \"" << kind.name << "\") ||\n";
  }
}

constexpr std::string_view kChoices =
    R"(          optional.ofNonZeroValue(object.?spec.?priorities.orValue([])).orValue([])
            .exists(p, p.?tpu.hasValue()) ||
          ["cloud.google.com/gke-tpu-accelerator", "cloud.google.com/gke-tpu-topology"]
            .exists(label, object.?spec.?nodeLabels[?label].hasValue()) ||
          (request.kind.group == "resource.k8s.io" &&
            [object.?spec.?devices.?requests, object.?spec.?spec.?devices.?requests].exists(list,
              optional.ofNonZeroValue(list.orValue([])).orValue([]).exists(r,
                r.?exactly.?deviceClassName.or(r.?deviceClassName).orValue("") ==
                  "tpu.google.com"))) ||
          (
            [
)";

void PrintTemplates() {
  std::vector<std::string> ones;
  std::vector<std::string> lists;
  const auto add = [](std::vector<std::string>& to, std::string text) {
    if (!text.empty() && std::find(to.begin(), to.end(), text) == to.end()) {
      to.push_back(std::move(text));
    }
  };
  for (const Kind& kind : workload::Kinds()) {
    for (const PodSetRow& row : kind.pod_sets) {
      if (row.form > Form::kArgoTemplate) continue;  // the choices have questions of their own
      Templates templates = TemplatesAt(row.path);
      add(ones, std::move(templates.one));
      add(lists, std::move(templates.list));
      if (row.form == Form::kArgoTemplate) add(ones, TemplatesAt(WorkflowOf(row.path)).one);
    }
  }
  for (std::size_t i = 0; i < ones.size(); ++i) {
    std::cout << "              " << ones[i] << (i + 1 < ones.size() ? ",\n" : "\n");
  }
  std::cout << "            ]";
  for (const std::string& list : lists) std::cout << " +\n            " << list;
  std::cout << "\n";
}

}  // namespace

int ShowWebhooks(const WebhooksOptions& options) {
  EngineOptions engine;
  engine.policy_file = options.policy_file;
  auto settings = SettingsLoader(engine, "").Load();
  if (!settings) {
    std::cerr << "tpu-admission: " << settings.error().message << '\n';
    return kCannotRun;
  }
  const workload::KindTable& kinds = (*settings)->policy.kinds();
  std::cout << kHead;
  PrintRules(SentKinds(kinds));
  std::cout << kConditions;
  PrintWholeKinds(kinds.own());
  std::cout << kChoices;
  PrintTemplates();
  std::cout << kQuestion;
  return kDone;
}

}  // namespace tpu_admission::app
