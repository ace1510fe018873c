#include "unit/rules/judge.h"

#include <gtest/gtest.h>

#include "support/yaml_json.h"

namespace tpu_admission::rules {
namespace {

bool IsService(const YamlJson& document) {
  k8s::JsonParser parser;
  const auto object = parser.Parse(document.json);
  return object && k8s::GvkOf(*object).group.empty() && k8s::GvkOf(*object).kind == "Service";
}

}  // namespace

std::shared_ptr<const tpu::Catalog> TestCatalog() {
  static const auto catalog = tpu::Catalog::Load(tpu::BuiltInCatalogText(), "built-in").value();
  return catalog;
}

namespace {

// The one object in `yaml` that is no Service.
k8s::JsonView Read(std::string_view yaml, k8s::JsonParser& parser, std::string& json) {
  auto documents = ParseYaml(yaml);
  if (documents) std::erase_if(*documents, IsService);
  if (!documents || documents->size() != 1) {
    ADD_FAILURE() << (documents ? "wanted one document" : documents.error().message);
    return {};
  }
  json = documents->front().json;
  return parser.Parse(json).value();
}

std::optional<workload::Workload> WorkloadOf(k8s::JsonView object, k8s::Arena& arena) {
  const auto workload = workload::ReadWorkload({}, k8s::GvkOf(object), object, arena);
  if (!workload) ADD_FAILURE() << workload.error().message;
  return workload ? std::optional(*workload) : std::nullopt;
}

}  // namespace

Judged Judge(std::string_view yaml, const Cluster& cluster, std::span<const Rule* const> rules) {
  k8s::JsonParser parser;
  k8s::Arena arena;
  std::string json;
  const auto workload = WorkloadOf(Read(yaml, parser, json), arena);
  if (!workload) return {};
  const Engine engine(TestCatalog(), cluster, rules);
  return {engine.Evaluate(*workload).findings, engine.Fixes(*workload)};
}

std::vector<std::string> LeftByTheirEdits(std::string_view yaml, const Cluster& cluster) {
  k8s::JsonParser parser;
  k8s::Arena arena;
  std::string json;
  const k8s::JsonView object = Read(yaml, parser, json);
  const auto workload = WorkloadOf(object, arena);
  const Engine engine(TestCatalog(), cluster);
  std::vector<std::string> left;
  for (const Finding& finding : engine.Evaluate(workload.value()).findings) {
    if (finding.edits.empty()) continue;
    const auto edited = WorkloadOf(k8s::Edited(object, finding.edits, arena), arena);
    for (const Finding& other : engine.Evaluate(edited.value()).findings) {
      if (other.fault() == finding.fault()) {
        left.push_back(std::string(finding.rule->id) + ": " + finding.Change());
      }
    }
  }
  return left;
}

}  // namespace tpu_admission::rules
