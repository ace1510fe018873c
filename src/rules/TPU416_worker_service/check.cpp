#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/companions.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::rules {
namespace tpu416 {

using workload::Counting;

// What names the Service of the workers: its field, and its name; empty where the kind makes one.
struct Naming {
  std::string pointer;
  std::string_view service;
};

Naming NamingOf(const Subject& subject) {
  const workload::PodSet& pods = subject.pods;
  if (pods.scale.counting == Counting::kReplicas) return {"/spec/serviceName", pods.scale.service};
  const bool is_job = pods.scale.counting == Counting::kJob && !pods.row->always_indexed;
  return is_job ? Naming{subject.AtSpec("/subdomain"), pods.pod.spec.Text("subdomain")} : Naming();
}

// The label of the pods, as written or as the Job's controller writes it; nothing: they have none.
std::optional<std::string_view> LabelOf(const Subject& subject, std::string_view key) {
  const bool is_of_job = key == workload::kOldJobName || key == workload::kJobName;
  if (is_of_job && subject.workload.kind->name == "Job") return subject.workload.metadata.name;
  return subject.pods.pod.metadata.labels.Find(key);
}

// Controllers write labels too, and templates say what is not known yet.
bool IsUnknown(const Subject& subject, const std::string& key, const std::string& wanted) {
  const auto label = LabelOf(subject, key);
  if (workload::IsPlaceholder(wanted)) return true;
  if (label) return label->empty() || workload::IsPlaceholder(*label);
  return key.find('/') != key.npos || key == workload::kOldJobName || key.ends_with("-uid") ||
         key.ends_with("-hash");
}

// "the workers on the 4 hosts of 4x4"
std::string Workers(const Slice& slice) {
  return fmt::format("the workers on the {} of {}", Counted(slice.hosts, "host"),
                     slice.topology.Text());
}

void CheckSelector(const Subject& subject, const Naming& naming, const workload::Service& service,
                   const Slice& slice, Report& report) {
  const std::string name = Quoted(naming.service);
  const std::string kind(subject.workload.kind->name);
  for (const auto& [key, wanted] : service.selector) {
    const auto label = LabelOf(subject, key);
    if (label == wanted || IsUnknown(subject, key, wanted)) continue;
    const std::string selected = fmt::format("{}: {}", Printable(key), Quoted(wanted));
    report.Add({.pointer = naming.pointer,
                .part = key,
                .summary = fmt::format("Service {} does not select the pods, by {}", Cut(name, 40),
                                       Cut(Printable(key), 40)),
                .problem = fmt::format(
                    "is {}, a Service of this file that selects pods with {}, but the pods of this "
                    "{} have {}. So it knows none of them: DNS has no names for {}, and each waits "
                    "for the others for ever.",
                    name, selected, kind, label ? Quoted(*label) : "no such label", Workers(slice)),
                .change = label ? fmt::format("set {} in the selector of the Service to {}",
                                              Printable(key), Quoted(*label))
                                : fmt::format("give the pods the label {}, or take it from the "
                                              "selector of the Service",
                                              selected),
                .decision = "which pods the Service is to select"});
  }
}

void Check(const Subject& subject, Report& report) {
  if (subject.workload.companions == nullptr) return;
  const Naming naming = NamingOf(subject);
  if (naming.service.empty()) return;
  const workload::Service* service = subject.workload.companions->FindService(
      subject.workload.metadata.namespace_name, naming.service);
  const std::optional<Slice> slice = service == nullptr ? std::nullopt : subject.MultiHostSlice();
  if (!slice) return;
  CheckSelector(subject, naming, *service, *slice, report);
  if (service->is_headless) return;
  const std::string name = Quoted(naming.service);
  report.Add(
      {.pointer = naming.pointer,
       .part = "clusterIP",
       .summary = fmt::format("Service {} is not headless: workers have no names", Cut(name, 40)),
       .problem = fmt::format(
           "is {}, a Service of this file that is not headless: it has one address for all pods. "
           "DNS knows single pods by name only where clusterIP is None, so {} do not find each "
           "other, and each waits for ever.",
           name, Workers(*slice)),
       .change = "set clusterIP of the Service to None, and publishNotReadyAddresses to true",
       .decision = "what else the Service is for"});
}

}  // namespace tpu416

const Rule kTPU416 = {
    .id = "TPU416",
    .name = "worker-service",
    .mode = Mode::kWarn,
    .judges_counts = true,
    .check = tpu416::Check,
    .keeps_waiting = true,
};

}  // namespace tpu_admission::rules
