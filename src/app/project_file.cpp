#include "app/project_file.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "app/check_files.h"
#include "app/flags.h"
#include "app/manifest_files.h"
#include "app/settings_loader.h"
#include "tpu_admission/base/config_reader.h"
#include "tpu_admission/base/files.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/offline/rule_choice.h"

namespace tpu_admission::app {
namespace {

namespace fs = std::filesystem;

enum class Shape { kText, kFlag, kList, kFile };
struct Key {
  std::string_view name;
  Shape shape;
};
constexpr std::array<Key, 13> kKeys = {{
    {"baseline", Shape::kFile},
    {"catalog", Shape::kFile},
    {"cluster-location", Shape::kText},
    {"cluster-mode", Shape::kText},
    {"exclude", Shape::kList},
    {"fail-if-nothing-found", Shape::kFlag},
    {"fail-on", Shape::kText},
    {"gke-version", Shape::kText},
    {"ignore", Shape::kList},
    {"namespace", Shape::kText},
    {"policy", Shape::kFile},
    {"profile", Shape::kText},
    {"select", Shape::kList},
}};

constexpr std::size_t kLongestComplaint = 1000;  // bytes

std::vector<std::string> Values(ConfigNode node, const Key& key, const fs::path& folder) {
  switch (key.shape) {
    case Shape::kText:
      return {node.AsFlag()};
    case Shape::kFlag:
      return {node.AsBool() ? "true" : "false"};
    case Shape::kList:
      return node.AsStrings();
    case Shape::kFile:
      return {(folder / node.AsString()).lexically_normal().string()};
  }
  return {};
}

bool IsThere(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error) || error;  // what cannot be told is told when it is read
}

// What the flag's own check does not see, and would be told later, of a flag that nobody gave.
Status Usable(const std::string& name, const std::vector<std::string>& values) {
  if (name == "ignore" || name == "select") {
    const bool select = name == "select";
    const std::vector<std::string> none;
    const auto rules = offline::RuleChoice::Parse(select ? values : none, select ? none : values);
    if (!rules) return rules.error();
  }
  if (name == "cluster-location" && !values.empty() && !values.front().empty() &&
      rules::RegionOf(values.front()).empty()) {
    return Error{NoLocation(values.front())};
  }
  return OkStatus();
}

// What a project file says may come with a pull request. An error quotes what it found in a file,
// and a baseline is also written: so the files that it names must be in its folder.
void ApplyKey(CLI::App& command, ConfigNode root, const std::string& name, ConfigNode node,
              const fs::path& folder, CheckOptions& options) {
  const auto key =
      std::find_if(kKeys.begin(), kKeys.end(), [&](const Key& each) { return each.name == name; });
  if (key == kKeys.end()) {
    std::vector<std::string_view> names;
    for (const Key& each : kKeys) names.push_back(each.name);
    const std::string_view nearest = Nearest(name, names, 2);
    return root.FailKey(name, nearest.empty()
                                  ? "is no key of a project file; `tpu-admission schema project` "
                                    "lists them"
                                  : "is no key, did you mean " + Quoted(nearest) + "?");
  }
  const std::vector<std::string> values = Values(node, *key, folder);
  if (name == "exclude") {
    options.excludes_of_project = values;
    return;
  }
  CLI::Option* const option = command.get_option("--" + name);
  if (option->count() > 0) return;
  if (key->shape == Shape::kFile && !LiesBelow(values.front(), folder)) {
    return node.Fail("found " + Quoted(node.AsString()) +
                     ", which leads out of the project file's folder; wanted a file in it or "
                     "below (another one can be named by the flag --" +
                     name + ")");
  }
  if (const Status usable = Usable(name, values); !usable) return node.Fail(usable.error().message);
  const bool is_written = name == "baseline" && options.write_baseline;
  if (key->shape == Shape::kFile && !is_written && !IsThere(values.front())) {
    return node.Fail("found " + Quoted(node.AsString()) + ", and there is no such file" +
                     (name == "baseline" ? "; check --write-baseline writes it" : ""));
  }
  try {
    for (const std::string& value : values) option->add_result(value);
    if (!values.empty()) option->run_callback();
  } catch (const CLI::ParseError& error) {
    node.Fail(Printable(error.what(), kLongestComplaint));
  }
}

// What its name stands for without a file behind it; empty: a file. Nothing is opened: a pipe would
// wait, and a device might do something.
std::string WhyNoFile(const fs::path& path) {
  std::error_code error;
  const fs::file_status link = fs::symlink_status(path, error);
  const fs::file_status status = fs::status(path, error);
  switch (status.type()) {
    case fs::file_type::directory:
      return "is a folder, wanted a file";
    case fs::file_type::regular:
      return "";
    case fs::file_type::not_found:
      return fs::is_symlink(link) ? "is a link that leads nowhere" : "";
    case fs::file_type::none:
    case fs::file_type::unknown:
      return error ? error.message() : "cannot be looked at";
    default:
      return "is a pipe, socket or device, wanted a file";
  }
}

// A link may come with a pull request, too.
bool LeadsOutOfRepository(const fs::path& path) {
  std::error_code error;
  if (!fs::is_symlink(fs::symlink_status(path, error))) return false;
  const fs::path absolute = fs::absolute(path, error).lexically_normal();
  const std::string repository = RepositoryOf(absolute.parent_path().string());
  return !repository.empty() && !LiesBelow(absolute.string(), repository);
}

}  // namespace

