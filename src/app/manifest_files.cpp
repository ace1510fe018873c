#include "app/manifest_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "tpu_admission/base/files.h"
#include "tpu_admission/offline/templates.h"

namespace tpu_admission::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxIgnoreBytes = 1 << 20;
constexpr std::size_t kMaxFolders = 256;  // inside each other

bool IsManifest(const fs::path& path) {
  static const std::array<std::string, 3> kEndings = {".yaml", ".yml", ".json"};
  return std::find(kEndings.begin(), kEndings.end(), path.extension()) != kEndings.end();
}

bool IsFile(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// What has a name in a folder: a folder, a file, or why nobody can tell.
struct Named {
  std::string name;
  bool is_folder = false;
  std::error_code error;
};

// Nothing for what is neither folder nor manifest, such as a pipe, whatever its name.
std::optional<Named> NamedBy(const fs::directory_entry& entry) {
  Named named{entry.path().filename().string(), false, {}};
  // ".#x.yaml" is the lock of an editor: a link that leads nowhere.
  if (named.name == ".git" || named.name.starts_with(".#")) return std::nullopt;
  const bool is_manifest = IsManifest(named.name);
  named.is_folder = entry.is_directory(named.error);
  if (named.is_folder) return named;
  // A link that leads nowhere is no folder; one that nobody may follow could be.
  const bool leads_nowhere = named.error == std::errc::no_such_file_or_directory ||
                             named.error == std::errc::not_a_directory ||
                             named.error == std::errc::too_many_symbolic_link_levels;
  std::error_code error;
  const bool wanted =
      named.error ? is_manifest || !leads_nowhere : is_manifest && entry.is_regular_file(error);
  return wanted ? std::optional(named) : std::nullopt;
}

// Empty where there is none any more: what is named by its whole path can be read all the same.
fs::path CurrentFolder() {
  std::error_code error;
  return fs::current_path(error);
}

// Where the glob's first name with a special character stands: the folder before it.
fs::path FixedPart(const std::string& glob) {
  fs::path fixed;
  for (const fs::path& name : fs::path(glob)) {
    if (offline::IsGlob(name.string())) break;
    fixed /= name;
  }
  return fixed.empty() ? fs::path(".") : fixed;
}

class Walk {
 public:
  Walk(const WalkOptions& options, const std::function<void(FoundFile)>& each)
      : options_(options), each_(each), here_(CurrentFolder()) {}

  void Take(const std::string& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (path == "-") {
      each_({.path = path, .is_named = true});
    } else if (fs::exists(status)) {
      if (IsLeftOut(path, fs::is_directory(status))) return;
      if (fs::is_directory(status)) return LookBelow(path);
      each_({.path = path, .is_named = true, .patch_of = PatchedBy(path)});
    } else if (offline::IsGlob(path)) {
      glob_ = fs::path(path).lexically_normal().string();
      found_ = 0;
      LookBelow(FixedPart(path));
      glob_.clear();
      if (found_ == 0) each_({.path = path, .error = "matches no file"});
    } else {
      const bool is_missing = error == std::errc::no_such_file_or_directory;
      each_({.path = path, .error = is_missing ? "no such file or directory" : error.message()});
    }
  }

 private:
  // The .gitignore of one folder.
  struct Ignore {
    fs::path folder;  // as `Absolute` writes it
    offline::PathPatterns patterns;
  };

  fs::path Absolute(const fs::path& path) const { return (here_ / path).lexically_normal(); }

  // By --exclude: the path, or a folder that it is in.
  bool IsLeftOut(const fs::path& path, bool is_folder) const {
    return IsExcluded(path.string(), is_folder, here_.string(), options_);
  }

  bool IsIgnored(const fs::path& path, bool is_folder) const {
    for (auto ignore = ignores_.rbegin(); ignore != ignores_.rend(); ++ignore) {
      const std::string relative = Absolute(path).lexically_relative(ignore->folder).string();
      if (relative.starts_with("..")) continue;
      if (const auto out = ignore->patterns.Excludes(relative, is_folder)) return *out;
    }
    return false;
  }

  void ReadIgnore(const fs::path& folder) {
    const auto text = DiskFiles().Read((folder / ".gitignore").string(), kMaxIgnoreBytes);
    if (text) ignores_.push_back({folder, offline::PathPatterns::Parse(*text)});
  }

  // Those of the repository above `folder`.
  void ReadIgnoresAbove(const fs::path& folder) {
    const std::string repository = RepositoryOf(folder.string());
    if (repository.empty()) return;
    fs::path above = repository;
    const fs::path below = folder.lexically_relative(repository);
    for (const fs::path& name : below) {
      if (name.empty() || name == ".") break;
      ReadIgnore(above);
      above /= name;
    }
  }

  // What the kustomization of this folder, or of one above it, says that the file is.
  std::string PatchedBy(const fs::path& file) {
    const fs::path absolute = Absolute(file);
    if (!seen_kustomizations_.contains(absolute.parent_path())) {
      fs::path folder = absolute.parent_path();
      for (int levels = 0; levels < 3 && folder.has_relative_path(); ++levels) {
        ReadKustomization(folder, (file.parent_path() / fs::path(Ups(levels))).lexically_normal());
        folder = folder.parent_path();
      }
    }
    const auto found = patches_.find(absolute.string());
    return found == patches_.end() ? "" : found->second;
  }
  static std::string Ups(int levels) {
    std::string ups;
    for (int i = 0; i < levels; ++i) ups += "../";
    return ups;
  }

  void ReadKustomization(const fs::path& absolute, const fs::path& shown) {
    if (!seen_kustomizations_.insert(absolute).second) return;
    for (const char* name : {"kustomization.yaml", "kustomization.yml", "Kustomization"}) {
      const auto text = DiskFiles().Read((absolute / name).string(), kMaxIgnoreBytes);
      if (!text) continue;
      for (const std::string& patch : offline::PatchesOf(*text)) {
        patches_.emplace((absolute / patch).lexically_normal().string(), (shown / name).string());
      }
      return;
    }
  }

  void LookBelow(const fs::path& folder) {
    below_ = folder.string();
    LookInto(folder, folder, 0);
  }

  // `shown`: the folder as it was asked for.
  void LookInto(const fs::path& folder, const fs::path& shown, std::size_t depth) {
    std::error_code error;
    const fs::path truth = fs::canonical(folder, error);
    if (error) return each_({.path = shown.string(), .error = error.message()});
    if (!seen_.insert(truth).second) return;
    if (depth > kMaxFolders) {
      return each_({.path = shown.string(), .error = "more than 256 folders inside each other"});
    }
    const std::size_t ignores = ignores_.size();
    const fs::path absolute = Absolute(folder);
    if (options_.respect_gitignore) {
      if (depth == 0) ReadIgnoresAbove(absolute);
      ReadIgnore(absolute);
    }
    ReadKustomization(absolute, shown);
    Visit(folder, shown, depth);
    ignores_.resize(ignores);
  }

  void Visit(const fs::path& folder, const fs::path& shown, std::size_t depth) {
    std::error_code error;
    std::vector<Named> all;  // a folder may have a million files
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      if (auto named = NamedBy(*entry)) all.push_back(*std::move(named));
    }
    if (error) each_({.path = shown.string(), .error = error.message()});
    std::sort(all.begin(), all.end(),
              [](const Named& a, const Named& b) { return a.name < b.name; });
    const bool chart = IsFile(folder / "Chart.yaml");
    for (const auto& [name, is_folder, unknown] : all) {
      const fs::path path = folder == "." ? fs::path(name) : folder / name;
      if (IsLeftOut(path, is_folder)) continue;
      if (options_.respect_gitignore && IsIgnored(path, is_folder)) continue;
      if (is_folder && chart && name == "templates") {
        each_({.path = path.string(), .skipped = offline::ChartTemplates(folder.string())});
      } else if (is_folder) {
        LookInto(path, path, depth + 1);
      } else if (glob_.empty() || !IsManifest(name) ||
                 offline::GlobMatches(glob_, path.lexically_normal().string())) {
        ++found_;
        each_({.path = path.string(),
               .below = below_,
               .error = unknown ? unknown.message() : "",
               .patch_of = PatchedBy(path)});
      }
    }
  }

  const WalkOptions& options_;
  const std::function<void(FoundFile)>& each_;
  const fs::path here_;
  std::set<fs::path> seen_;  // folders, by their true paths
  std::vector<Ignore> ignores_;
  std::set<fs::path> seen_kustomizations_;
  std::map<std::string, std::string> patches_;  // file, kustomization
  std::string below_;                           // the folder that is walked, as it was asked for
  std::string glob_;
  std::size_t found_ = 0;
};

}  // namespace

void ForEachManifestFile(const std::vector<std::string>& paths, const WalkOptions& options,
                         const std::function<void(FoundFile)>& each) {
  Walk walk(options, each);
  for (const std::string& path : paths) walk.Take(path);
}

bool IsExcluded(const std::string& path, bool is_folder, const std::string& here,
                const WalkOptions& options) {
  const auto absolute = [&](const std::string& some) {
    return (fs::path(here) / some).lexically_normal();
  };
  return std::any_of(options.exclude.begin(), options.exclude.end(), [&](const auto& some) {
    const fs::path relative = absolute(path).lexically_relative(absolute(some.folder));
    fs::path part;
    for (auto name = relative.begin(); name != relative.end(); ++name) {
      if (name->empty() || *name == "." || *name == "..") continue;
      part /= *name;
      const bool last = std::next(name) == relative.end();
      if (some.patterns.Excludes(part.string(), !last || is_folder).value_or(false)) return true;
    }
    return false;
  });
}

std::string RepositoryOf(const std::string& folder) {
  std::error_code error;
  for (fs::path above = folder;; above = above.parent_path()) {
    if (fs::exists(above / ".git", error)) return above.string();
    if (!above.has_relative_path()) return "";
  }
}

}  // namespace tpu_admission::app
