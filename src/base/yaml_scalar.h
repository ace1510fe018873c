// What a scalar means: YAML 1.1 as kubectl reads it (sigs.k8s.io/yaml over go-yaml v2).
#pragma once

#include <string>
#include <string_view>

#include "tpu_admission/base/result.h"
#include "tpu_admission/base/yaml.h"

namespace tpu_admission::yaml {

struct Scalar {
  using Type = YamlNode::Kind;
  Type type = Type::kString;
  std::string text;  // null, true, digits, a JSON number; the characters of a string
};

// `tag` as libyaml gives it (empty: none); `plain` if the scalar stands without quotes. The error's
// message carries no place. Infinity and NaN are errors: JSON has neither.
Result<Scalar> ResolveScalar(std::string_view text, std::string_view tag, bool plain);

// Whether it is infinite or no number: fine for a key, which becomes a string.
bool IsNoNumber(std::string_view text, std::string_view tag, bool plain);

// For a tag that means nothing to us, or not where it stands, in the form people write it (!!set).
Error UnknownTag(std::string_view tag);

}  // namespace tpu_admission::yaml
