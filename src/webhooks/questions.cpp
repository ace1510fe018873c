#include "webhooks/questions.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "tpu_admission/workload/chips.h"
#include "tpu_admission/workload/node_selection.h"
#include "webhooks/paths.h"

namespace tpu_admission::webhooks {
namespace {

using workload::Form;
using workload::Kind;
using workload::PodSetRow;

constexpr std::string_view kSelectsOrAsks =
    R"(            template.?metadata.?annotations[?"cloud.google.com/gke-tpu-slice-topology"].hasValue() ||
            template.?spec.or(template).optMap(pod,
              [$LABELS]
                .exists(label, pod.?nodeSelector[?label].hasValue()) ||
              [
                pod.?containers, pod.?initContainers, pod.?ephemeralContainers, pod.?sidecars,
                pod.?containerSet.?containers, pod.?container.optMap(c, dyn([c])),
                pod.?script.optMap(c, dyn([c])), pod.?model.optMap(c, dyn([c])),
                pod.?huggingface.optMap(c, dyn([c])), pod.?pytorch.optMap(c, dyn([c])),
                pod.?tensorflow.optMap(c, dyn([c])), pod.?triton.optMap(c, dyn([c]))
              ].exists(list, optional.ofNonZeroValue(list.orValue([])).orValue([]).exists(c,
                [c.?resources.?limits, c.?resources.?requests].exists(amounts,
                  optional.ofNonZeroValue(amounts.orValue({})).orValue({}).exists(name,
                    name == "$CHIPS" || name.startsWith("cloud-tpus.google.com/"))))) ||
)";

constexpr std::string_view kTolerates =
    R"(              optional.ofNonZeroValue(pod.?tolerations.orValue([])).orValue([])
                .exists(t, t.?key.orValue("") == "$CHIPS") ||
)";

constexpr std::string_view kAffinity =
    R"(              optional.ofNonZeroValue(pod.?affinity.?nodeAffinity
                .?requiredDuringSchedulingIgnoredDuringExecution
                .?nodeSelectorTerms.orValue([])).orValue([])
                .exists(term,
                  optional.ofNonZeroValue(term.?matchExpressions.orValue([])).orValue([])
                    .exists(e,
                    e.?operator.orValue("") in ["In", "Exists"] &&
                    e.?key.orValue("") in [$LABELS])))
              .orValue(false))";

constexpr std::string_view kAsksForTpus = R"(].exists(list,
              optional.ofNonZeroValue(list.orValue([])).orValue([]).exists(r,
                r.?exactly.?deviceClassName.or(r.?deviceClassName).orValue("") ==
                  "tpu.google.com"))) ||
)";

void Replace(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// The keys and names as the rules know them, in the places that are left for them.
std::string Filled(std::string text) {
  const std::string labels = "\"" + std::string(Key(workload::NodeLabel::kAccelerator)) + "\", \"" +
                             std::string(Key(workload::NodeLabel::kTopology)) + "\"";
  Replace(text, "$LABELS", labels);
  Replace(text, "$CHIPS", workload::kTpuResource);
  return text;
}

bool HoldsPods(Form form) {
  switch (form) {
    case Form::kPod:
    case Form::kPodSpec:
    case Form::kArgoTemplate:
    case Form::kFlinkTemplate:
    case Form::kKserve:
      return true;
    case Form::kNodeLabels:
    case Form::kTpuPriority:
    case Form::kPathwaysWorker:
    case Form::kKubeAiModel:
    case Form::kDeviceClaim:
      return false;
  }
  return false;
}

std::string WholeKind(const Kind& kind) {
  return "(request.kind.group == \"" + std::string(kind.group) + "\" && request.kind.kind == \"" +
         std::string(kind.name) + "\")";
}

// "spec/priorities[]": does any element have TPUs?
std::string AnyHasTpus(std::string_view path) {
  return PlacesAt(std::string(path) + "/tpu").list + ".exists(place, place.hasValue())";
}

std::string Question(const Kind& kind, const PodSetRow& row) {
  switch (row.form) {
    case Form::kNodeLabels:
      return "[$LABELS]\n            .exists(label, " + Steps("object", row.path) +
             "[?label].hasValue())";
    case Form::kTpuPriority:
      return AnyHasTpus(row.path);
    case Form::kKubeAiModel:
      return "(" + WholeKind(kind) + " &&\n            [" + Steps("object", row.path) +
             ".?resourceProfile.orValue(\"\")]\n              .exists(name, type(name) == string "
             "&& "
             "name.startsWith(\"google-tpu-\")))";
    case Form::kPathwaysWorker:
      return WholeKind(kind);
    default:
      return "";  // holds pods, or is asked about with all claims
  }
}

// The lists of requests of all claims: one question to them.
std::string AboutClaims() {
  std::string lists;
  std::string_view group;
  for (const Kind& kind : workload::Kinds()) {
    for (const PodSetRow& row : kind.pod_sets) {
      if (row.form != Form::kDeviceClaim) continue;
      group = kind.group;
      lists += (lists.empty() ? "" : ", ") + Steps("object", row.path) + ".?devices.?requests";
    }
  }
  return "          (request.kind.group == \"" + std::string(group) + "\" &&\n            [" +
         lists + std::string(kAsksForTpus);
}

// What a workflow says for all its templates stands in the object that holds their list.
std::string_view WorkflowOf(std::string_view path) {
  const std::string_view holder = path.substr(0, path.rfind('/'));
  return holder == "spec" ? std::string_view() : holder;  // the object itself has a spec
}

void AddNew(std::vector<std::string>& to, std::string text) {
  if (text.empty() || std::find(to.begin(), to.end(), text) != to.end()) return;
  to.push_back(std::move(text));
}

}  // namespace

std::string AboutTemplate(Guests guests) {
  std::string question(kSelectsOrAsks);
  if (guests == Guests::kAskedFor) question += kTolerates;
  return Filled(question.append(kAffinity));
}

std::string AboutOwnKinds(const workload::KindTable& kinds, std::string_view indent) {
  std::string questions;
  for (const Kind& own : kinds.own()) questions.append(indent).append(WholeKind(own) + " ||\n");
  return questions;
}

std::string AboutChoices() {
  std::string questions;
  for (const Kind& kind : workload::Kinds()) {
    for (const PodSetRow& row : kind.pod_sets) {
      const std::string question = Question(kind, row);
      if (!question.empty()) questions += "          " + question + " ||\n";
    }
  }
  return Filled(questions + AboutClaims());
}

std::string AllTemplates() {
  std::vector<std::string> ones;
  std::vector<std::string> lists;
  for (const Kind& kind : workload::Kinds()) {
    for (const PodSetRow& row : kind.pod_sets) {
      if (!HoldsPods(row.form)) continue;
      Places places = PlacesAt(row.path);
      AddNew(ones, std::move(places.one));
      AddNew(lists, std::move(places.list));
      if (row.form == Form::kArgoTemplate) AddNew(ones, PlacesAt(WorkflowOf(row.path)).one);
    }
  }
  std::string text = "            [\n";
  for (std::size_t i = 0; i < ones.size(); ++i) {
    text += "              " + ones[i] + (i + 1 < ones.size() ? ",\n" : "\n");
  }
  text += "            ]";
  for (const std::string& list : lists) text += " +\n            " + list;
  return text + "\n";
}

}  // namespace tpu_admission::webhooks
