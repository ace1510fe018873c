#include "unit/rules/judge.h"

#include <gtest/gtest.h>

#include "tpu_admission/base/yaml.h"

namespace tpu_admission::rules {
namespace {

k8s::GroupVersionKind GvkOf(k8s::JsonView object) {
  const std::string_view api_version = object["apiVersion"].StringOr("");
  const std::size_t slash = api_version.find('/');
  const std::string_view kind = object["kind"].StringOr("");
  if (slash == api_version.npos) return {"", api_version, kind};
  return {api_version.substr(0, slash), api_version.substr(slash + 1), kind};
}

}  // namespace

std::shared_ptr<const tpu::Catalog> TestCatalog() {
  static const auto catalog = tpu::Catalog::Load(tpu::BuiltInCatalogText(), "built-in").value();
  return catalog;
}

Judged Judge(std::string_view yaml, const Cluster& cluster) {
  const auto documents = ParseYaml(yaml);
  if (!documents || documents->size() != 1) {
    ADD_FAILURE() << (documents ? "wanted one document" : documents.error().message);
    return {};
  }
  k8s::JsonParser parser;
  k8s::Arena arena;
  const k8s::JsonView object = parser.Parse(documents->front().json).value();
  const auto workload = workload::ReadWorkload(GvkOf(object), object, arena);
  if (!workload) {
    ADD_FAILURE() << workload.error().message;
    return {};
  }
  const Engine engine(TestCatalog(), cluster);
  return {engine.Evaluate(*workload), engine.Fixes(*workload)};
}

}  // namespace tpu_admission::rules
