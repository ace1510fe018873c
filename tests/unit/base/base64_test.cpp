#include "tpu_admission/base/base64.h"

#include <gtest/gtest.h>

namespace tpu_admission::base64_test {
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

TEST(EncodeBase64, WritesTheVectorsOfTheRfcAndReadsBack) {
  const std::pair<const char*, const char*> cases[] = {{"", ""},
                                                       {"f", "Zg=="},
                                                       {"fo", "Zm8="},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg=="},
                                                       {"fooba", "Zm9vYmE="},
                                                       {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : cases) EXPECT_EQ(EncodeBase64(bytes), text);
  std::string all;
  for (int byte = 0; byte < 256; ++byte) {
    all += static_cast<char>(byte);
    EXPECT_EQ(DecodeBase64(EncodeBase64(all)), all);
  }
}

}  // namespace
}  // namespace tpu_admission::base64_test
