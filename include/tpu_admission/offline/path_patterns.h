// Which paths are left out: lines of a .gitignore, and globs of a command line. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tpu_admission::offline {

// `*` and `?` within a name, `[a-z]` with classes such as `[:digit:]`, `**` across names; at the
// end, `/**` is all that is inside. Takes time by the product of the lengths at worst.
bool GlobMatches(std::string_view glob, std::string_view path);
bool IsGlob(std::string_view text);

// Patterns as .gitignore has them (gitignore(5)): the last that matches decides, `!` takes back,
// `/` at the end is for folders, and a pattern without a slash before its end holds at every depth.
class PathPatterns {
 public:
  PathPatterns() = default;
  static PathPatterns Parse(std::string_view lines);
  void Add(std::string_view line);

  // Whether the path is left out; nothing: no pattern speaks of it. `path` is relative to where the
  // patterns stand, with `/` between names and none at the ends.
  std::optional<bool> Excludes(std::string_view path, bool is_folder) const;
  bool empty() const { return patterns_.empty(); }

 private:
  struct Pattern {
    std::string glob;
    bool negated = false;
    bool only_folders = false;
    bool anchored = false;
  };
  std::vector<Pattern> patterns_;
};

}  // namespace tpu_admission::offline
