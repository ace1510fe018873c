#include "app/check_flags.h"

#include "app/flags.h"
#include "app/node_record.h"
#include "tpu_admission/base/files.h"
#include "tpu_admission/offline/format.h"

namespace tpu_admission::app {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 nothing would be denied, 1 something would be (--fail-on warn: or warned),\n"
    "2 a file could not be read, or a flag is wrong.\n"
    "\n"
    "Examples:\n"
    "  tpu-admission check .                               # all manifests below this folder\n"
    "  helm template ./chart | tpu-admission check -       # charts: render them first\n"
    "  tpu-admission check --diff train.yaml               # what --fix would change\n"
    "  tpu-admission check --output sarif . > tpu.sarif    # for code scanning\n"
    "  tpu-admission check --ignore TPU5 --fail-on warn .  # no word of zones, and strict\n"
    "\n"
    "Flags may stand in .tpu-admission.yaml, which is found by itself; see docs/check.md.";

// A list: comma-separated, or the flag again and again.
void AddList(CLI::App& command, const std::string& flag, std::vector<std::string>& values,
             const std::string& type, const std::string& help) {
  command.add_option(flag, values, help)
      ->envname(EnvironmentTwin(flag))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name(type);
}

void AddChoices(CLI::App& command, CheckOptions& options) {
  AddList(command, "--select", options.select, "RULES",
          "tell of these rules alone: ids, names, or how ids begin (TPU5)");
  AddList(command, "--ignore", options.ignore, "RULES", "tell nothing of these rules");
  AddList(command, "--exclude", options.exclude, "GLOBS",
          "leave these paths out, as a .gitignore would");
  command
      .add_flag("--no-gitignore", options.no_gitignore, "look also into what .gitignore leaves out")
      ->envname(EnvironmentTwin("--no-gitignore"));
  AddFlag(command, "--baseline", options.baseline, "file of findings that are known")
      ->type_name("FILE");
  command.add_flag("--write-baseline", options.write_baseline,
                   "write what is found into the file of --baseline");
  AddFlag(command, "--fail-on", options.fail_on, "least severe finding that makes the exit code 1")
      ->check(IsOneOf({"deny", "warn", "never"}));
  command
      .add_flag("--fail-if-nothing-found", options.fail_if_nothing_found,
                "exit code 2 if there is no TPU workload")
      ->envname(EnvironmentTwin("--fail-if-nothing-found"));
}

void AddFix(CLI::App& command, CheckOptions& options) {
  CLI::Option* const fix =
      command.add_flag("--fix", options.fix, "write repairs into the files, then check them");
  command
      .add_flag("--diff", options.diff, "print what --fix would write; exit code 1 if there is any")
      ->excludes(fix);
  command.add_option("--repair", options.repair, "which repair to write")
      ->check(IsOneOf({"a", "b", "c"}))
      ->capture_default_str();
}

}  // namespace

void AddCheckFlags(CLI::App& command, CheckOptions& options) {
  command
      .add_option("PATH", options.paths,
                  "files, globs, or folders of .yaml, .yml and .json; - is standard input")
      ->required();
  AddFlag(command, "--node-record", options.engine.node_record_file,
          "what TPU nodes the cluster has, as the controller keeps it; enables their rule")
      ->type_name("FILE")
      ->check(CLI::Validator(
          [](const std::string& path) {
            const Status status = CheckNodeRecord(path, DiskFiles());
            return status ? std::string() : status.error().message;
          },
          ""));
  AddFlag(command, "--namespace", options.namespace_name, "of objects that name none")
      ->check(IsName());
  const auto formats = offline::FormatNames();
  AddOutput(command, options.output, {formats.begin(), formats.end()});
  AddFlag(command, "--color", options.color,
          "colour of text; auto: on a terminal, without NO_COLOR")
      ->check(IsOneOf({"auto", "always", "never"}));
  AddChoices(command, options);
  AddFix(command, options);
  AddFlag(command, "--threads", options.threads, "files judged at once; 0: one per processor")
      ->check(IsWhole(0, 256));
  command.footer(kFooter);
}

}  // namespace tpu_admission::app
