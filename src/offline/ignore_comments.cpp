#include "offline/ignore_comments.h"

#include <algorithm>
#include <utility>

#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/line_index.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::offline {
namespace {

constexpr std::string_view kMark = "tpu-admission:";  // behind # and blanks
constexpr std::size_t kShownReason = 200;
constexpr std::size_t kMostComments = 10'000;
constexpr std::size_t kMostWarnings = 100;

// Adds the parts of the text that are values, where a `#` is no comment.
void CollectScalars(const YamlNode& node, std::vector<std::pair<std::size_t, std::size_t>>& parts) {
  for (const YamlNode* item : node.items) CollectScalars(*item, parts);
  for (const YamlMember& member : node.members) CollectScalars(*member.value, parts);
  if (node.items.empty() && node.members.empty()) {
    parts.emplace_back(node.start.offset, node.end.offset);
  }
}

std::string_view LineFrom(std::string_view text, std::size_t offset) {
  return text.substr(offset, LineEnd(text, offset) - offset);
}

bool IsBlankOrComment(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  return first == line.npos || line[first] == '#' || line.starts_with("---");
}

// Counts lines as they are passed.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {
    if (text.starts_with(kByteOrderMark)) top_ = mark_.offset = kByteOrderMark.size();
  }
  // `offset` does not go back.
  YamlMark At(std::size_t offset) {
    mark_ = Advanced(mark_, text_.substr(mark_.offset, offset - mark_.offset));
    return mark_;
  }
  // What stands before it in its line.
  std::string_view before() const {
    const std::string_view above = text_.substr(0, mark_.offset);
    const std::size_t end = above.find_last_of("\r\n");
    return above.substr(end == above.npos ? top_ : end + 1);
  }

 private:
  std::string_view text_;
  std::size_t top_ = 0;  // where the text begins
  YamlMark mark_;
};

// Finds the lines below comments. What lies between two is looked at once.
class LinesBelow {
 public:
  explicit LinesBelow(std::string_view text) : text_(text) {}
  // The first line after `line` that is no comment; `offset` is in it, and does not go back.
  std::uint32_t After(std::size_t offset, std::uint32_t line) {
    if (offset < known_until_) return below_;
    below_ = line;
    std::size_t end = LineEnd(text_, offset);
    for (; end < text_.size(); end = LineEnd(text_, end + 1)) {
      if (!EndsLine(text_, end)) continue;  // \r of \r\n
      ++below_;
      if (!IsBlankOrComment(LineFrom(text_, end + 1))) break;
    }
    known_until_ = end;
    return below_;
  }

 private:
  std::string_view text_;
  std::size_t known_until_ = 0;  // the end of the line before `below_`
  std::uint32_t below_ = 0;
};

// Where the comment begins whose mark stands at `mark`; npos: none does.
std::size_t CommentOf(std::string_view text, std::size_t mark) {
  const std::size_t hash = text.substr(0, mark).find_last_not_of(" \t");
  return hash != text.npos && text[hash] == '#' ? hash : text.npos;
}

