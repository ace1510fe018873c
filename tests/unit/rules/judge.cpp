#include "unit/rules/judge.h"

#include <gtest/gtest.h>

#include "support/yaml_json.h"
#include "tpu_admission/workload/companions.h"

namespace tpu_admission::rules {

std::shared_ptr<const tpu::Catalog> TestCatalog() {
  static const auto catalog = tpu::Catalog::Load(tpu::BuiltInCatalogText(), "built-in").value();
  return catalog;
}

namespace {

// A manifest, and what stands beside it.
struct File {
  k8s::JsonParser parser;
  std::string json;
  k8s::JsonView object;
  workload::Companions companions;
};

// The one object in `yaml` that is no Service.
void Read(std::string_view yaml, File& file) {
  auto documents = ParseYaml(yaml);
  if (!documents) {
    ADD_FAILURE() << documents.error().message;
    return;
  }
  std::erase_if(*documents, [&](const YamlJson& document) {
    const k8s::JsonView object = file.parser.Parse(document.json).value();
    const k8s::GroupVersionKind gvk = k8s::GvkOf(object);
    const bool is_service = gvk.group.empty() && gvk.kind == "Service";
    if (is_service) file.companions.Add(gvk, object);
    return is_service;
  });
  if (documents->size() != 1) {
    ADD_FAILURE() << "wanted one document";
    return;
  }
  file.json = documents->front().json;
  file.object = file.parser.Parse(file.json).value();
}

std::optional<workload::Workload> WorkloadOf(k8s::JsonView object, const File& file,
                                             k8s::Arena& arena) {
  auto workload = workload::ReadWorkload({}, k8s::GvkOf(object), object, arena);
  if (!workload) {
    ADD_FAILURE() << workload.error().message;
    return std::nullopt;
  }
  workload->companions = &file.companions;
  return *workload;
}

}  // namespace

Judged Judge(std::string_view yaml, const Cluster& cluster, std::span<const Rule* const> rules) {
  File file;
  Read(yaml, file);
  k8s::Arena arena;
  const auto workload = WorkloadOf(file.object, file, arena);
  if (!workload) return {};
  const Engine engine(TestCatalog(), cluster, rules);
  return {engine.Evaluate(*workload).findings, engine.Fixes(*workload)};
}

std::vector<std::string> LeftByTheirEdits(std::string_view yaml, const Cluster& cluster) {
  File file;
  Read(yaml, file);
  k8s::Arena arena;
  const auto workload = WorkloadOf(file.object, file, arena);
  const Engine engine(TestCatalog(), cluster);
  std::vector<std::string> left;
  for (const Finding& finding : engine.Evaluate(workload.value()).findings) {
    if (finding.edits.empty()) continue;
    const auto edited = WorkloadOf(k8s::Edited(file.object, finding.edits, arena), file, arena);
    for (const Finding& other : engine.Evaluate(edited.value()).findings) {
      if (other.fault() == finding.fault()) {
        left.push_back(std::string(finding.rule->id) + ": " + finding.Change());
      }
    }
  }
  return left;
}

}  // namespace tpu_admission::rules
