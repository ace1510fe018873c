// `# tpu-admission: ignore <id> our zone is new`: a comment that excuses what stands on its line,
// or, on a line of its own, what begins on the next line, with all that is inside. Above the first
// line of a document it holds for all of it. It counts for files alone: a cluster sees no comments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/base/yaml.h"
#include "tpu_admission/offline/check.h"

namespace tpu_admission::offline {

// Of one text. What cannot be read (no rule, no reason) becomes a warning.
class IgnoreComments {
 public:
  IgnoreComments(std::string_view text, const YamlStream& stream, std::vector<Note>& warnings);

  // Why a finding of `rule` at `pointer` is to be ignored; empty: it is not.
  std::string ReasonToIgnore(const rules::Rule& rule, const YamlDocument& document,
                             std::string_view pointer);
  // A warning for each that excused nothing; not where its rules were not asked for. The last call:
  // of too many warnings it tells the number.
  void TellUnused(const RuleChoice& asked, std::vector<Note>& warnings);

 private:
  struct Entry {
    YamlMark mark;
    std::uint32_t line = 0;  // what begins here is excused
    const rules::Rule* rule = nullptr;
    std::string reason;
    bool used = false;
  };
  void Read(std::string_view words, YamlMark mark, std::uint32_t line, std::vector<Note>& warnings);

  void Warn(Note warning, std::vector<Note>& warnings);

  std::vector<Entry> entries_;
  std::size_t warned_ = 0;
  YamlMark first_untold_;
};

}  // namespace tpu_admission::offline
