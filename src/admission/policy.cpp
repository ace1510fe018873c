#include "tpu_admission/admission/policy.h"

#include <algorithm>
#include <array>

#include "admission/own_kinds.h"
#include "admission/rule_table.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::admission {

using rules::Mode;
using rules::Rule;

namespace {

// The places of the rules that have a fix.
const std::vector<std::size_t>& WithFix() {
  static const std::vector<std::size_t> places = [] {
    std::vector<std::size_t> found;
    for (const Rule* rule : rules::AllRules()) {
      if (rule->fix != nullptr) found.push_back(rules::IndexOf(*rule));
    }
    return found;
  }();
  return places;
}

}  // namespace

class PolicyLoader {
 public:
  static Result<Policy> Load(std::string_view text, std::string_view origin,
                             std::string_view profile) {
    const std::vector<Profile>& profiles = BuiltInProfiles();
    TPU_ADMISSION_TRY(ConfigFile file, ConfigFile::Parse(text, origin));
    Policy policy = ReadPolicy(file.root(), profiles);
    TPU_ADMISSION_TRY_STATUS(file.Finish());
    if (profile.empty()) return policy;
    const auto named = std::find_if(profiles.begin(), profiles.end(),
                                    [&](const Profile& each) { return each.name == profile; });
    if (named == profiles.end()) return Error{"there is no profile " + Quoted(profile)};
    policy.profile_ = *named;
    return policy;
  }

 private:
  static Policy ReadPolicy(ConfigNode root, const std::vector<Profile>& profiles) {
    Policy policy;
    std::vector<std::string_view> names;
    for (const Profile& each : profiles) names.push_back(each.name);
    policy.profile_ = profiles[root.OneOfOr("profile", names, 0)];
    static constexpr std::array<std::string_view, 2> kChildren = {"audit", "deny"};
    policy.children_may_be_denied_ = root.OneOfOr("children", kChildren, 0) == 1;
    policy.kinds_ = ReadKinds(root);
    policy.sections_.push_back(ReadSection(root, "*"));
    for (const ConfigNode& row : root.ListOrNone("namespaces")) {
      policy.sections_.push_back(ReadSection(row, ReadGlob(row, "match")));
    }
    return policy;
  }

  static Policy::Section ReadSection(const ConfigNode& node, std::string namespaces) {
    Policy::Section section;
    section.namespaces = std::move(namespaces);
    section.at_most = ReadMode(node, "default");
    section.settings.resize(rules::AllRules().size());
    const RuleModes modes = ReadModes(node, "rules");
    for (std::size_t i = 0; i < modes.size(); ++i) section.settings[i].mode = modes[i];
    ForEachRule(node, "fixes", [&](const Rule& rule, ConfigNode value) {
      if (rule.fix == nullptr) value.Fail("this rule has no fix");
      section.settings[rules::IndexOf(rule)].fix = value.AsBool();
    });
    ReadIgnore(node, section);
    return section;
  }

  // `ignore`: true, false, or the rules that may be ignored.
  static void ReadIgnore(ConfigNode node, Policy::Section& section) {
    if (!node.Has("ignore")) return;
    const bool is_list = node.HasList("ignore");
    const bool all = !is_list && node.Bool("ignore");
    for (Policy::RuleSetting& setting : section.settings) setting.may_be_ignored = all;
    if (!is_list) return;
    for (ConfigNode item : node.List("ignore")) {
      const Rule* rule = RuleNamed(item.AsString(), item);
      if (rule != nullptr) section.settings[rules::IndexOf(*rule)].may_be_ignored = true;
    }
  }
};

Result<Policy> Policy::Load(std::string_view text, std::string_view origin,
                            std::string_view profile) {
  return PolicyLoader::Load(text, origin, profile);
}

template <typename T>
std::optional<T> Policy::Last(std::size_t rule, std::string_view namespace_name,
                              std::optional<T> RuleSetting::*pick) const {
  for (auto section = sections_.rbegin(); section != sections_.rend(); ++section) {
    const std::optional<T>& value = section->settings[rule].*pick;
    if (value && MatchesGlob(section->namespaces, namespace_name)) return value;
  }
  return std::nullopt;
}

PolicyModes Policy::Decide(std::size_t rule, Mode own, std::string_view namespace_name) const {
  std::optional<Mode> at_most;  // of the last section that says so; it bounds those before it
  const auto bounded = [&](Mode mode) {
    return PolicyModes{std::min(mode, at_most.value_or(Mode::kDeny)), mode};
  };
  for (auto section = sections_.rbegin(); section != sections_.rend(); ++section) {
    const std::optional<Mode>& mode = section->settings[rule].mode;
    if (!mode && (at_most || !section->at_most)) continue;
    if (!MatchesGlob(section->namespaces, namespace_name)) continue;
    if (mode) return bounded(*mode);
    at_most = section->at_most;
  }
  return bounded(own);
}

PolicyModes Policy::ModesOf(const rules::Finding& finding, const workload::Workload& workload,
                            std::string_view namespace_name) const {
  PolicyModes modes =
      Decide(rules::IndexOf(*finding.rule), profile_.ModeOf(finding, workload), namespace_name);
  if (finding.rule->never_harder) {
    modes.mode = std::min(modes.mode, finding.mode());
    modes.would_be = std::min(modes.would_be, finding.mode());
  }
  return modes;
}

bool Policy::FixOf(std::size_t index, rules::Platform platform,
                   std::string_view namespace_name) const {
  const Rule& rule = *rules::AllRules()[index];
  const Mode own = profile_.modes[index].value_or(rule.mode);
  const bool by_default = rules::FixesByDefault(rule, platform);
  return Last(index, namespace_name, &RuleSetting::fix).value_or(by_default) &&
         Decide(index, own, namespace_name).mode != Mode::kOff;
}

bool Policy::turns_rules_off() const {
  const auto is_off = [](const auto& mode) { return mode == Mode::kOff; };
  const auto has_off = [&](const RuleModes& modes) {
    return std::any_of(modes.begin(), modes.end(), is_off);
  };
  return has_off(profile_.modes) ||
         std::any_of(profile_.cases.begin(), profile_.cases.end(),
                     [&](const Profile::Case& each) { return has_off(each.modes); }) ||
         std::any_of(sections_.begin(), sections_.end(), [&](const Section& section) {
           return is_off(section.at_most) ||
                  std::any_of(section.settings.begin(), section.settings.end(),
                              [&](const RuleSetting& each) { return is_off(each.mode); });
         });
}

std::vector<const Rule*> Policy::FixingRules(rules::Platform platform,
                                             std::string_view namespace_name) const {
  std::vector<const Rule*> fixing;
  fixing.reserve(WithFix().size());
  for (const std::size_t i : WithFix()) {
    if (FixOf(i, platform, namespace_name)) fixing.push_back(rules::AllRules()[i]);
  }
  return fixing;
}

bool Policy::MayBeIgnored(const Rule& rule, std::string_view namespace_name) const {
  const std::size_t index = rules::IndexOf(rule);
  return Last(index, namespace_name, &RuleSetting::may_be_ignored).value_or(false);
}

}  // namespace tpu_admission::admission
