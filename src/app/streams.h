// What commands read from a stream, and JSON that they write to standard output.
#pragma once

#include <functional>
#include <istream>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "tpu_admission/base/result.h"

namespace tpu_admission::app {

// Gives `take` block after block. An error of it ends the reading, and so does one of the stream:
// half an input is no whole one.
Status ReadBlocks(std::istream& in, const std::function<Status(std::string_view)>& take);

// The same for objects as kubectl prints them, and `finish` at the end: where there are none at
// all, or only `{}` and `[]`, that is an error. A list without items is something.
Status ReadObjects(std::istream& in, const std::function<Status(std::string_view)>& take,
                   const std::function<Status()>& finish);

// With a line's end behind it. What is no UTF-8 is replaced; no CI system obeys what it says.
void WriteJson(const nlohmann::ordered_json& json);

}  // namespace tpu_admission::app
