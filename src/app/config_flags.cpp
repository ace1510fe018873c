#include "app/config_flags.h"

#include <string_view>
#include <utility>

#include "app/flags.h"
#include "app/settings_loader.h"
#include "tpu_admission/base/config_reader.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::app {
namespace {

bool IsNoKey(std::string_view flag) { return flag == "--config" || flag == "--help"; }

void ApplyKey(CLI::App& command, const std::string& key, ConfigNode node) {
  CLI::Option* const option = command.get_option_no_throw("--" + key);
  if (IsNoKey("--" + key)) return node.Fail("does not belong in this file");
  if (option == nullptr) {
    const std::string nearest = NearestFlag(command, "--" + key);
    return node.Fail("is no flag of " + command.get_name() +
                     (nearest.empty() || IsNoKey(nearest)
                          ? "; --help lists them"
                          : ", did you mean " + Quoted(nearest.substr(2)) + "?"));
  }
  if (option->count() > 0) return;
  const std::string value = node.AsFlag();
  try {
    option->add_result(value);
    option->run_callback();
  } catch (const CLI::ParseError& error) {
    node.Fail(error.what());
  }
}

Status Apply(CLI::App& command, const std::string& path, const Files& files) {
  const Result<std::string> text = files.Read(path, kMaxConfigBytes);
  if (!text) return Error{"--config: " + text.error().message};
  TPU_ADMISSION_TRY(ConfigFile file, ConfigFile::Parse(*text, path));
  for (auto& [key, node] : file.root().Members()) ApplyKey(command, key, node);
  return file.Finish();
}

}  // namespace

void ApplyConfigFile(CLI::App& command, const std::string& path, const Files& files) {
  const Status applied = Apply(command, path, files);
  if (!applied) throw CLI::FileError(applied.error().message);
}

void RequireFiles(const CLI::App& command, const Files& files) {
  for (const char* const flag : {"--catalog", "--policy"}) {
    const CLI::Option* const option = command.get_option_no_throw(flag);
    const auto path = option == nullptr || option->count() == 0 ? "" : option->as<std::string>();
    if (path.empty()) continue;  // the built-in one, or none
    const Result<std::string> text = files.Read(path, kMaxConfigBytes);
    if (!text) throw CLI::ValidationError(flag, text.error().message);
  }
}

}  // namespace tpu_admission::app
