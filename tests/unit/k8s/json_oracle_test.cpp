// Our parser against nlohmann's, on text that is nearly JSON: both take the same texts, and read
// the same values from them.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "tpu_admission/k8s/json.h"

namespace tpu_admission::k8s::json_oracle_test {
namespace {

using nlohmann::json;

json ValueOf(JsonView view) {
  if (const auto text = view.AsString()) return std::string(*text);
  if (view.is_object()) {
    json object = json::object();  // the last of duplicate keys stays
    for (std::size_t i = 0; i < view.size(); ++i) {
      object[std::string(view.MemberKey(i))] = ValueOf(view.Member(i));
    }
    return object;
  }
  if (view.is_array()) {
    json list = json::array();
    for (std::size_t i = 0; i < view.size(); ++i) list.push_back(ValueOf(view.Element(i)));
    return list;
  }
  if (const auto integer = view.AsInteger()) return *integer;
  if (const auto number = view.AsDouble()) return *number;
  return view.is_null() ? json(nullptr) : json(view.IsTrue());
}

// What nlohmann makes of `text`; nothing where it refuses.
std::optional<json> Oracle(const std::string& text) {
  try {
    return json::parse(text);
  } catch (const json::parse_error&) {
    return std::nullopt;
  }
}

// A review in small, with all that the grammar has.
constexpr std::string_view kSeed =
    R"({"kind":"AdmissionReview","a":[1,-2,3.25,4e2,-0,1E-2,9223372036854775807],"b":{},"c":[],)"
    "\n\t \"d\" : { \"long text of more than sixteen bytes\" : \"tpu-v6e-slice, 2x4, and more\" "
    "},\r\n"
    R"("e":[true,false,null,[[[]]],{"x":{"y":"z"}}],"f":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00",)"
    "\"\xC3\xA9\":\"\xF0\x9F\x98\x80 caf\xC3\xA9\",\"f\":\"again\","
    R"("m":{"managedFields":"text","n":1}})";

// `text` with some bytes replaced, removed or doubled.
std::string Mutated(std::string text, std::mt19937& random) {
  static constexpr std::string_view kBytes =
      "{}[]:,\"\\ \n\t0123456789.eE+-truefalsnu\x01\x7F\x80\xC3\xA9\xED\xF4";
  const auto below = [&](std::size_t bound) { return random() % bound; };
  for (std::size_t edits = 1 + below(3); edits > 0 && !text.empty(); --edits) {
    const std::size_t at = below(text.size());
    const std::size_t size = 1 + below(std::min<std::size_t>(8, text.size() - at));
    switch (below(4)) {
      case 0:
        text[at] = kBytes[below(kBytes.size())];
        break;
      case 1:
        text.insert(at, 1, kBytes[below(kBytes.size())]);
        break;
      case 2:
        text.erase(at, size);
        break;
      default:
        text.insert(below(text.size()), text.substr(at, size));
    }
  }
  return text;
}

// Holds the parser against the oracle; true if both take `text`. The text ends where its memory
// does, so that a look behind it shows under AddressSanitizer.
bool Agree(JsonParser& parser, const std::string& text) {
  const std::unique_ptr<char[]> copy(new char[text.size()]);
  text.copy(copy.get(), text.size());
  const Result<JsonView> root = parser.Parse({copy.get(), text.size()});
  std::optional<json> wanted;
  try {
    wanted = Oracle(text);
  } catch (const json::out_of_range&) {
    return false;  // a number too large for a double: it reads as no number at all
  }
  EXPECT_EQ(root.ok(), wanted.has_value())
      << testing::PrintToString(text) << (root ? "" : root.error().message);
  if (!root || !wanted) return false;
  EXPECT_TRUE(ValueOf(*root) == *wanted) << testing::PrintToString(text);
  return true;
}

TEST(JsonOracle, NearlyJsonIsReadAsOthersReadIt) {
  std::mt19937 random(20261122);
  JsonParser parser;
  const std::string seed(kSeed);
  ASSERT_TRUE(Agree(parser, seed));
  int taken = 0;
  for (int i = 0; i < 8'000; ++i) taken += Agree(parser, Mutated(seed, random)) ? 1 : 0;
  EXPECT_GT(taken, 500);  // enough of both
  EXPECT_LT(taken, 7'500);
}

TEST(JsonOracle, EveryBeginningAndEveryEndIsRefused) {
  JsonParser parser;
  const std::string seed(kSeed);
  for (std::size_t i = 0; i < seed.size(); ++i) {
    Agree(parser, seed.substr(0, i));
    Agree(parser, seed.substr(i));
  }
}

TEST(JsonOracle, ShortTextsAreReadAsOthersReadThem) {
  static constexpr std::string_view kTokens[] = {"{",     "}", "[", "]",    ":", ",",
                                                 "\"a\"", "1", " ", "null", "-", "\""};
  constexpr std::size_t kCount = std::size(kTokens);
  JsonParser parser;
  for (std::size_t number = 0; number < kCount * kCount * kCount * kCount; ++number) {
    std::string text;
    for (std::size_t rest = number, i = 0; i < 4; ++i, rest /= kCount)
      text += kTokens[rest % kCount];
    Agree(parser, text);
  }
}

// What is left out is held to the same grammar and depth, but costs no memory.
TEST(JsonOracle, ManagedFieldsAreReadOverWithTheSameStrictness) {
  JsonParser parser;
  const auto fields = [](const std::string& in) {
    return R"({"metadata":{"managedFields":)" + in + R"(,"name":"n"},"last":[1]})";
  };
  const std::string sound =
      R"([{"f:a":{"k:{\"x\":\"y\"}":{}},"n":[-1.5e3,true,null,"\ud83d\ude00"]}])";
  const std::string text = fields(sound);
  const Result<JsonView> root = parser.Parse(text);
  ASSERT_TRUE(root.ok()) << root.error().message;
  EXPECT_TRUE((*root)["metadata"]["managedFields"].is_null());
  EXPECT_EQ((*root)["metadata"]["name"].AsString(), "n");
  EXPECT_EQ((*root)["last"].Element(0).AsInteger(), 1);
  for (const char* const broken :
       {"[1,]", "[", "[}", "[01]", R"(["\ud800"])", R"(["\x"])", "[\"\n\"]", R"([{"a"}])",
        R"([{"a":}])", "[tru]", "[1 2]", "[]]"}) {
    EXPECT_FALSE(parser.Parse(fields(broken)).ok()) << broken;
  }
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(parser.Parse(fields(nested(JsonParser::kMaxDepth - 2))).ok());
  EXPECT_FALSE(parser.Parse(fields(nested(JsonParser::kMaxDepth - 1))).ok());
  std::string many = "[1";
  for (std::size_t i = 0; i < JsonParser::kMaxValues; ++i) many += ",1";
  EXPECT_TRUE(parser.Parse(fields(many + "]")).ok()) << "what is not built is not counted";
}

TEST(JsonOracle, AsManyValuesAsTheBoundAreRead) {
  JsonParser parser;
  const auto list = [](std::size_t values) {
    std::string text = "[1";
    for (std::size_t i = 1; i < values; ++i) text += ",1";
    return text + "]";
  };
  EXPECT_TRUE(parser.Parse(list(JsonParser::kMaxValues - 1)).ok());  // and the list itself
  const Result<JsonView> refused = parser.Parse(list(JsonParser::kMaxValues));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "the body has more than 300000 JSON values");
}

TEST(JsonOracle, AFaultSaysNothingOfAnotherText) {
  const std::string fresh = JsonParser().Parse("").error().message;
  JsonParser parser;
  EXPECT_FALSE(parser.Parse("{\"a\":\"" + std::string(333'333, 'x') + "\"!").ok());
  EXPECT_EQ(parser.Parse("").error().message, fresh);
  EXPECT_EQ(parser.Parse("1,2").error().message, JsonParser().Parse("1,2").error().message);
}

}  // namespace
}  // namespace tpu_admission::k8s::json_oracle_test