std::string_view TakeWord(std::string_view& text) {
  text = Trimmed(text);
  const std::size_t end = std::min(text.find_first_of(kSpace), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

bool LooksLikeARule(std::string_view word) {
  word = word.substr(0, word.find(','));
  return word.empty() || RuleNamed(word) != nullptr || !FamilyNamed(word).empty() ||
         word.starts_with("TPU");
}

// "A,B", also where blanks stand around a comma. What follows a comma and is no rule is the reason.
std::string TakeNames(std::string_view& words) {
  std::string names(TakeWord(words));
  while (!names.empty()) {
    std::string_view rest = words;
    const std::string_view next = TakeWord(rest);
    const bool goes_on = names.ends_with(',') ? LooksLikeARule(next) : next.starts_with(',');
    if (next.empty() || !goes_on) break;
    names += next;
    words = rest;
  }
  return names;
}

}  // namespace

IgnoreComments::IgnoreComments(std::string_view text, const YamlStream& stream,
                               std::vector<Note>& warnings) {
  if (text.find(kMark) == text.npos) return;
  std::vector<std::pair<std::size_t, std::size_t>> scalars;
  for (const YamlDocument& document : stream.documents) CollectScalars(*document.root, scalars);
  std::sort(scalars.begin(), scalars.end());
  LineCounter lines(text);
  LinesBelow below(text);
  std::size_t next = 0;
  while (entries_.size() < kMostComments) {
    const std::size_t mark_at = text.find(kMark, next);
    if (mark_at == text.npos) break;
    next = mark_at + kMark.size();
    const std::size_t at = CommentOf(text, mark_at);
    if (at == text.npos) continue;
    const auto after = std::upper_bound(scalars.begin(), scalars.end(), std::pair(at, text.size()));
    if (after != scalars.begin() && std::prev(after)->second > at) continue;
    next = LineEnd(text, at);  // the rest of the line is the comment's
    const YamlMark mark = lines.At(at);
    const std::string_view before = lines.before();
    if (!before.empty() && before.back() != ' ' && before.back() != '\t') continue;
    const bool alone = before.find_first_not_of(" \t") == before.npos;
    Read(LineFrom(text, mark_at + kMark.size()), mark,
         alone ? below.After(at, mark.line) : mark.line, warnings);
  }
}

void IgnoreComments::Read(std::string_view words, YamlMark mark, std::uint32_t line,
                          std::vector<Note>& warnings) {
  const auto complain = [&](std::string text) { Warn({mark, std::move(text)}, warnings); };
  const std::string_view verb = TakeWord(words);
  if (verb != "ignore") {
    return complain("tpu-admission: " + Quoted(verb) +
                    " is nothing that a comment can ask; write "
                    "`ignore`, rules and a reason");
  }
  const std::string all_names = TakeNames(words);
  std::string_view names = all_names;
  const std::string_view reason = Trimmed(words);
  if (names.empty()) return complain("tpu-admission: ignore what? Name rules, and a reason");
  if (reason.empty()) {
    return complain("this ignores nothing: say why, after the rule (# tpu-admission: ignore " +
                    Printable(names) + " REASON)");
  }
  while (!names.empty() && entries_.size() < kMostComments) {
    const std::size_t comma = std::min(names.find(','), names.size());
    const std::string_view name = names.substr(0, comma);
    names.remove_prefix(std::min(comma + 1, names.size()));
    if (name.empty()) continue;
    const rules::Rule* const rule = RuleNamed(name);
    if (rule == nullptr && !FamilyNamed(name).empty()) {
      complain("this ignores nothing: " + Quoted(name) +
               " stands for many rules, and a comment names each that it ignores");
    } else if (rule == nullptr) {
      complain(rules::NoSuchRule(name));
    } else {
      entries_.push_back({mark, line, rule, Printable(reason, kShownReason), false});
    }
  }
}

std::string IgnoreComments::ReasonToIgnore(const rules::Rule& rule, const YamlDocument& document,
                                           std::string_view pointer) {
  if (entries_.empty()) return "";
  std::vector<std::uint32_t> lines = {document.root->start.line};
  for (std::size_t end = pointer.find('/', 1); !pointer.empty(); end = pointer.find('/', end + 1)) {
    lines.push_back(document.PlaceOf(pointer.substr(0, end)).key.line);
    if (end == pointer.npos) break;
  }
  for (Entry& entry : entries_) {
    if (entry.rule != &rule || std::find(lines.begin(), lines.end(), entry.line) == lines.end()) {
      continue;
    }
    entry.used = true;
    return entry.reason;
  }
  return "";
}

void IgnoreComments::Warn(Note warning, std::vector<Note>& warnings) {
  if (++warned_ <= kMostWarnings) {
    warnings.push_back(std::move(warning));
  } else if (warned_ == kMostWarnings + 1) {
    first_untold_ = warning.place;
  }
}

void IgnoreComments::TellUnused(const RuleChoice& asked, std::vector<Note>& warnings) {
  for (const Entry& entry : entries_) {
    if (entry.used || !asked.Has(*entry.rule)) continue;
    Warn({entry.mark, "this ignores nothing: there is no " + std::string(entry.rule->id) +
                          " here; take the comment away"},
         warnings);
  }
  if (warned_ <= kMostWarnings) return;
  warnings.push_back({first_untold_, "and " + std::to_string(warned_ - kMostWarnings) +
                                         " more warnings of tpu-admission comments"});
}

}  // namespace tpu_admission::offline
