#include "app/check_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>
#include <system_error>

#include "app/ordered_work.h"
#include "app/path_from_here.h"
#include "tpu_admission/base/files.h"
#include "tpu_admission/base/line_index.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/net/processors.h"
#include "tpu_admission/offline/fix.h"
#include "tpu_admission/offline/format.h"
#include "tpu_admission/offline/mention.h"
#include "tpu_admission/offline/templates.h"
#include "tpu_admission/offline/unified_diff.h"

namespace tpu_admission::app {
namespace {

using offline::FileReport;

constexpr YamlMark kWholeFile = {0, 0, 0};

std::size_t Threads(const CheckOptions& options) {
  if (options.threads > 0) return std::size_t(options.threads);
  return std::size_t(net::UsableProcessors(DiskFiles(), net::AllowedProcessors()));
}

WalkOptions WalkOf(const CheckOptions& options) {
  WalkOptions walk;
  walk.respect_gitignore = !options.no_gitignore;
  const auto add = [&](const std::string& folder, const std::vector<std::string>& globs) {
    if (globs.empty()) return;
    WalkOptions::Exclusion& exclusion = walk.exclude.emplace_back();
    exclusion.folder = folder;
    for (const std::string& glob : globs) exclusion.patterns.Add(glob);
  };
  add(".", options.exclude);
  add(options.project_folder, options.excludes_of_project);
  return walk;
}

// An error of Files, which begins with the name that is told beside it.
std::string WithoutName(const std::string& path, const std::string& message) {
  const std::string start = (path == "-" ? "standard input" : ShownPath(path)) + ": ";
  return message.starts_with(start) ? message.substr(start.size()) : message;
}

// Nobody asked for this file by its name, so that it cannot be read is no failure: it is a
// template, or nothing of ours (another program's YAML, JSON with comments).
bool MayBePassedOver(const FoundFile& found, bool is_template, std::string_view text) {
  return !found.is_named && (is_template || !offline::MentionsTpus(text));
}

// What is told of such a file instead of its errors.
void PassOver(FileReport& report) {
  offline::Note why = std::move(report.errors.front());
  report.errors.clear();
  if (!report.is_template) {
    why.text = "passed over, since it cannot be read and does not speak of TPUs: " + why.text;
  }
  report.warnings.insert(report.warnings.begin(), std::move(why));
}

FileReport Read(const admission::Settings& settings, const offline::CheckWish& wish,
                const FoundFile& found) {
  FileReport report;
  report.file = found.path;
  if (!found.error.empty()) report.errors.push_back({kWholeFile, found.error});
  if (!found.skipped.empty()) report.warnings.push_back({kWholeFile, found.skipped});
  if (!found.patch_of.empty()) {
    report.warnings.push_back({kWholeFile, offline::RenderPatch(found.patch_of)});
  }
  if (!report.errors.empty() || !report.warnings.empty()) return report;
  Result<std::string> text = DiskFiles().ReadInput(found.path, offline::kMaxManifestBytes);
  if (!text) {
    report.errors.push_back({kWholeFile, WithoutName(found.path, text.error().message)});
    return report;
  }
  report = CheckText(settings, wish, found.path, *std::move(text));
  if (!report.errors.empty() && MayBePassedOver(found, report.is_template, report.text)) {
    PassOver(report);
  }
  if (report.objects.empty() && report.errors.empty()) report.text.clear();
  return report;
}

// As `check` tells them.
void TellErrors(const std::string& file, const std::string& text,
                std::vector<offline::Note> errors) {
  FileReport report;
  report.file = file;
  report.text = text;
  report.errors = std::move(errors);
  std::string told;
  offline::NewFormat("text", false)->Add(report, told);
  std::cerr << told;
}

std::string RandomWord() {
  std::random_device random;
  return std::to_string(std::uint64_t(random()) << 32U | random());
}

void TellDiff(std::string diff) {
  const char* const actions = std::getenv("GITHUB_ACTIONS");
  if (::isatty(STDOUT_FILENO) == 1) {
    diff = offline::ShownDiff(diff);
  } else if (actions != nullptr && std::string_view(actions) == "true") {
    diff = offline::WithCommandsOff(std::move(diff), "tpu-admission-" + RandomWord());
  }
  std::cout << diff;
}

struct NewFile {
  int descriptor = -1;
  std::string path;
};

// `mode` is that of open(2). What is put behind a long name takes the place of its end.
NewFile OpenBeside(const std::filesystem::path& truth, ::mode_t mode) {
  constexpr int kMostTries = 16;
  constexpr std::size_t kMostBytes = 200;  // of the 255 that a name may have
  const std::string name = truth.filename();
  std::size_t end = std::min(name.size(), kMostBytes);
  while (end < name.size() && IsContinuation(name[end])) --end;
  const std::string path = truth.parent_path() / name.substr(0, end);
  for (int i = 0; i < kMostTries; ++i) {
    std::string beside = path + ".tpu-admission-" + RandomWord();
    const int file =
        ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (file >= 0) return {file, std::move(beside)};
    if (errno != EEXIST) break;
  }
  return {};
}

bool WriteAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t bytes = ::write(file, text.data(), text.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return false;
    text.remove_prefix(std::size_t(bytes));
  }
  return true;
}

bool Says(const std::string& file, const std::string& text) {
  const Result<std::string> now = DiskFiles().Read(file, text.size());
  return now && *now == text;
}

}  // namespace

