#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::rules {
namespace tpu418 {

using k8s::JsonView;
using k8s::StringMap;

// Of terms, of what a term requires, and of the values of that: nobody writes more.
constexpr std::size_t kMost = 16;
constexpr std::size_t kMostLabels = 64;
constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
// What the hosts of a slice have in common.
constexpr std::array kOfSlice = {workload::kGkeNodePool, workload::kZoneLabel,
                                 workload::kRegionLabel, workload::kGkeTpuAccelerator,
                                 workload::kGkeTpuTopology};

// A controller writes it, whatever the template says.
bool IsOfController(std::string_view key) {
  constexpr std::array kNames = {workload::kOldJobName, std::string_view("controller-uid"),
                                 std::string_view("pod-template-hash"),
                                 std::string_view("controller-revision-hash")};
  constexpr std::array kDomains = {
      std::string_view("batch.kubernetes.io/"),       std::string_view("apps.kubernetes.io/"),
      std::string_view("statefulset.kubernetes.io/"), std::string_view("ray.io/"),
      std::string_view("training.kubeflow.org/"),     std::string_view("volcano.sh/")};
  return std::find(kNames.begin(), kNames.end(), key) != kNames.end() ||
         key.find("x-k8s.io/") != key.npos || key.find("sigs.k8s.io/") != key.npos ||
         std::any_of(kDomains.begin(), kDomains.end(),
                     [&](std::string_view domain) { return key.starts_with(domain); });
}

// The value of the pods' own label, as far as the template decides it.
std::optional<std::string_view> OwnLabel(const StringMap& labels, std::string_view key) {
  if (IsOfController(key)) return std::nullopt;
  const std::optional<std::string_view> value = labels.Find(key);
  return value && !workload::IsPlaceholder(*value) ? value : std::nullopt;
}

bool HoldsExpression(JsonView expression, const StringMap& labels) {
  const auto own = OwnLabel(labels, expression["key"].StringOr(""));
  const std::string_view op = expression["operator"].StringOr("");
  if (!own) return false;  // of what is not there a controller may decide
  if (op == "Exists") return true;
  const JsonView values = expression["values"];
  if (values.size() > kMost) return false;
  bool has = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string_view value = values.Element(i).StringOr("");
    if (workload::IsPlaceholder(value)) return false;
    has = has || value == *own;
  }
  return (op == "In" && has) || (op == "NotIn" && !has);
}

// The first label by which the selector surely selects the pods themselves; empty: by none.
std::string_view SelectsBy(JsonView selector, const StringMap& labels) {
  const JsonView equal = selector["matchLabels"];
  const JsonView expressions = selector["matchExpressions"];
  if (equal.size() > kMost || expressions.size() > kMost) return {};
  std::string_view by;
  for (std::size_t i = 0; i < equal.size(); ++i) {
    const auto own = OwnLabel(labels, equal.MemberKey(i));
    if (!own || own != equal.Member(i).AsString()) return {};
    if (by.empty()) by = equal.MemberKey(i);
  }
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    if (!HoldsExpression(expressions.Element(i), labels)) return {};
    if (by.empty()) by = expressions.Element(i)["key"].StringOr("");
  }
  return by;
}

// A term that surely selects the pods themselves.
struct Term {
  std::string pointer;  // of its topologyKey
  std::string_view key;
  std::string_view label;
};

template <typename Judge>
void ForEachTerm(const Subject& subject, JsonView affinity, std::string_view member, Judge judge) {
  const JsonView terms = affinity[member][kRequired];
  const StringMap& labels = subject.pods.pod.metadata.labels;
  if (terms.size() > kMost || labels.size() > kMostLabels) return;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const JsonView term = terms.Element(i);
    if (term["namespaceSelector"].has_value() || term["namespaces"].size() > 0) continue;
    if (term["matchLabelKeys"].size() > 0 || term["mismatchLabelKeys"].size() > 0) continue;
    const std::string_view label = SelectsBy(term["labelSelector"], labels);
    if (label.empty()) continue;
    std::string pointer = subject.AtSpec("/affinity/");
    pointer.append(member).append("/").append(kRequired);
    judge(Term{PointerBelow(std::move(pointer), i) + "/topologyKey",
               term["topologyKey"].StringOr(""), label});
  }
}

// "is kubernetes.io/hostname, and the term selects the pods themselves by their label app"
std::string Found(const Term& term) {
  return fmt::format("is {}, and the term selects the pods themselves by their label {}",
                     Printable(term.key), Quoted(term.label));
}

// Each pod takes a host, and so none has room for two.
bool TakeHosts(const Subject& subject, const Slice& slice) {
  return slice.pods == slice.hosts &&
         subject.pods.chips_per_pod * slice.pods == slice.topology.chips();
}

