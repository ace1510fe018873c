#include "tpu_admission/admission/profile.h"

#include <algorithm>
#include <array>

#include "admission/rule_table.h"

namespace tpu_admission::admission {
namespace {

using rules::Finding;
using rules::Mode;

Profile::Case ReadCase(ConfigNode node) {
  Profile::Case result;
  static constexpr std::array<std::string_view, 6> kConditions = {
      "kind", "accelerator", "count", "chips", "without-topology", "sliced"};
  if (std::none_of(kConditions.begin(), kConditions.end(),
                   [&](std::string_view key) { return node.Has(key); })) {
    node.Fail("says nothing of kind, pods or node selection, so it would hold for every finding");
  }
  result.kind = node.StringOr("kind", "*");
  result.accelerator = node.StringOr("accelerator", "*");
  if (node.Has("count")) result.count = node.Int("count", {.min = 0});
  if (node.Has("chips")) result.chips = node.Int("chips", {.min = 0});
  result.without_topology = node.BoolOr("without-topology", false);
  result.sliced = node.BoolOr("sliced", false);
  result.modes = ReadModes(node, "rules");
  result.sentences.resize(rules::AllRules().size());
  ForEachRule(node, "says", [&](const rules::Rule& rule, ConfigNode value) {
    result.sentences[rules::IndexOf(rule)] = value.AsString();
  });
  return result;
}

Profile ReadProfile(const std::string& name, ConfigNode node) {
  static constexpr std::array<std::string_view, 2> kPlatforms = {"standard", "autopilot"};
  Profile profile;
  profile.name = name;
  profile.purpose = node.String("for");
  const std::size_t platform = node.OneOfOr("cluster-mode", kPlatforms, kPlatforms.size());
  if (platform < kPlatforms.size()) profile.platform = static_cast<rules::Platform>(platform);
  profile.modes = ReadModes(node, "rules");
  for (const ConfigNode& row : node.ListOrNone("where")) profile.cases.push_back(ReadCase(row));
  return profile;
}

// Whether some alternative of the node selection names a value of the label that matches.
bool Selects(const workload::PodSet& pods, workload::NodeLabel label, const std::string& pattern) {
  const auto& choices = pods.nodes.choices;
  return std::any_of(choices.begin(), choices.end(), [&](const workload::NodeChoice& choice) {
    return choice[label].fixed() && MatchesGlob(pattern, choice[label].value);
  });
}

bool Matches(const Profile::Case& special, const workload::PodSet& pods) {
  using workload::NodeLabel;
  return (!special.count || pods.scale.pods.value == special.count) &&
         (!special.chips || pods.chips_per_pod == special.chips) &&
         (!special.without_topology || !Selects(pods, NodeLabel::kTopology, "?*")) &&
         (!special.sliced || pods.SliceTopology().has_value()) &&
         (special.accelerator == "*" ||
          Selects(pods, NodeLabel::kAccelerator, special.accelerator));
}

bool Matches(const Profile::Case& special, const Finding& finding,
             const workload::Workload& workload) {
  static const workload::PodSet kNone;
  return MatchesGlob(special.kind, workload.kind->name) &&
         Matches(special, finding.pods == nullptr ? kNone : *finding.pods);
}

// The last case that matches and has an opinion, as `opinion` reads it.
template <typename Opinion>
const Profile::Case* LastCase(const Profile& profile, const Finding& finding,
                              const workload::Workload& workload, const Opinion& opinion) {
  const auto found =
      std::find_if(profile.cases.rbegin(), profile.cases.rend(), [&](const Profile::Case& special) {
        return opinion(special) && Matches(special, finding, workload);
      });
  return found == profile.cases.rend() ? nullptr : &*found;
}

bool KeepsItsMode(const Finding& finding, const workload::Workload& workload) {
  const bool is_skipped =
      finding.rule->is_gke_check && finding.pods != nullptr && finding.pods->skips_checks;
  const bool is_patched = finding.pods != nullptr && finding.pods->is_patched;
  return workload.kind->serves_others || is_skipped || is_patched;
}

}  // namespace

Mode Profile::ModeOf(const Finding& finding, const workload::Workload& workload) const {
  const std::size_t rule = rules::IndexOf(*finding.rule);
  std::optional<Mode> mode = modes[rule];
  if (const Case* special = LastCase(*this, finding, workload,
                                     [&](const Case& c) { return c.modes[rule].has_value(); })) {
    mode = special->modes[rule];
  }
  const Mode own = finding.mode();
  if (!mode) return own;
  return KeepsItsMode(finding, workload) ? std::min(*mode, own) : *mode;
}

std::string_view Profile::SentenceFor(const Finding& finding,
                                      const workload::Workload& workload) const {
  const std::size_t rule = rules::IndexOf(*finding.rule);
  const Case* special =
      LastCase(*this, finding, workload, [&](const Case& c) { return !c.sentences[rule].empty(); });
  return special == nullptr ? std::string_view() : special->sentences[rule];
}

Result<std::vector<Profile>> LoadProfiles(std::string_view text, std::string_view origin) {
  TPU_ADMISSION_TRY(ConfigFile file, ConfigFile::Parse(text, origin));
  std::vector<Profile> profiles;
  for (auto [name, node] : file.root().Members()) {
    profiles.push_back(ReadProfile(name, node));
  }
  TPU_ADMISSION_TRY_STATUS(file.Finish());
  return profiles;
}

const std::vector<Profile>& BuiltInProfiles() {
  static const std::vector<Profile> profiles =
      LoadProfiles(BuiltInProfilesText(), "config/profiles.yaml").value();
  return profiles;
}

}  // namespace tpu_admission::admission
