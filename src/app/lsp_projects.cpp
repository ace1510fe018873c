#include "app/lsp_projects.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "app/check_flags.h"
#include "app/engine_flags.h"
#include "app/project_file.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/offline/rule_choice.h"

namespace tpu_admission::app {
namespace {

namespace fs = std::filesystem;

std::optional<int> HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

// `a%20b` -> `a b`
std::string Decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto high = text[i] == '%' && i + 2 < text.size() ? HexDigit(text[i + 1]) : std::nullopt;
    const auto low = high ? HexDigit(text[i + 2]) : std::nullopt;
    decoded += low ? static_cast<char>(*high * 16 + *low) : text[i];
    if (low) i += 2;
  }
  return decoded;
}

// The absolute path that a URI is of; empty: it is of no file here.
std::string FileOf(std::string_view uri) {
  for (const std::string_view begin : {"file:///", "file://localhost/"}) {
    if (!uri.starts_with(begin)) continue;
    const std::string path = Decoded(uri.substr(begin.size() - 1));
    if (path.find('\0') != path.npos) return "";
    return fs::path(path).lexically_normal().string();
  }
  return "";
}

}  // namespace

offline::TermsOfDocument LspProjects::TermsOf(const std::string& uri) {
  if (options_.no_project_file) return {};
  const std::string file = FileOf(uri);
  std::string path = options_.project_file;
  if (path.empty() && !file.empty()) path = ProjectFileOf(fs::path(file).parent_path().string());
  if (path.empty()) return {};
  Project& project = projects_[path];
  const std::string before = project.word;
  Refresh(path, project);
  std::error_code error;
  const std::string here = fs::current_path(error).string();
  return {.terms = project.terms,
          .is_left_out = !file.empty() && IsExcluded(file, false, here, project.walk),
          .word = project.word == before ? "" : project.word};
}

void LspProjects::Refresh(const std::string& path, Project& project) const {
  const Result<std::string> text = files_.Read(path, kMaxConfigBytes);
  const bool is_same = text && *text == project.text && project.terms != nullptr;
  if (is_same && !project.loader->LoadIfChanged()) return;
  Project fresh;
  if (text) fresh.text = *text;
  if (const Status loaded = Load(path, fresh); !loaded) {
    fresh = {};
    fresh.word = ShownLines(loaded.error().message) +
                 "; until that is mended, its files are judged by the flags alone";
  }
  project = std::move(fresh);
}

Status LspProjects::Load(const std::string& path, Project& project) const {
  CheckOptions check;
  check.write_baseline = true;  // so that none need be there
  CLI::App command;
  AddEngineFlags(command, check.engine);
  AddCheckFlags(command, check);
  for (const auto& [name, values] : options_.given) {
    CLI::Option* const option = command.get_option_no_throw(name);
    if (option == nullptr) continue;
    for (const std::string& value : values) option->add_result(value);
    option->run_callback();
  }
  TPU_ADMISSION_TRY_STATUS(ApplyProjectFile(path, command, check));
  TPU_ADMISSION_TRY(auto rules, offline::RuleChoice::Parse(check.select, check.ignore));
  project.loader = std::make_unique<SettingsLoader>(check.engine, files_);
  TPU_ADMISSION_TRY(auto settings, project.loader->Load());
  for (const std::string& warning : project.loader->warnings()) {
    project.word += (project.word.empty() ? ShownPath(path) + ": " : "; ") + ShownLines(warning);
  }
  project.terms = std::make_shared<const offline::Terms>(
      offline::Terms{std::move(settings),
                     {.namespace_name = check.namespace_name, .today = today_, .rules = rules}});
  WalkOptions::Exclusion& exclusion = project.walk.exclude.emplace_back();
  exclusion.folder = check.project_folder;
  for (const std::string& glob : check.excludes_of_project) exclusion.patterns.Add(glob);
  return OkStatus();
}

}  // namespace tpu_admission::app
