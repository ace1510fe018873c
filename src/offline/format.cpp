#include "tpu_admission/offline/format.h"

#include <array>
#include <cstdint>
#include <cstdio>

#include "offline/formats.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::offline {

std::span<const std::string_view> FormatNames() {
  static constexpr std::array<std::string_view, 7> kNames = {
      "text", "json", "sarif", "github", "gitlab", "junit", "checkstyle"};
  return kNames;
}

std::unique_ptr<Format> NewFormat(std::string_view name, bool colour) {
  if (name == "text") return NewTextFormat(colour);
  if (name == "json") return NewJsonFormat();
  if (name == "sarif") return NewSarifFormat();
  if (name == "github") return NewGithubFormat();
  if (name == "gitlab") return NewGitlabFormat();
  if (name == "junit") return NewJunitFormat();
  if (name == "checkstyle") return NewCheckstyleFormat();
  return nullptr;
}

std::string Sum(const Counts& counts) {
  std::string text = Counted(counts.workloads, "TPU workload") +
                     " checked: " + Counted(counts.denied, "error") + ", " +
                     Counted(counts.warned, "warning");
  if (counts.unreadable > 0) {
    text += "; " + Counted(counts.unreadable, "part") + " could not be read";
  }
  return text;
}

std::string Fingerprint(std::string_view file, const ObjectReport& object,
                        const ReportedFinding& finding) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const std::string_view part :
       {file, std::string_view(object.kind), std::string_view(object.namespace_name),
        std::string_view(object.name), finding.rule->id, std::string_view(finding.field)}) {
    for (const char c : part) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    hash = (hash ^ 0xff) * 0x100000001b3;  // no byte of UTF-8: parts do not run together
  }
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  return text.data();
}

std::string Numbered(const std::string& print, std::map<std::string, std::size_t>& seen) {
  const std::size_t number = ++seen[print];
  return number == 1 ? print : print + ":" + std::to_string(number);
}

std::string_view FileOf(const FileReport& report, const ObjectReport& object) {
  return object.source.empty() ? report.file : object.source;
}

}  // namespace tpu_admission::offline
