#include "tpu_admission/offline/schema.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "tpu_admission/admission/profile.h"
#include "tpu_admission/rules/rule.h"

namespace tpu_admission::offline {

// config/schemas/*.json, in the order of kSchemas.
std::span<const std::string_view> SchemaTexts();

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 4> kSchemas = {"catalog", "check", "policy", "project"};

// Ids, then names, of all rules or of those with a fix.
Json RuleNames(bool with_fix) {
  Json ids = Json::array();
  Json names = Json::array();
  for (const rules::Rule* rule : rules::AllRules()) {
    if (with_fix && rule->fix == nullptr) continue;
    ids.push_back(rule->id);
    names.push_back(rule->name);
  }
  ids.insert(ids.end(), names.begin(), names.end());
  return {{"enum", ids}};
}

Json ProfileNames() {
  Json names = Json::array();
  const auto& profiles = admission::BuiltInProfiles();
  for (const admission::Profile& profile : profiles) names.push_back(profile.name);
  return {{"enum", names}};
}

}  // namespace

std::span<const std::string_view> SchemaNames() { return kSchemas; }

std::string Schema(std::string_view name) {
  const auto found = std::find(kSchemas.begin(), kSchemas.end(), name);
  if (found == kSchemas.end()) return "";
  Json schema = Json::parse(SchemaTexts()[std::size_t(found - kSchemas.begin())]);
  Json& parts = schema["$defs"];
  if (parts.contains("rule")) parts["rule"] = RuleNames(false);
  if (parts.contains("fixable")) parts["fixable"] = RuleNames(true);
  if (parts.contains("profile")) parts["profile"] = ProfileNames();
  return schema.dump(2) + "\n";
}

}  // namespace tpu_admission::offline
