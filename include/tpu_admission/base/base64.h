// Base64 (RFC 4648, the standard alphabet with padding).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tpu_admission {

// The bytes, or nullopt if `text` is no base64. White space is skipped.
std::optional<std::string> DecodeBase64(std::string_view text);

std::string EncodeBase64(std::string_view bytes);
void AppendBase64(std::string& text, std::string_view bytes);

}  // namespace tpu_admission
