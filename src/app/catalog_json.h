// The catalog as `tpu-admission catalog --output json` prints it, and the words that the tables
// share.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "tpu_admission/tpu/catalog.h"

namespace tpu_admission::app {

nlohmann::ordered_json CatalogAsJson(const tpu::Catalog& catalog);
nlohmann::ordered_json GenerationAsJson(const tpu::Generation& generation);
nlohmann::ordered_json PlacementAsJson(const tpu::Placement& placement);

// "refused", "on an allowlist", "offered".
std::string_view TextOf(tpu::Availability availability);
// Each way to get capacity by its name: "flex_start".
std::array<std::pair<std::string, tpu::Availability>, 5> AsList(const tpu::Consumption& row);

}  // namespace tpu_admission::app
