#include "tpu_admission/base/json_pointer.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "tpu_admission/base/text.h"

namespace tpu_admission {
namespace {

constexpr std::size_t kLongestKey = 317;  // of a label: prefix 253, slash, name 63

bool IsPlain(std::string_view token) {
  return !token.empty() && std::all_of(token.begin(), token.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
}

bool IsIndex(std::string_view token) {
  return !token.empty() && std::all_of(token.begin(), token.end(),
                                       [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::string Unescape(std::string_view token) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool escape = token[i] == '~' && i + 1 < token.size();
    if (escape && token[i + 1] == '1') {
      out += '/';
      ++i;
    } else if (escape && token[i + 1] == '0') {
      out += '~';
      ++i;
    } else {
      out += token[i];
    }
  }
  return out;
}

std::string Escaped(std::string_view token) {
  std::string out;
  for (const char c : token) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

void AppendPointerToken(std::string& pointer, std::string_view token) {
  pointer += '/';
  for (const char c : token) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
}

void AppendPointerIndex(std::string& pointer, std::size_t index) {
  pointer += '/';
  pointer += std::to_string(index);
}

std::string PointerBelow(std::string pointer, std::string_view token) {
  AppendPointerToken(pointer, token);
  return pointer;
}

std::string PointerBelow(std::string pointer, std::size_t index) {
  AppendPointerIndex(pointer, index);
  return pointer;
}

std::string TakePointerToken(std::string_view& pointer) {
  pointer.remove_prefix(1);
  const std::size_t end = std::min(pointer.find('/'), pointer.size());
  std::string token = Unescape(pointer.substr(0, end));
  pointer.remove_prefix(end);
  return token;
}

std::optional<std::size_t> PointerIndex(std::string_view token) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(token.begin(), token.end(), index);
  return end == token.end() && error == std::errc() ? std::optional(index) : std::nullopt;
}

std::string FieldPath(std::string_view pointer) {
  std::string path;
  while (!pointer.empty()) {
    const std::string token = Printable(TakePointerToken(pointer), kLongestKey);
    if (IsIndex(token)) {
      path += '[' + token + ']';
    } else if (!IsPlain(token)) {
      path += "['" + Escaped(token) + "']";
    } else {
      path += path.empty() ? token : '.' + token;
    }
  }
  return path;
}

}  // namespace tpu_admission
