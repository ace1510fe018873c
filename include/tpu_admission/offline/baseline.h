// What an old repository knows to be wrong: findings that a run wrote down, and that later runs do
// not tell. Pure.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "tpu_admission/base/result.h"
#include "tpu_admission/offline/check.h"

namespace tpu_admission::offline {

// The same fault, wherever its line is now.
struct KnownFinding {
  std::string file;  // relative to the baseline's folder
  std::string kind;
  std::string namespace_name;
  std::string name;
  std::string rule;
  std::string field;
  friend auto operator<=>(const KnownFinding&, const KnownFinding&) = default;
};

// Not thread-safe.
class Baseline {
 public:
  // Strict: "origin:LINE:COLUMN: key: what".
  static Result<Baseline> Parse(std::string_view text, std::string_view origin);

  // Sets is_known of the findings that stand here, each entry as often as it was counted. `file`:
  // the report's, relative to the baseline's folder.
  void Mark(const std::string& file, FileReport& report);
  // Findings that are in it and that no report had: of files that had a report, or are not there
  // any more. Of others nobody knows.
  std::size_t Left(const std::function<bool(const std::string& file)>& is_there) const;

  // Notes all that is told of the report.
  void Add(const std::string& file, const FileReport& report);
  std::string Text() const;  // as Parse() reads it

 private:
  std::map<KnownFinding, std::size_t> counts_;
  std::set<std::string> seen_;  // files
};

}  // namespace tpu_admission::offline
