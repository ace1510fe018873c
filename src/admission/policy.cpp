#include "tpu_admission/admission/policy.h"

#include <fnmatch.h>

#include <array>

#include "tpu_admission/base/config_reader.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::admission {

using rules::Mode;
using rules::Rule;

class PolicyLoader {
 public:
  static Result<Policy> Load(std::string_view text, std::string_view origin) {
    Result<ConfigFile> file = ConfigFile::Parse(text, origin);
    if (!file) return file.error();
    const ConfigNode root = file->root();
    Policy policy;
    static constexpr std::array<std::string_view, 2> kChildren = {"audit", "deny"};
    policy.children_may_be_denied_ = root.OneOfOr("children", kChildren, 0) == 1;
    policy.sections_.push_back(ReadSection(root, "*"));
    for (const ConfigNode& row : root.ListOrNone("namespaces")) {
      policy.sections_.push_back(ReadSection(row, row.String("match")));
    }
    if (Status status = file->Finish(); !status) return status.error();
    return policy;
  }

 private:
  static Policy::Section ReadSection(const ConfigNode& node, std::string namespaces) {
    Policy::Section section{std::move(namespaces), {}};
    section.settings.resize(rules::AllRules().size());
    if (const auto modes = node.MapOrNone("rules")) {
      for (const auto& [id, value] : modes->Members()) {
        const std::optional<Mode> mode = rules::ModeOf(value.AsString());
        if (!mode)
          value.Fail(Quoted(value.AsString()) +
                     " is no mode; the modes are off, audit, warn and deny");
        if (auto* setting = SettingOf(section, id, value)) setting->mode = mode;
      }
    }
    if (const auto fixes = node.MapOrNone("fixes")) {
      for (const auto& [id, value] : fixes->Members()) {
        auto* setting = SettingOf(section, id, value);
        if (setting == nullptr) continue;
        if (rules::FindRule(id)->fix == nullptr) value.Fail("this rule has no fix");
        setting->fix = fixes->Bool(id);
      }
    }
    return section;
  }

  static Policy::RuleSetting* SettingOf(Policy::Section& section, const std::string& id,
                                        const ConfigNode& value) {
    const Rule* rule = rules::FindRule(id);
    if (rule != nullptr) return &section.settings[rules::IndexOf(*rule)];
    value.Fail("there is no rule " + Quoted(id) + "; `tpu-admission explain` lists them");
    return nullptr;
  }
};

Result<Policy> Policy::Load(std::string_view text, std::string_view origin) {
  return PolicyLoader::Load(text, origin);
}

template <typename T>
std::optional<T> Policy::Last(const Rule& rule, std::string_view namespace_name,
                              std::optional<T> RuleSetting::*pick) const {
  const std::string name(namespace_name);
  const std::size_t index = rules::IndexOf(rule);
  for (auto section = sections_.rbegin(); section != sections_.rend(); ++section) {
    const std::optional<T>& value = section->settings[index].*pick;
    if (value && fnmatch(section->namespaces.c_str(), name.c_str(), 0) == 0) return value;
  }
  return std::nullopt;
}

Mode Policy::ModeOf(const rules::Finding& finding, std::string_view namespace_name) const {
  return Last(*finding.rule, namespace_name, &RuleSetting::mode).value_or(finding.mode());
}

bool Policy::FixOf(const Rule& rule, std::string_view namespace_name) const {
  return Last(rule, namespace_name, &RuleSetting::fix).value_or(true) &&
         Last(rule, namespace_name, &RuleSetting::mode) != Mode::kOff;
}

}  // namespace tpu_admission::admission
