// What kubectl reads in a scalar: each row was compared with sigs.k8s.io/yaml.
#include <gtest/gtest.h>

#include <string>

#include "support/yaml_json.h"

namespace tpu_admission::yaml_scalar_test {
namespace {

struct Case {
  std::string_view yaml;
  std::string_view json;
};

std::ostream& operator<<(std::ostream& out, const Case& row) { return out << row.yaml; }

std::string JsonOf(std::string_view yaml) {
  const Result<std::vector<YamlJson>> documents = ParseYaml(yaml);
  if (!documents) return "error: " + documents.error().message;
  return documents->size() == 1 ? documents->front().json : "not one document";
}

class ScalarTest : public testing::TestWithParam<Case> {};

TEST_P(ScalarTest, AsAValue) {
  EXPECT_EQ(JsonOf("k: " + std::string(GetParam().yaml) + "\n"),
            "{\"k\":" + std::string(GetParam().json) + "}");
}

TEST_P(ScalarTest, AsAnItem) {
  EXPECT_EQ(JsonOf("- " + std::string(GetParam().yaml) + "\n"),
            "[" + std::string(GetParam().json) + "]");
}

INSTANTIATE_TEST_SUITE_P(Null, ScalarTest,
                         testing::Values(Case{"", "null"}, Case{"~", "null"}, Case{"null", "null"},
                                         Case{"Null", "null"}, Case{"NULL", "null"},
                                         Case{"nULL", R"("nULL")"}, Case{"''", R"("")"},
                                         Case{"\"null\"", R"("null")"}));

INSTANTIATE_TEST_SUITE_P(
    Bool, ScalarTest,
    testing::Values(Case{"y", "true"}, Case{"Y", "true"}, Case{"yes", "true"}, Case{"Yes", "true"},
                    Case{"YES", "true"}, Case{"on", "true"}, Case{"On", "true"}, Case{"ON", "true"},
                    Case{"true", "true"}, Case{"True", "true"}, Case{"TRUE", "true"},
                    Case{"n", "false"}, Case{"No", "false"}, Case{"off", "false"},
                    Case{"OFF", "false"}, Case{"false", "false"}, Case{"FALSE", "false"},
                    Case{"yEs", R"("yEs")"}, Case{"tRUE", R"("tRUE")"}, Case{"'yes'", R"("yes")"},
                    Case{"\"on\"", R"("on")"}));

INSTANTIATE_TEST_SUITE_P(
    Int, ScalarTest,
    testing::Values(Case{"0", "0"}, Case{"-0", "0"}, Case{"+1", "1"}, Case{"-17", "-17"},
                    Case{"1_000", "1000"}, Case{"1__0", "10"}, Case{"-_1", "-1"},
                    Case{"_1", R"("_1")"}, Case{"0x1F", "31"}, Case{"-0X1f", "-31"},
                    Case{"0x", R"("0x")"}, Case{"0xG", R"("0xG")"}, Case{"0b101", "5"},
                    Case{"-0B11", "-3"}, Case{"0b2", R"("0b2")"}, Case{"0o17", "15"},
                    Case{"0O17", "15"}, Case{"0o9", R"("0o9")"}, Case{"0123", "83"},
                    Case{"-017", "-15"}, Case{"08", "8"}, Case{"00", "0"}, Case{"0_7", "7"},
                    Case{"18446744073709551615", "18446744073709551615"},
                    Case{"-9223372036854775808", "-9223372036854775808"},
                    Case{"123456789012345678901234567890", "123456789012345678901234567890"},
                    Case{"'12'", R"("12")"}));

INSTANTIATE_TEST_SUITE_P(
    Float, ScalarTest,
    testing::Values(Case{".5", "0.5"}, Case{"-.5", "-0.5"}, Case{"5.", "5"}, Case{"1.50", "1.5"},
                    Case{"1.0", "1"}, Case{"1e3", "1000"}, Case{"1E+3", "1000"},
                    Case{"100e3", "100000"}, Case{"1e20", "100000000000000000000"},
                    Case{"1e21", "1e+21"}, Case{"1e-6", "0.000001"}, Case{"1e-7", "1e-07"},
                    Case{"09.5", "9.5"}, Case{"1_0.5", "10.5"}, Case{"1e-400", "0"},
                    Case{"1e400", R"("1e400")"}, Case{"1e", R"("1e")"}, Case{".", R"(".")"},
                    Case{"..", R"("..")"}, Case{"1.2.3", R"("1.2.3")"}, Case{"._5", R"("._5")"}));

INSTANTIATE_TEST_SUITE_P(
    String, ScalarTest,
    testing::Values(Case{"4x4", R"("4x4")"}, Case{"2x2x1", R"("2x2x1")"}, Case{"10Gi", R"("10Gi")"},
                    Case{"100m", R"("100m")"}, Case{"2001-01-01", R"("2001-01-01")"},
                    Case{"2001-12-14t21:59:43Z", R"("2001-12-14t21:59:43Z")"},
                    Case{"12:30:45", R"("12:30:45")"},
                    Case{"1.28.3-gke.1024000", R"("1.28.3-gke.1024000")"}, Case{"a#b", R"("a#b")"},
                    Case{"a # comment", R"("a")"}, Case{"caf\xC3\xA9", "\"caf\xC3\xA9\""},
                    Case{R"("a\tb\x41\u00e9\\")", "\"a\\u0009bA\xC3\xA9\\\\\""},
                    Case{"'it''s'", R"("it's")"}, Case{"|\n    a\n    b\n", R"("a\nb\n")"},
                    Case{">-\n    a\n    b\n", R"("a b")"}, Case{"<<", R"("<<")"}));

INSTANTIATE_TEST_SUITE_P(Tagged, ScalarTest,
                         testing::Values(Case{"!!str 12", R"("12")"}, Case{"!!str", R"("")"},
                                         Case{"! yes", R"("yes")"}, Case{"!!int '0x10'", "16"},
                                         Case{"!!bool 'yes'", "true"}, Case{"!!float 1", "1"},
                                         Case{"!!null ''", "null"},
                                         Case{"!!binary aGVsbG8=", R"("hello")"},
                                         Case{"!!timestamp 2001-01-01", R"("2001-01-01")"}));

struct KeyCase {
  std::string_view key;
  std::string_view name;
};

class KeyTest : public testing::TestWithParam<KeyCase> {};

TEST_P(KeyTest, BecomesAString) {
  EXPECT_EQ(JsonOf(std::string(GetParam().key) + ": v\n"),
            "{\"" + std::string(GetParam().name) + "\":\"v\"}");
}

INSTANTIATE_TEST_SUITE_P(
    All, KeyTest,
    testing::Values(KeyCase{"a", "a"}, KeyCase{"1", "1"}, KeyCase{"0x10", "16"},
                    KeyCase{"010", "8"}, KeyCase{"1_000", "1000"}, KeyCase{"1.50", "1.5"},
                    KeyCase{"1e3", "1000"}, KeyCase{"1e6", "1e+06"},
                    KeyCase{"1234567.0", "1.234567e+06"}, KeyCase{"0.00001", "1e-05"},
                    KeyCase{"3.14159265358979", "3.1415927"}, KeyCase{"true", "true"},
                    KeyCase{"yes", "true"}, KeyCase{"y", "true"}, KeyCase{"off", "false"},
                    KeyCase{"'1'", "1"}, KeyCase{"\"yes\"", "yes"}, KeyCase{".inf", ".inf"},
                    KeyCase{"''", ""}, KeyCase{"!!str 1", "1"}, KeyCase{"!!int '7'", "7"},
                    KeyCase{"2001-01-01", "2001-01-01"}, KeyCase{"'<<'", "<<"}));

}  // namespace
}  // namespace tpu_admission::yaml_scalar_test
