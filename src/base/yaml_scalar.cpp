#include "base/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/yaml_number.h"
#include "tpu_admission/base/base64.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::yaml {
namespace {

using Type = Scalar::Type;

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

// go-yaml takes the one-letter forms too: `y: 1` has the key "true".
constexpr std::array<std::string_view, 11> kTrue = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                                    "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> kFalse = {"n",     "N",     "no",  "No",  "NO", "false",
                                                     "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 5> kNull = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 12> kNoNumber = {".nan",  ".NaN",  ".NAN",  ".inf",
                                                        ".Inf",  ".INF",  "+.inf", "+.Inf",
                                                        "+.INF", "-.inf", "-.Inf", "-.INF"};

// Most scalars are longer than each of these words, or begin otherwise.
constexpr std::size_t kLongestWord = 5;
constexpr std::string_view kFirstOfWords = "yYtTnNoOfF~.+-";

constexpr bool MayBeWord(std::string_view text) {
  return text.size() <= kLongestWord &&
         (text.empty() || kFirstOfWords.find(text.front()) != kFirstOfWords.npos);
}

template <std::size_t N>
constexpr bool AllMayBe(const std::array<std::string_view, N>& words) {
  return std::all_of(words.begin(), words.end(), MayBeWord);
}
static_assert(AllMayBe(kTrue) && AllMayBe(kFalse) && AllMayBe(kNull) && AllMayBe(kNoNumber));

template <std::size_t N>
bool Contains(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Error NoNumber(std::string_view text) {
  return Error{"found " + Quoted(text) + ", which JSON cannot hold; write a finite number"};
}

// What a scalar without a tag and without quotes is.
Result<Scalar> ResolvePlain(std::string_view text) {
  if (MayBeWord(text)) {
    if (Contains(kNull, text)) return Scalar{Type::kNull, "null"};
    if (Contains(kTrue, text)) return Scalar{Type::kBool, "true"};
    if (Contains(kFalse, text)) return Scalar{Type::kBool, "false"};
    if (Contains(kNoNumber, text)) return NoNumber(text);
  }
  const bool maybe_number = std::string_view("+-.0123456789").find(text.front()) != text.npos;
  if (!maybe_number || text.starts_with("._")) return Scalar{Type::kString, std::string(text)};
  if (std::optional<std::string> digits = DecimalDigits(text)) {
    return Scalar{Type::kInt, std::move(*digits)};
  }
  if (std::optional<std::string> number = JsonFloat(text)) {
    return Scalar{Type::kFloat, std::move(*number)};
  }
  return Scalar{Type::kString, std::string(text)};
}

Result<Scalar> ResolveBinary(std::string_view text) {
  std::optional<std::string> bytes = DecodeBase64(text);
  if (!bytes) return Error{"!!binary holds no valid base64"};
  if (!IsUtf8(*bytes)) return Error{"!!binary holds bytes that are no UTF-8 text"};
  return Scalar{Type::kString, std::move(*bytes)};
}

Error WrongType(std::string_view text, std::string_view name) {
  return Error{"cannot read " + Quoted(text) + " as !!" + std::string(name)};
}

std::optional<Type> TypeOfTag(std::string_view name) {
  if (name == "null") return Type::kNull;
  if (name == "bool") return Type::kBool;
  if (name == "int") return Type::kInt;
  if (name == "float") return Type::kFloat;
  return std::nullopt;
}

Result<Scalar> ResolveTagged(std::string_view text, std::string_view tag) {
  if (tag == "!") return Scalar{Type::kString, std::string(text)};
  const bool standard = tag.starts_with(kTagPrefix);
  const std::string_view name = standard ? tag.substr(kTagPrefix.size()) : tag;
  if (standard && (name == "str" || name == "timestamp")) {
    return Scalar{Type::kString, std::string(text)};
  }
  if (standard && name == "binary") return ResolveBinary(text);
  const std::optional<Type> wanted = standard ? TypeOfTag(name) : std::nullopt;
  if (!wanted) return UnknownTag(tag);
  TPU_ADMISSION_TRY(Scalar scalar, ResolvePlain(text));
  if (*wanted == Type::kFloat && scalar.type == Type::kInt) scalar.type = Type::kFloat;
  if (scalar.type != *wanted) return WrongType(text, name);
  return scalar;
}

}  // namespace

Error UnknownTag(std::string_view tag) {
  std::string name(tag);
  if (tag.starts_with(kTagPrefix)) name.replace(0, kTagPrefix.size(), "!!");
  return Error{"found the tag " + Quoted(name) + ", which does not fit here or is unknown"};
}

Result<Scalar> ResolveScalar(std::string_view text, std::string_view tag, bool plain) {
  if (!tag.empty()) return ResolveTagged(text, tag);
  if (plain) return ResolvePlain(text);
  return Scalar{Type::kString, std::string(text)};
}

bool IsNoNumber(std::string_view text, std::string_view tag, bool plain) {
  return tag.empty() && plain && Contains(kNoNumber, text);
}

}  // namespace tpu_admission::yaml
