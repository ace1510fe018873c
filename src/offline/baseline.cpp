#include "tpu_admission/offline/baseline.h"

#include "tpu_admission/base/config_reader.h"
#include "tpu_admission/base/json_string.h"

namespace tpu_admission::offline {
namespace {

KnownFinding Known(const std::string& file, const ObjectReport& object,
                   const ReportedFinding& finding) {
  return {
      file,         object.kind, object.namespace_name, object.name, std::string(finding.rule->id),
      finding.field};
}

void AppendMember(std::string_view key, std::string_view value, std::string& text) {
  if (value.empty()) return;
  text.append(text.ends_with('{') ? "" : ", ").append(key).append(": ");
  AppendJsonString(text, value);
}

}  // namespace

Result<Baseline> Baseline::Parse(std::string_view text, std::string_view origin) {
  TPU_ADMISSION_TRY(ConfigFile file, ConfigFile::Parse(text, origin));
  ConfigNode root = file.root();
  Baseline baseline;
  root.Int("version", {.min = 1, .max = 1});
  for (ConfigNode row : root.ListOrNone("findings")) {
    const KnownFinding known = {
        row.String("file"),       row.String("kind"), row.StringOr("namespace", ""),
        row.StringOr("name", ""), row.String("rule"), row.StringOr("field", "")};
    baseline.counts_[known] += std::size_t(row.IntOr("count", 1, {.min = 1, .max = 1'000'000}));
  }
  TPU_ADMISSION_TRY_STATUS(file.Finish());
  return baseline;
}

void Baseline::Mark(const std::string& file, FileReport& report) {
  seen_.insert(file);
  for (ObjectReport& object : report.objects) {
    for (ReportedFinding& finding : object.findings) {
      if (Word(finding).empty()) continue;
      const auto known = counts_.find(Known(file, object, finding));
      if (known == counts_.end() || known->second == 0) continue;
      --known->second;
      finding.is_known = true;
    }
  }
}

std::size_t Baseline::Left(const std::function<bool(const std::string&)>& is_there) const {
  std::size_t left = 0;
  for (const auto& [known, count] : counts_) {
    if (count > 0 && (seen_.contains(known.file) || !is_there(known.file))) left += count;
  }
  return left;
}

void Baseline::Add(const std::string& file, const FileReport& report) {
  seen_.insert(file);
  for (const ObjectReport& object : report.objects) {
    for (const ReportedFinding& finding : object.findings) {
      if (!Word(finding).empty()) ++counts_[Known(file, object, finding)];
    }
  }
}

std::string Baseline::Text() const {
  std::string text =
      "# Written by `tpu-admission check --write-baseline`: what is known, and not told again.\n"
      "version: 1\nfindings:";
  if (counts_.empty()) return text + " []\n";
  text += '\n';
  for (const auto& [known, count] : counts_) {
    std::string row = "- {";
    AppendMember("file", known.file, row);
    AppendMember("kind", known.kind, row);
    AppendMember("namespace", known.namespace_name, row);
    AppendMember("name", known.name, row);
    AppendMember("rule", known.rule, row);
    AppendMember("field", known.field, row);
    if (count > 1) row += ", count: " + std::to_string(count);
    text += row + "}\n";
  }
  return text;
}

}  // namespace tpu_admission::offline
