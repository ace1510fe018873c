#include "base/json_string.h"

namespace tpu_admission {
namespace {

void AppendControl(std::string& json, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  json += "\\u00";
  json += kHex[byte >> 4U];
  json += kHex[byte & 0xFU];
}

}  // namespace

void AppendJsonString(std::string& json, std::string_view text) {
  json += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (c == '\n') {
      json += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      AppendControl(json, c);
    } else {
      json += c;
    }
  }
  json += '"';
}

}  // namespace tpu_admission
