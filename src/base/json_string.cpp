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

// The first byte that may need an escape: alone, or as the start of a longer character.
const char* PlainEnd(const char* at, const char* end) {
  return FindByte(at, end,
                  [](auto c) { return (c == '"') | (c == '\\') | (c < 0x20) | (c > 0x7E); });
}

}  // namespace

void AppendJsonString(std::string& json, std::string_view text) {
  json += '"';
  const char* plain = text.data();  // start of the run that needs no escape
  const char* const end = plain + text.size();
  for (const char* at = PlainEnd(plain, end); at != end; at = PlainEnd(at, end)) {
    std::string_view rest(at, std::size_t(end - at));
    const char32_t character = TakeCharacter(rest);
    const char* const begin = std::exchange(at, rest.data());
    if (character >= 0x80 && !IsInvisible(character)) continue;
    json.append(plain, begin);
    AppendEscaped(json, character);
    plain = at;
  }
  json.append(plain, end);
  json += '"';
}

std::string WithoutCommands(std::string_view json) {
  constexpr std::string_view kOld = "##[";
  constexpr std::string_view kSame = "#\\u0023[";
  std::string same;
  std::string_view rest = json;
  for (std::size_t at = rest.find(kOld); at != rest.npos; at = rest.find(kOld)) {
    same.append(rest.substr(0, at)).append(kSame);  // `#` stands in strings only
    rest.remove_prefix(at + kOld.size());
  }
  return same.append(rest);
}

}  // namespace tpu_admission
