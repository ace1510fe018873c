// JSON strings, for the few places that write JSON text themselves.
#pragma once

#include <string>
#include <string_view>

namespace tpu_admission {

// Appends `text` (valid UTF-8) as a JSON string with its quotes; invisible characters are escaped.
void AppendJsonString(std::string& json, std::string_view text);

}  // namespace tpu_admission
