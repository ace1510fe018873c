// JSON strings, for the few places that write JSON text themselves.
#pragma once

#include <string>
#include <string_view>

namespace tpu_admission {

// Appends `text` (valid UTF-8) as a JSON string with its quotes; invisible characters are escaped.
void AppendJsonString(std::string& json, std::string_view text);

// JSON text that says the same as `json` (valid UTF-8), for standard output: invisible characters
// are escaped, and so is the "##[" that GitHub Actions obeys anywhere in a line (see Printable()).
std::string HarmlessJson(std::string_view json);

}  // namespace tpu_admission
