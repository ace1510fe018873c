#include "tpu_admission/base/json_string.h"

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

// Of one byte; the start of a longer character is looked at as a whole.
bool IsPlain(unsigned char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; }

}  // namespace

void AppendJsonString(std::string& json, std::string_view text) {
  json += '"';
  const char* plain = text.data();  // start of the run that needs no escape
  while (!text.empty()) {
    if (IsPlain(static_cast<unsigned char>(text.front()))) {
      text.remove_prefix(1);
      continue;
    }
    const char* const begin = text.data();
    const char32_t character = TakeCharacter(text);
    if (character >= 0x80 && !IsInvisible(character)) continue;
    json.append(plain, begin);
    AppendEscaped(json, character);
    plain = text.data();
  }
  json.append(plain, text.data());
  json += '"';
}

}  // namespace tpu_admission
