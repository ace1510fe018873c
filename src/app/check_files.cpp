#include "app/check_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "app/ordered_work.h"
#include "tpu_admission/base/files.h"
#include "tpu_admission/net/processors.h"
#include "tpu_admission/offline/fix.h"
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
  const std::string start = (path == "-" ? "standard input" : path) + ": ";
  return message.starts_with(start) ? message.substr(start.size()) : message;
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
  // Nobody asked for this template by its name, so that it cannot be read is no failure.
  if (report.is_template && !found.is_named) report.warnings.swap(report.errors);
  if (report.objects.empty() && report.errors.empty()) report.text.clear();
  return report;
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
    std::cerr << "tpu-admission: " << what << '\n';
    outcome.whole = false;
  };
  ForEachManifestFile(options.paths, WalkOf(options), [&](const FoundFile& found) {
    if (!found.error.empty()) return fail(found.path + ": " + found.error);
    if (!found.skipped.empty() || !found.patch_of.empty()) return;
    const Result<std::string> text = DiskFiles().ReadInput(found.path, offline::kMaxManifestBytes);
    if (!text) return fail(text.error().message);
    const offline::FixedText fixed =
        offline::FixText(settings, wish, options.repair.front(), *text);
    for (const std::string& problem : fixed.problems) fail(found.path + ": " + problem);
    if (fixed.text == *text) return;
    outcome.differs = true;
    if (options.diff) {
      std::cout << offline::UnifiedDiff(found.path, *text, fixed.text);
    } else if (const Status written = WriteFile(found.path, fixed.text); !written) {
      fail(written.error().message);
    } else {
      std::cerr << "tpu-admission: repaired " << found.path << '\n';
    }
  });
  return outcome;
}

Status WriteFile(const std::string& file, const std::string& text) {
  const std::filesystem::path truth = std::filesystem::weakly_canonical(file);
  const std::filesystem::path beside = truth.string() + ".tpu-admission-new";
  std::error_code error;
  std::ofstream out(beside, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (out) {
    const auto status = std::filesystem::status(truth, error);
    if (std::filesystem::exists(status)) {
      std::filesystem::permissions(beside, status.permissions(), error);
    }
    std::filesystem::rename(beside, truth, error);
    if (!error) return OkStatus();
  }
  std::filesystem::remove(beside, error);
  return Error{file + ": cannot be written"};
}

}  // namespace tpu_admission::app