void AddProjectFlags(CLI::App& command, std::string& file, bool& none) {
  CLI::Option* const named = AddFlag(command, "--project-file", file,
                                     "instead of the .tpu-admission.yaml that is found by itself");
  named->type_name("FILE");
  command.add_flag("--no-project-file", none, "look for none")->excludes(named);
}

std::string ProjectFileOf(const std::string& folder) {
  std::error_code error;
  const std::string repository = RepositoryOf(folder);
  for (fs::path above = folder;; above = above.parent_path()) {
    const fs::path file = above / kProjectFileName;
    // Whatever has the name: one that cannot be read is told, and not passed over.
    if (fs::exists(fs::symlink_status(file, error))) return file.string();
    if (repository.empty() || above == repository || !above.has_relative_path()) return "";
  }
}

void ProjectFile::AddFlags(CLI::App& command) {
  command_ = &command;
  AddProjectFlags(command, file_, none_);
}

std::string ProjectFile::Find() const {
  if (none_ || !file_.empty()) return file_;
  std::error_code error;
  const fs::path here = fs::current_path(error);
  std::string file = ProjectFileOf(here.string());
  return file == (here / kProjectFileName).string() ? kProjectFileName : file;
}

Status ProjectFile::Apply(CheckOptions& options) {
  const std::string path = Find();
  return path.empty() ? OkStatus() : ApplyProjectFile(path, *command_, options);
}

Status ApplyProjectFile(const std::string& path, CLI::App& command, CheckOptions& options) {
  if (const std::string why = WhyNoFile(path); !why.empty()) {
    return Error{ShownPath(path) + ": " + why + " (--no-project-file looks for none)"};
  }
  if (LeadsOutOfRepository(path)) {
    return Error{ShownPath(path) +
                 ": is a link that leads out of the repository; --project-file can name the file "
                 "itself, and --no-project-file looks for none"};
  }
  TPU_ADMISSION_TRY(const std::string text, DiskFiles().Read(path, kMaxConfigBytes));
  TPU_ADMISSION_TRY(ConfigFile file, ConfigFile::Parse(text, path));
  const fs::path folder = fs::path(path).parent_path();
  options.project_folder = folder.empty() ? "." : folder.string();
  ConfigNode root = file.root();
  for (auto& [key, node] : root.Members()) {
    ApplyKey(command, root, key, node, options.project_folder, options);
  }
  return file.Finish();
}

}  // namespace tpu_admission::app