void CheckFiles(const admission::Settings& settings, const offline::CheckWish& wish,
                const CheckOptions& options, const std::function<void(FileReport)>& tell) {
  OrderedWork<FoundFile, FileReport> work(
      Threads(options), [&](const FoundFile& found) { return Read(settings, wish, found); }, tell);
  ForEachManifestFile(options.paths, WalkOf(options),
                      [&](FoundFile found) { work.Add(std::move(found)); });
  work.Finish();
}

FixOutcome FixFiles(const admission::Settings& settings, const offline::CheckWish& wish,
                    const CheckOptions& options) {
  FixOutcome outcome;
  const auto fail = [&](const std::string& what) {
    std::cerr << "tpu-admission: " << ShownLines(what) << '\n';
    outcome.whole = false;
  };
  ForEachManifestFile(options.paths, WalkOf(options), [&](const FoundFile& found) {
    if (!found.error.empty()) return fail(ShownPath(found.path) + ": " + found.error);
    if (!found.skipped.empty() || !found.patch_of.empty()) return;
    const Result<std::string> text = DiskFiles().ReadInput(found.path, offline::kMaxManifestBytes);
    if (!text) return fail(text.error().message);
    const offline::FixedText fixed =
        offline::FixText(settings, wish, options.repair.front(), *text);
    if (!fixed.errors.empty() && !MayBePassedOver(found, fixed.is_template, *text)) {
      TellErrors(found.path, *text, fixed.errors);
      outcome.whole = false;
    }
    for (const std::string& problem : fixed.problems) fail(ShownPath(found.path) + ": " + problem);
    if (fixed.text == *text) return;
    outcome.differs = true;
    for (const std::string& change : fixed.chip_changes) {
      std::cerr << "tpu-admission: " << ShownLines(ShownPath(found.path) + ": " + change) << '\n';
    }
    if (options.diff) {
      TellDiff(offline::UnifiedDiff(PathInDiff(found.path), *text, fixed.text));
    } else if (!found.below.empty() && !LiesBelow(found.path, found.below)) {
      fail(ShownPath(found.path) + ": not changed, since it lies outside of " +
           ShownPath(found.below) + " behind a link; name it to change it");
    } else if (const Status written = WriteFile(found.path, fixed.text, &*text); !written) {
      fail(written.error().message);
    } else {
      std::cerr << "tpu-admission: " << (fixed.problems.empty() ? "" : "partly ") << "repaired "
                << ShownPath(found.path) << '\n';
    }
  });
  return outcome;
}

bool LiesBelow(const std::string& file, const std::string& folder) {
  std::error_code error;
  const auto top = std::filesystem::canonical(folder, error);
  if (error) return false;
  const auto truth =
      std::filesystem::weakly_canonical(std::filesystem::absolute(file, error), error);
  if (error) return false;
  return std::mismatch(top.begin(), top.end(), truth.begin(), truth.end()).first == top.end();
}

// A new file beside the old one, whose name nobody can foresee and which no link stands for, takes
// its place.
Status WriteFile(const std::string& file, const std::string& text, const std::string* was) {
  const auto failure = [&](const std::string& why) { return Error{ShownPath(file) + ": " + why}; };
  const auto cannot = [&](int code) {
    return failure("cannot be written: " + std::generic_category().message(code));
  };
  std::error_code error;
  const std::filesystem::path truth = std::filesystem::weakly_canonical(file, error);
  if (error) return cannot(error.value());
  struct stat old {};
  const bool exists = ::stat(truth.c_str(), &old) == 0;
  // Another file would take its place, for everybody.
  if (exists && !S_ISREG(old.st_mode) && !S_ISDIR(old.st_mode)) {
    return failure("is a pipe or device, wanted a file");
  }
  if (exists && (old.st_mode & 0222) == 0) {
    return failure(
        "not changed, since it is read-only; make it writable (chmod u+w), then try again");
  }
  if (exists && ::access(truth.c_str(), W_OK) != 0) return cannot(errno);
  const auto [out, beside] = OpenBeside(truth, exists ? 0600 : 0666);
  if (out < 0) return cannot(errno);
  if (exists) {
    // Who may not give files away keeps it.
    [[maybe_unused]] const int given = ::fchown(out, old.st_uid, old.st_gid);
  }
  const bool has_mode = !exists || ::fchmod(out, old.st_mode & 07777) == 0;
  // Written down before it takes the place of what is.
  int code = has_mode && WriteAll(out, text) && ::fsync(out) == 0 ? 0 : errno;
  if (::close(out) != 0 && code == 0) code = errno;
  const bool same = was == nullptr || Says(truth, *was);
  if (code == 0 && same) {
    if (::rename(beside.c_str(), truth.c_str()) == 0) return OkStatus();
    code = errno;
  }
  ::unlink(beside.c_str());
  if (same) return cannot(code);
  return failure("not changed, since somebody else changed it meanwhile; try again");
}

}  // namespace tpu_admission::app
