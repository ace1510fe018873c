// The built-in catalog, for tests.
#pragma once

#include <memory>
#include <stdexcept>
#include <string_view>

#include "tpu_admission/tpu/catalog.h"

namespace tpu_admission::tpu {

inline const Catalog& BuiltIn() {
  static const std::shared_ptr<const Catalog> catalog = [] {
    auto loaded = Catalog::Load(BuiltInCatalogText(), "config/tpu-catalog.yaml");
    if (!loaded) throw std::runtime_error(loaded.error().message);
    return *loaded;
  }();
  return *catalog;
}

inline const Generation& Labelled(std::string_view label) {
  const Generation* const generation = BuiltIn().FindByLabel(label);
  if (generation == nullptr) throw std::runtime_error("no label " + std::string(label));
  return *generation;
}

}  // namespace tpu_admission::tpu
