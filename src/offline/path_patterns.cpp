#include "tpu_admission/offline/path_patterns.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace tpu_admission::offline {
namespace {

struct CharacterClass {
  std::string_view name;
  int (*has)(int);
};
constexpr std::array<CharacterClass, 12> kClasses = {{{"alnum", std::isalnum},
                                                      {"alpha", std::isalpha},
                                                      {"blank", std::isblank},
                                                      {"cntrl", std::iscntrl},
                                                      {"digit", std::isdigit},
                                                      {"graph", std::isgraph},
                                                      {"lower", std::islower},
                                                      {"print", std::isprint},
                                                      {"punct", std::ispunct},
                                                      {"space", std::isspace},
                                                      {"upper", std::isupper},
                                                      {"xdigit", std::isxdigit}}};

bool IsOfClass(std::string_view name, char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x80 && std::any_of(kClasses.begin(), kClasses.end(), [&](const auto& each) {
           return each.name == name && each.has(byte) != 0;
         });
}

// What a character within brackets stands for, and with a backslash before it the next one. `at` is
// then at its last character.
unsigned char TakeBracketed(std::string_view glob, std::size_t& at) {
  if (glob[at] == '\\' && at + 1 < glob.size()) ++at;
  return static_cast<unsigned char>(glob[at]);
}

// Whether `c` is in the brackets that `glob` begins with; takes them off. Brackets that do not end
// are the character "[".
bool TakeBrackets(std::string_view& glob, char c) {
  std::size_t at = 1;
  const bool negated = at < glob.size() && (glob[at] == '!' || glob[at] == '^');
  if (negated) ++at;
  bool found = false;
  for (const std::size_t first = at; at < glob.size() && (glob[at] != ']' || at == first); ++at) {
    const std::size_t end_of_class = glob.substr(at).starts_with("[:") ? glob.find(']', at) : 0;
    if (end_of_class > at + 2 && end_of_class < glob.size() && glob[end_of_class - 1] == ':') {
      found = found || IsOfClass(glob.substr(at + 2, end_of_class - at - 3), c);
      at = end_of_class;
      continue;
    }
    const unsigned char from = TakeBracketed(glob, at);
    unsigned char to = from;
    if (at + 2 < glob.size() && glob[at + 1] == '-' && glob[at + 2] != ']') {
      at += 2;
      to = TakeBracketed(glob, at);
    }
    const auto byte = static_cast<unsigned char>(c);
    found = found || (from <= byte && byte <= to);
  }
  if (at >= glob.size()) {
    glob.remove_prefix(1);
    return c == '[';
  }
  glob.remove_prefix(at + 1);
  return found != negated;
}

// One character of a name; takes what stands for it off `glob`, which is not empty and no `*`.
bool TakeOne(std::string_view& glob, char c) {
  if (glob.front() == '[') return TakeBrackets(glob, c);
  if (glob.front() == '\\' && glob.size() > 1) glob.remove_prefix(1);
  const bool any = glob.front() == '?';
  const bool same = any || glob.front() == c;
  glob.remove_prefix(1);
  return same;
}

// A name without a slash. After a star, the least that it may stand for is tried first.
bool NameMatches(std::string_view glob, std::string_view name) {
  bool starred = false;
  std::string_view after_star;
  std::string_view from;
  while (!name.empty() || !glob.empty()) {
    if (glob.starts_with('*')) {
      glob.remove_prefix(1);
      starred = true;
      after_star = glob;
      from = name;
      continue;
    }
    if (!name.empty() && !glob.empty() && TakeOne(glob, name.front())) {
      name.remove_prefix(1);
      continue;
    }
    if (!starred || from.empty()) return false;
    from.remove_prefix(1);
    name = from;
    glob = after_star;
  }
  return true;
}

std::string_view TakeName(std::string_view& path) {
  const std::size_t slash = std::min(path.find('/'), path.size());
  const std::string_view name = path.substr(0, slash);
  path.remove_prefix(std::min(slash + 1, path.size()));
  return name;
}

}  // namespace

bool GlobMatches(std::string_view glob, std::string_view path) {
  bool starred = false;
  std::string_view after_star;
  std::string_view from;
  while (!path.empty() || !glob.empty()) {
    std::string_view rest = glob;
    const std::string_view pattern = TakeName(rest);
    if (!glob.empty() && pattern == "**") {
      glob = after_star = rest;
      starred = true;
      from = path;
      if (glob.empty()) return !path.empty();  // what is inside, and not the folder itself
      continue;
    }
    std::string_view below = path;
    const std::string_view name = TakeName(below);
    if (!glob.empty() && !path.empty() && NameMatches(pattern, name)) {
      glob = rest;
      path = below;
      continue;
    }
    if (!starred || from.empty()) return false;
    TakeName(from);
    path = from;
    glob = after_star;
  }
  return true;
}

bool IsGlob(std::string_view text) { return text.find_first_of("*?[") != text.npos; }

PathPatterns PathPatterns::Parse(std::string_view lines) {
  PathPatterns patterns;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    patterns.Add(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return patterns;
}

void PathPatterns::Add(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  while (line.ends_with(' ') && !line.ends_with("\\ ")) line.remove_suffix(1);
  if (line.empty() || line.starts_with('#')) return;
  Pattern pattern;
  pattern.negated = line.starts_with('!');
  if (pattern.negated) line.remove_prefix(1);
  pattern.only_folders = line.ends_with('/');
  while (line.ends_with('/')) line.remove_suffix(1);
  pattern.anchored = line.find('/') != line.npos;
  while (line.starts_with("./")) line.remove_prefix(2);
  if (line.starts_with('/')) line.remove_prefix(1);
  if (line.empty()) return;
  pattern.glob = line;
  patterns_.push_back(std::move(pattern));
}

std::optional<bool> PathPatterns::Excludes(std::string_view path, bool is_folder) const {
  const std::string_view name = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  for (auto pattern = patterns_.rbegin(); pattern != patterns_.rend(); ++pattern) {
    if (pattern->only_folders && !is_folder) continue;
    if (GlobMatches(pattern->glob, pattern->anchored ? path : name)) return !pattern->negated;
  }
  return std::nullopt;
}

}  // namespace tpu_admission::offline