// All on the node of the first.
void CheckTogether(const Subject& subject, const Slice& slice, const Term& term, Report& report) {
  const bool is_one_slice = subject.pods.scale.all_tpu_pods() == slice.pods;
  const bool may_name_pool = subject.cluster.platform == Platform::kStandard;
  Finding finding = {
      .pointer = term.pointer,
      .part = "podAffinity",
      .summary = "the pods require each other on one node, which has room for one",
      .problem = fmt::format(
          "{}: each is to be on a node where another is. The first takes all {} of its node, so "
          "the other {} of {} slice stay Pending for ever.",
          Found(term), Counted(subject.pods.chips_per_pod, "chip"), Counted(slice.pods - 1, "pod"),
          WithArticle(slice.topology.Text()))};
  if (is_one_slice && may_name_pool) {
    finding.edits = {{term.pointer, std::string(workload::kGkeNodePool)}};
    finding.change = ", or remove the term";
  } else {
    finding.change = "remove the term: what keeps the pods of a slice together is a node pool";
    finding.decision = "what the affinity is to keep together";
  }
  report.Add(std::move(finding));
}

// All slices in the node pool of the first, which is one.
void CheckOnePool(const Subject& subject, const Slice& slice, const Term& term, Report& report) {
  const std::int64_t pods = subject.pods.scale.all_tpu_pods().value_or(0);
  if (pods <= slice.pods || subject.shape.generation->dynamic_slicing) return;
  if (subject.pods.SliceTopology()) return;
  // Of fewer chips more pods may fit.
  if (subject.pods.chips_per_pod * slice.pods < slice.topology.chips()) return;
  report.Add(
      {.pointer = term.pointer,
       .part = "podAffinity",
       .summary = fmt::format("the pods require one node pool for all, which holds {} of {}",
                              slice.pods, pods),
       .problem = fmt::format(
           "{}: all {} are to be in one node pool. In GKE a node pool of {} is exactly one slice "
           "of {}, so the other {} stay Pending.",
           Found(term), Counted(pods, "pod"), slice.topology.Text(), Counted(slice.hosts, "host"),
           pods - slice.pods),
       .change = "let the term select the pods of one slice alone, or let exclusive-topology of "
                 "JobSet or LeaderWorkerSet keep them together",
       .decision = "which label tells the slices apart"});
}

// No two in what all hosts of a slice have in common.
void CheckApart(const Subject& subject, const Slice& slice, const Term& term, Report& report) {
  Finding finding = {
      .pointer = term.pointer,
      .part = "podAntiAffinity",
      .summary = fmt::format("the pods of a slice keep each other out of it, by {}",
                             Cut(Printable(term.key), 40)),
      .problem = fmt::format(
          "{}: no two of them may be where this label is the same. The {} of {} slice all have the "
          "same, so one pod gets a place, and the others stay Pending for ever.",
          Found(term), Counted(slice.hosts, "host"), WithArticle(slice.topology.Text()))};
  if (TakeHosts(subject, slice)) {
    finding.edits = {{term.pointer, std::string(workload::kHostNameLabel)}};
    finding.change = ", or remove the term: each pod takes all chips of a host anyhow";
  } else {
    finding.change = "remove the term";
    finding.decision = "what the term is to keep apart";
  }
  report.Add(std::move(finding));
}

// No two on a host, where several are to share it.
void CheckShared(const Subject& subject, const Slice& slice, const Term& term, Report& report) {
  if (slice.pods <= slice.hosts) return;
  const std::string hosts = Counted(slice.hosts, "host");
  report.Add(
      {.pointer = term.pointer,
       .part = "podAntiAffinity",
       .summary = fmt::format("the pods keep each other off the {} that they share", hosts),
       .problem = fmt::format(
           "{}: no two of them may be on one node. But they ask for {} each, and {} of them fill "
           "the {} of {} slice. Only {} get a place on it, and it begins when all run.",
           Found(term), Counted(subject.pods.chips_per_pod, "chip"), slice.pods, hosts,
           WithArticle(slice.topology.Text()), Counted(slice.hosts, "pod")),
       .change = "remove the term",
       .decision = "what the term is to keep apart"});
}

void Check(const Subject& subject, Report& report) {
  const JsonView affinity = subject.pods.pod.spec.json["affinity"];
  const JsonView together = affinity["podAffinity"];
  const JsonView apart = affinity["podAntiAffinity"];
  if ((!together.is_object() && !apart.is_object()) || subject.OwnPods() < 2) return;
  if (subject.cluster.platform == Platform::kSelfManaged) return;  // whose nodes have other labels
  const std::optional<Slice> slice = subject.MultiHostSlice();
  if (!slice) return;
  ForEachTerm(subject, affinity, "podAffinity", [&](const Term& term) {
    if (term.key == workload::kGkeNodePool) CheckOnePool(subject, *slice, term, report);
    if (term.key != workload::kHostNameLabel || !TakeHosts(subject, *slice)) return;
    CheckTogether(subject, *slice, term, report);
  });
  ForEachTerm(subject, affinity, "podAntiAffinity", [&](const Term& term) {
    if (term.key == workload::kHostNameLabel) CheckShared(subject, *slice, term, report);
    if (std::find(kOfSlice.begin(), kOfSlice.end(), term.key) == kOfSlice.end()) return;
    // One that is made of blocks has several node pools.
    if (term.key == workload::kGkeNodePool && subject.pods.SliceTopology()) return;
    CheckApart(subject, *slice, term, report);
  });
}

}  // namespace tpu418

const Rule kTPU418 = {
    .id = "TPU418",
    .name = "affinity-to-itself",
    .mode = Mode::kWarn,
    .judges_counts = true,
    .check = tpu418::Check,
    .keeps_pending = true,
};

}  // namespace tpu_admission::rules
