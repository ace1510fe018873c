#include "tpu_admission/offline/policy_test.h"

#include <algorithm>
#include <array>

#include "tpu_admission/base/config_reader.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::offline {
namespace {

using rules::Mode;

constexpr std::array<std::string_view, 3> kVerdicts = {"allow", "warn", "deny"};
constexpr std::array<std::string_view, 4> kModes = {"off", "audit", "warn", "deny"};

void ReadExpectations(ConfigNode table, PolicyCase& read) {
  std::map<const rules::Rule*, std::uint32_t> lines;
  for (auto [name, node] : table.Members()) {
    const rules::Rule* const rule = RuleNamed(name);
    if (rule == nullptr) node.Fail(rules::NoSuchRule(name));
    const std::size_t mode = node.AsOneOf(kModes);
    if (rule == nullptr || mode >= kModes.size()) continue;
    const auto [first, is_new] = lines.emplace(rule, node.line());
    if (!is_new) {
      node.Fail("duplicate rule " + std::string(rule->id) + ", " + std::string(rule->name) +
                " (first on line " + std::to_string(first->second) + ", again on line " +
                std::to_string(node.line()) + ")");
    }
    read.rules[rule] = *rules::ModeOf(kModes[mode]);
  }
}

PolicyCase ReadCase(ConfigNode row) {
  PolicyCase read;
  read.name = row.String("name");
  read.manifest = row.StringOr("manifest", "");
  read.text = row.StringOr("text", "");
  read.namespace_name = row.StringOr("namespace", "");
  read.expected = static_cast<Verdict>(row.OneOf("expect", kVerdicts));
  if (row.Has("manifest") == row.Has("text")) {
    row.Fail("needs either `manifest`, a file, or `text`, the manifest itself");
  }
  if (std::optional<ConfigNode> table = row.MapOrNone("rules")) {
    ReadExpectations(*table, read);
  }
  return read;
}

// What was found, by rule: the hardest mode.
std::map<const rules::Rule*, Mode> Found(const FileReport& report) {
  std::map<const rules::Rule*, Mode> found;
  for (const ObjectReport& object : report.objects) {
    for (const ReportedFinding& finding : object.findings) {
      Mode& mode = found[finding.rule];
      mode = std::max(mode, finding.mode);
    }
  }
  return found;
}

Verdict VerdictOf(const std::map<const rules::Rule*, Mode>& found) {
  Verdict verdict = Verdict::kAllow;
  for (const auto& [rule, mode] : found) {
    if (mode == Mode::kDeny) return Verdict::kDeny;
    if (mode == Mode::kWarn) verdict = Verdict::kWarn;
  }
  return verdict;
}

std::string Because(const std::map<const rules::Rule*, Mode>& found) {
  std::string text;
  for (const rules::Rule* rule : rules::AllRules()) {
    const auto mode = found.find(rule);
    if (mode == found.end() || mode->second < Mode::kWarn) continue;
    text += (text.empty() ? " (" : ", ") + std::string(rule->id) + " " +
            std::string(Name(mode->second));
  }
  return text.empty() ? "" : text + ")";
}

}  // namespace

Result<PolicyCases> ReadPolicyCases(std::string_view text, std::string_view origin) {
  TPU_ADMISSION_TRY(ConfigFile file, ConfigFile::Parse(text, origin));
  ConfigNode root = file.root();
  PolicyCases read;
  read.policy = root.StringOr("policy", "");
  for (const ConfigNode& row : root.List("cases")) read.cases.push_back(ReadCase(row));
  TPU_ADMISSION_TRY_STATUS(file.Finish());
  if (read.cases.empty()) return Error{ShownPath(origin) + ": there is no case in it"};
  return read;
}

std::vector<std::string> TestCase(const admission::Settings& settings, const PolicyCase& given,
                                  std::string text, Day today) {
  CheckWish wish;
  wish.namespace_name = given.namespace_name;
  wish.today = today;
  const FileReport report = CheckText(settings, wish, given.manifest, std::move(text));
  std::vector<std::string> wrong;
  for (const Note& note : report.errors) {
    wrong.push_back("line " + std::to_string(note.place.line) + ": " + note.text);
  }
  for (const ObjectReport& object : report.objects) {
    for (const Note& note : object.errors) wrong.push_back(object.title + ": " + note.text);
  }
  if (report.workloads == 0) wrong.emplace_back("there is no TPU workload in it");
  const auto found = Found(report);
  const Verdict verdict = VerdictOf(found);
  if (verdict != given.expected) {
    wrong.push_back("expected " + std::string(kVerdicts[std::size_t(given.expected)]) + ", is " +
                    std::string(kVerdicts[std::size_t(verdict)]) + Because(found));
  }
  for (const auto& [rule, mode] : given.rules) {
    const auto is = found.find(rule);
    const Mode now = is == found.end() ? Mode::kOff : is->second;
    if (now == mode) continue;
    wrong.push_back(std::string(rule->id) + ": expected " + std::string(Name(mode)) + ", is " +
                    std::string(Name(now)));
  }
  return wrong;
}

}  // namespace tpu_admission::offline
