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

Judged Judge(std::string_view yaml, const Cluster& cluster, std::span<const Rule* const> rules) {
  auto documents = ParseYaml(yaml);
  if (documents) std::erase_if(*documents, IsService);
  if (!documents || documents->size() != 1) {
    ADD_FAILURE() << (documents ? "wanted one document" : documents.error().message);
    return {};
  }
  k8s::JsonParser parser;
  k8s::Arena arena;
  const k8s::JsonView object = parser.Parse(documents->front().json).value();
  const auto workload = workload::ReadWorkload({}, k8s::GvkOf(object), object, arena);
  if (!workload) {
    ADD_FAILURE() << workload.error().message;
    return {};
  }
  const Engine engine(TestCatalog(), cluster, rules);
  return {engine.Evaluate(*workload).findings, engine.Fixes(*workload)};
}

}  // namespace tpu_admission::rules
