// The numbers of YAML 1.1, as JSON writes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tpu_admission::yaml {

// 12, -0x1F, 0b101, 0o17, 017, 1_000 as decimal digits, exactly; nullopt if `text` is no integer.
// Decimal integers may have any length; those of other bases fit 64 bits.
std::optional<std::string> DecimalDigits(std::string_view text);

// .5, 1e3, 08 as the shortest JSON number that reads back the same; nullopt if `text` is no finite
// float. Whole numbers below 1e21 have no exponent and no fraction: 1e3 is 1000.
std::optional<std::string> JsonFloat(std::string_view text);

// A float as go-yaml writes it when it is a key: with the digits of a 32-bit float.
std::string FloatKey(std::string_view json_float);

}  // namespace tpu_admission::yaml
