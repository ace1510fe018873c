#include "tpu_admission/base/json_string.h"

#include <utility>

#include "tpu_admission/base/byte_scan.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission {
namespace {

void AppendHex(std::string& json, unsigned code) {
  constexpr std::string_view kHex = "0123456789abcdef";
  json += "\\u";
  for (const unsigned shift : {12U, 8U, 4U, 0U}) json += kHex[code >> shift & 0xFU];
}

void AppendEscaped(std::string& json, char32_t character) {
  if (character == '"' || character == '\\') {
    json += '\\';
    json += static_cast<char>(character);
  } else if (character == '\n') {
    json += "\\n";
  } else if (character < 0x10000) {
    AppendHex(json, character);
  } else {
    AppendHex(json, 0xD800 + ((character - 0x10000) >> 10U));
    AppendHex(json, 0xDC00 + ((character - 0x10000) & 0x3FFU));
  }
}

// Appends `text`, escaping each character that `must` be, of those whose first byte `may`.
template <typename May, typename Must>
void AppendEscaping(std::string& json, std::string_view text, May may, Must must) {
  const char* plain = text.data();  // start of the run that needs no escape
  const char* const end = plain + text.size();
  for (const char* at = FindByte(plain, end, may); at != end; at = FindByte(at, end, may)) {
    const std::string_view from(at, std::size_t(end - at));
    std::string_view rest = from;
    const char32_t character = TakeCharacter(rest);
    const char* const begin = std::exchange(at, rest.data());
    if (!must(character, from)) continue;
    json.append(plain, begin);
    AppendEscaped(json, character);
    plain = at;
  }
  json.append(plain, end);
}

}  // namespace

void AppendJsonString(std::string& json, std::string_view text) {
  json += '"';
  AppendEscaping(
      json, text, [](auto c) { return (c == '"') | (c == '\\') | (c < 0x20) | (c > 0x7E); },
      [](char32_t character, std::string_view) {
        return character < 0x80 || IsInvisible(character);
      });
  json += '"';
}

std::string HarmlessJson(std::string_view json) {
  std::string same;
  AppendEscaping(
      same, json, [](auto c) { return (c == '#') | (c > 0x7E); },
      [](char32_t character, std::string_view from) {
        return character == '#' ? from.starts_with("##[") : IsInvisible(character);
      });
  return same;
}

}  // namespace tpu_admission
