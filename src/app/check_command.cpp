// `tpu-admission check`: the engine on YAML files.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string_view>

#include "app/check_files.h"
#include "app/command_line.h"
#include "app/commands.h"
#include "app/path_from_here.h"
#include "app/settings_loader.h"
#include "tpu_admission/base/clock.h"
#include "tpu_admission/base/files.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/offline/baseline.h"
#include "tpu_admission/offline/format.h"

namespace tpu_admission::app {
namespace {

namespace fs = std::filesystem;
using offline::FileReport;

// https://no-color.org: set, and not empty.
bool WantsColour(const CheckOptions& options) {
  if (options.color != "auto") return options.color == "always";
  const char* const no = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  if (no != nullptr && *no != '\0') return false;
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return false;
  return ::isatty(STDOUT_FILENO) == 1;
}

// The baseline of the options, and what this run makes of it.
class KnownFindings {
 public:
  explicit KnownFindings(const CheckOptions& options) : options_(options) {
    std::error_code error;
    folder_ = fs::absolute(options.baseline, error).lexically_normal().parent_path();
  }

  Status Read() {
    if (options_.baseline.empty()) {
      if (options_.write_baseline) return Error{"--write-baseline needs --baseline FILE"};
      return OkStatus();
    }
    const Result<std::string> text = DiskFiles().Read(options_.baseline, kMaxBytes);
    const bool is_missing = !text && text.error().code == std::errc::no_such_file_or_directory;
    if (options_.write_baseline) return is_missing ? OkStatus() : MayReplace(text);
    if (!text) {
      return Error{"--baseline: " + text.error().message +
                   (is_missing ? "; --write-baseline writes it" : "")};
    }
    TPU_ADMISSION_TRY(known_, offline::Baseline::Parse(*text, options_.baseline));
    return OkStatus();
  }

  void Take(FileReport& report) {
    if (options_.baseline.empty()) return;
    std::error_code error;
    const fs::path file = fs::absolute(report.file, error).lexically_normal();
    const std::string relative =
        report.file == "-" ? "-" : file.lexically_relative(folder_).generic_string();
    if (options_.write_baseline) {
      known_.Add(relative, report);
    } else {
      known_.Mark(relative, report);
    }
  }

  // Writes it, or tells of what was not found.
  Status Finish() const {
    const std::string path = ShownPath(options_.baseline);
    const std::size_t left = known_.Left([&](const std::string& file) {
      std::error_code error;
      return fs::exists(folder_ / file, error);
    });
    if (options_.write_baseline) {
      TPU_ADMISSION_TRY_STATUS(WriteFile(options_.baseline, known_.Text()));
      std::cerr << "tpu-admission: wrote " << path << ", which knows " << Counted(left, "finding")
                << '\n';
    } else if (left > 0 && options_.select.empty() && options_.ignore.empty()) {
      std::cerr << "tpu-admission: " << left << " of the findings of " << path
                << (left == 1 ? " was" : " were")
                << " not found; --write-baseline writes it anew, of the files that it checks\n";
    }
    return OkStatus();
  }

 private:
  // Only a baseline gives way to another, or an empty file.
  Status MayReplace(const Result<std::string>& text) const {
    if (!text) return Error{"--write-baseline: " + text.error().message};
    if (text->empty()) return OkStatus();
    if (offline::Baseline::Parse(*text, options_.baseline)) return OkStatus();
    return Error{"--write-baseline: " + ShownPath(options_.baseline) +
                 " is no baseline, and is left as it is"};
  }

  static constexpr std::size_t kMaxBytes = 16 << 20;
  const CheckOptions& options_;
  fs::path folder_;
  offline::Baseline known_;
};

int ExitCode(const CheckOptions& options, const offline::Counts& counts) {
  if (counts.unreadable > 0) return kCannotRun;
  if (options.fail_if_nothing_found && counts.workloads == 0) {
    return CannotRun(Error{"no TPU workload was found (--fail-if-nothing-found)"});
  }
  if (options.write_baseline || options.fail_on == "never") return kDone;
  const bool warned = options.fail_on == "warn" && counts.warned > 0;
  return counts.denied > 0 || warned ? kFaultsFound : kDone;
}

int CheckAndTell(const admission::Settings& settings, const offline::CheckWish& wish,
                 const CheckOptions& options) {
  KnownFindings known(options);
  if (const Status read = known.Read(); !read) return CannotRun(read.error());
  const auto format = offline::NewFormat(options.output, WantsColour(options));
  // What reads these looks the file up in a repository, and knows findings again by it.
  const bool for_programs = options.output != "text" && options.output != "json";
  offline::Counts counts;
  std::string out;
  format->Begin(out);
  CheckFiles(settings, wish, options, [&](FileReport report) {
    known.Take(report);
    counts.Add(report);
    if (for_programs) report.file = PathFromHere(report.file);
    format->Add(report, out);
    std::cout << out;
    out.clear();
  });
  format->Finish(counts, out);
  std::cout << out;
  if (const Status finished = known.Finish(); !finished) return CannotRun(finished.error());
  return ExitCode(options, counts);
}

// Why the flags cannot go together, if they cannot.
std::optional<Error> Contradiction(const CheckOptions& options) {
  const bool from_input =
      std::find(options.paths.begin(), options.paths.end(), "-") != options.paths.end();
  if (options.fix && from_input) {
    return Error{"standard input cannot be repaired in place; use --diff"};
  }
  if (options.diff && options.output != "text") {
    return Error{"--diff prints a diff and no findings, so --output " + options.output +
                 " cannot go with it"};
  }
  if (options.diff && options.write_baseline) {
    return Error{"--diff writes nothing, so --write-baseline cannot go with it"};
  }
  if (options.repair != "a" && !options.fix && !options.diff) {
    return Error{"--repair " + options.repair + " needs --fix or --diff"};
  }
  if (std::find(options.paths.begin(), options.paths.end(), "") != options.paths.end()) {
    return Error{"a PATH is empty: name files or folders, or - for standard input"};
  }
  return std::nullopt;
}

}  // namespace

int Check(const CheckOptions& options) {
  const DiskFiles disk;
  SettingsLoader loader(options.engine, disk);
  const auto settings = loader.Load();
  if (!settings) return CannotRun(settings.error());
  ShowWarnings(loader.warnings());
  if (const auto error = Contradiction(options)) return CannotRun(*error);
  const auto rules = offline::RuleChoice::Parse(options.select, options.ignore);
  if (!rules) return CannotRun(rules.error());
  const offline::CheckWish wish = {.namespace_name = options.namespace_name,
                                   .today = DayOf(SystemClock().Now()),
                                   .rules = *rules,
                                   .with_recorded = options.output == "json"};
  FixOutcome outcome;
  if (options.fix || options.diff) outcome = FixFiles(**settings, wish, options);
  if (options.diff) return !outcome.whole ? kCannotRun : outcome.differs ? kFaultsFound : kDone;
  // What could not be repaired hides nothing of the rest.
  const int code = CheckAndTell(**settings, wish, options);
  return outcome.whole ? code : kCannotRun;
}

}  // namespace tpu_admission::app
