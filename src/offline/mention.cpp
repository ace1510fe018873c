#include "tpu_admission/offline/mention.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>

#include "tpu_admission/base/text.h"

namespace tpu_admission::offline {
namespace {

bool IsLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool IsUpper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && SameButForCase(text.substr(text.size() - end.size()), end);
}

// Whether a word may begin with `first` behind `before`. A backslash makes a tab of the t.
bool BeginsWord(std::string_view before, char first) {
  if (before.empty()) return true;
  const char last = before.back();
  if (!IsLetter(last)) return last != '\\';
  return (IsUpper(first) && !IsUpper(last)) || EndsWith(before, "high") || EndsWith(before, "lib");
}

}  // namespace

bool MentionsTpus(std::string_view text) {
  if (text.find('\0') != text.npos) {
    std::string without(text);
    std::erase(without, '\0');
    return MentionsTpus(without);
  }
  constexpr std::string_view kWord = "tpu";
  const auto is_same = [](char a, char b) { return Lower(a) == b; };
  for (auto at = text.begin();; ++at) {
    at = std::search(at, text.end(), kWord.begin(), kWord.end(), is_same);
    if (at == text.end()) return false;
    if (BeginsWord(text.substr(0, std::size_t(at - text.begin())), *at)) return true;
  }
}

}  // namespace tpu_admission::offline
