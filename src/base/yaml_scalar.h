// What a scalar means: YAML 1.1 as kubectl reads it (sigs.k8s.io/yaml over go-yaml v2).
#pragma once

#include <string>
#include <string_view>

#include "tpu_admission/base/result.h"

namespace tpu_admission::yaml {

struct Scalar {
  enum class Type { kNull, kBool, kInt, kFloat, kString };
  Type type = Type::kString;
  std::string text;  // null, true, digits, a JSON number; the characters of a string
};

// `tag` as libyaml gives it (empty: none); `plain` if the scalar stands without quotes. The error's
// message carries no place. Infinity and NaN are errors: JSON has neither.
Result<Scalar> ResolveScalar(std::string_view text, std::string_view tag, bool plain);

// The same for a key of a mapping: kubectl turns every key into a string (1 -> "1", yes -> "true",
// 0x10 -> "16"). A null key is an error.
Result<std::string> ResolveKey(std::string_view text, std::string_view tag, bool plain);

// For a tag that means nothing to us, or not where it stands, in the form people write it (!!set).
Error UnknownTag(std::string_view tag);

}  // namespace tpu_admission::yaml
