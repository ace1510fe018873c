#include "tpu_admission/base/base64.h"

#include <gtest/gtest.h>

namespace tpu_admission {
namespace {

struct Case {
  std::string_view text;
  std::optional<std::string> bytes;
};

class DecodeBase64Test : public testing::TestWithParam<Case> {};

TEST_P(DecodeBase64Test, Decodes) { EXPECT_EQ(DecodeBase64(GetParam().text), GetParam().bytes); }

INSTANTIATE_TEST_SUITE_P(All, DecodeBase64Test,
                         testing::Values(Case{"", ""}, Case{"YQ==", "a"}, Case{"YWI=", "ab"},
                                         Case{"YWJj", "abc"}, Case{"YW\nJj \r\n", "abc"},
                                         Case{"+/+/", "\xFB\xFF\xBF"}, Case{"YWJ", std::nullopt},
                                         Case{"Y===", std::nullopt}, Case{"YQ==YQ==", std::nullopt},
                                         Case{"YQ=a", std::nullopt}, Case{"*", std::nullopt},
                                         Case{"YW_j", std::nullopt}));

}  // namespace
}  // namespace tpu_admission
