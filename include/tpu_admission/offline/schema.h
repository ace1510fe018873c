// JSON Schemas of what people write and programs read, for editors and CI. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tpu_admission::offline {

// "policy", "catalog", "project" (the project file), "check" (check --output json).
std::span<const std::string_view> SchemaNames();
// The schema as JSON text, with the rules and profiles of this build; empty: there is none.
std::string Schema(std::string_view name);

}  // namespace tpu_admission::offline
