// What policy and profiles have in common: tables by rule id.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "tpu_admission/admission/profile.h"
#include "tpu_admission/base/config_reader.h"

namespace tpu_admission::admission {

// The rule of an id or a name; an error at `node` and nullptr if there is none.
const rules::Rule* RuleNamed(std::string_view id_or_name, ConfigNode node);

// Calls `each` for the members of the optional map `key` whose key is a rule.
void ForEachRule(ConfigNode node, std::string_view key,
                 const std::function<void(const rules::Rule&, ConfigNode value)>& each);

// The optional map `key` of modes by rule.
RuleModes ReadModes(ConfigNode node, std::string_view key);
// The optional mode `key`.
std::optional<rules::Mode> ReadMode(ConfigNode node, std::string_view key);

// The glob `key`; an error at the node if a bracket in it is never closed.
std::string ReadGlob(ConfigNode node, std::string_view key);
bool MatchesGlob(const std::string& pattern, std::string_view text);

}  // namespace tpu_admission::admission
