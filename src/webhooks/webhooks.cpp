#include "tpu_admission/webhooks/webhooks.h"

#include <set>
#include <string_view>
#include <vector>

#include "webhooks/questions.h"

namespace tpu_admission::webhooks {
namespace {

using workload::Kind;

constexpr std::string_view kHead =
    R"(# What the API server sends to tpu-admission: rules and matchConditions of both webhooks. Written by
# `tpu-admission webhooks` from the kind table: do not edit it here.
#
# A condition is CEL, evaluated in the API server on every object of these rules. So it must be cheap,
# and not fail on what the schema of a kind lets in: every step is optional (.?), and each list is gone
# through once. In custom resources a list may also be null: optional.ofNonZeroValue() makes that an
# empty one. (CEL cannot ask for the type of each step at this price. Where the schema lets anything in,
# as those of Argo's minimal CRDs do, a list in the place of a map fails the condition, and with
# failurePolicy Fail the API server refuses that object.) What a
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
    # Not those that only tolerate TPU nodes: there is nothing to add to them.
    - name: uses-tpus
      expression: |-
        object != null &&
          [optional.of(object)].exists(template,
)";

constexpr std::string_view kLosingTheToleration = R"()
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

// The server lets both through without a look (SamePodsAndCounts()): of built-in kinds all that it
// looks at stands in the spec, or is the template of a PodTemplate.
constexpr std::string_view kConditions = R"(  matchConditions:
    - *not_of_gke
    # What these two hold back is allowed without a look, so nobody has to be there to say so: with
    # failurePolicy Fail and no server, too, pods lose their finalizers and what runs can end.
    - name: not-being-deleted
      expression: |-
        request.operation != "UPDATE" || !object.?metadata.?deletionTimestamp.hasValue()
    - name: new-or-with-another-spec
      expression: |-
)";

constexpr std::string_view kUsesTpus =
    R"(        request.operation != "UPDATE" ||
        object.?spec != oldObject.?spec || object.?template != oldObject.?template
    # The pod templates of all kinds, wherever they stand, in one list; then one question to each. A
    # template is an object with a spec, or the spec itself.
    - name: uses-tpus
      expression: |-
        object != null && (
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

std::string Rule(const Kind& kind, const std::string& resources) {
  const std::string group(kind.group.empty() ? "\"\"" : kind.group);
  return "    - operations: [CREATE, UPDATE]\n      apiGroups: [" + group +
         "]\n      apiVersions: [" + Listed(kind.versions) + "]\n      resources: [" + resources +
         "]\n      scope: " + (kind.is_cluster_scoped ? "Cluster" : "Namespaced") + "\n";
}

// One rule for the kinds that share group, versions and scope.
std::string Rules(const std::vector<const Kind*>& kinds) {
  std::string rules;
  std::set<const Kind*> done;
  for (const Kind* first : kinds) {
    std::string resources;
    for (const Kind* kind : kinds) {
      const bool together = kind->group == first->group && kind->versions == first->versions &&
                            kind->is_cluster_scoped == first->is_cluster_scoped;
      if (!together || !done.insert(kind).second) continue;
      resources.append(resources.empty() ? "" : ", ").append(kind->resource);
    }
    if (!resources.empty()) rules += Rule(*first, resources);
  }
  return rules;
}

}  // namespace

std::string Configuration(const workload::KindTable& kinds) {
  return std::string(kHead)
      .append(AboutTemplate(Guests::kLeftOut))
      .append(kLosingTheToleration)
      .append(Rules(SentKinds(kinds)))
      .append(kConditions)
      .append(AboutOwnKinds(kinds, "        "))
      .append(kUsesTpus)
      .append(AboutOwnKinds(kinds, "          "))
      .append(AboutChoices())
      .append("          (\n")
      .append(AllTemplates())
      .append("          ).exists(template,\n")
      .append(AboutTemplate(Guests::kAskedFor))
      .append("))\n");
}

}  // namespace tpu_admission::webhooks
