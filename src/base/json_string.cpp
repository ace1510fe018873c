#include "tpu_admission/base/json_string.h"

namespace tpu_admission {
namespace {

void AppendEscaped(std::string& json, unsigned char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  if (c == '"' || c == '\\') {
    json += '\\';
    json += static_cast<char>(c);
  } else if (c == '\n') {
    json += "\\n";
  } else {
    json += "\\u00";
    json += kHex[c >> 4U];
    json += kHex[c & 0xFU];
  }
}

}  // namespace

void AppendJsonString(std::string& json, std::string_view text) {
  json += '"';
  std::size_t plain = 0;  // start of the run that needs no escape
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7F) continue;
    json += text.substr(plain, i - plain);
    AppendEscaped(json, c);
    plain = i + 1;
  }
  json += text.substr(plain);
  json += '"';
}

}  // namespace tpu_admission
