#include "tpu_admission/base/json_pointer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tpu_admission::json_pointer_test {
namespace {

TEST(JsonPointerTest, EscapesAsNlohmannReadsIt) {
  for (const std::string key : {"a", "a/b", "a~b", "~1", "~0/", "", "cloud.google.com/x"}) {
    std::string pointer;
    AppendPointerToken(pointer, key);
    AppendPointerIndex(pointer, 1);
    EXPECT_EQ(PointerBelow(PointerBelow("", key), 1), pointer);
    const nlohmann::json json = {{key, {1, 2}}};
    EXPECT_EQ(json.at(nlohmann::json::json_pointer(pointer)), 2) << pointer;
  }
}

struct PathCase {
  std::string_view pointer;
  std::string_view path;
};

class FieldPathTest : public testing::TestWithParam<PathCase> {};

TEST_P(FieldPathTest, ReadsAsPeopleWriteIt) {
  EXPECT_EQ(FieldPath(GetParam().pointer), GetParam().path);
}

INSTANTIATE_TEST_SUITE_P(
    All, FieldPathTest,
    testing::Values(PathCase{"", ""}, PathCase{"/spec", "spec"},
                    PathCase{"/spec/containers/0/resources", "spec.containers[0].resources"},
                    PathCase{"/0/a", "[0].a"}, PathCase{"/a/b-c/d_e", "a.b-c.d_e"},
                    PathCase{"/spec/nodeSelector/cloud.google.com~1gke-tpu-topology",
                             "spec.nodeSelector['cloud.google.com/gke-tpu-topology']"},
                    PathCase{"/a~0b", "['a~b']"}, PathCase{"/~01", "['~1']"}, PathCase{"/", "['']"},
                    PathCase{"/a//b", "a[''].b"}, PathCase{"/it's", "['it\\'s']"},
                    PathCase{"/a\\b", "['a\\\\b']"}));

TEST(FieldPathTest, KeysCannotForgeALine) {
  const std::string path = FieldPath("/spec/x\nTPU000 \x1B[31m");
  EXPECT_EQ(path.find('\n'), std::string::npos);
  EXPECT_EQ(path.find('\x1B'), std::string::npos);
}

TEST(FieldPathTest, LongKeysAreCut) {
  EXPECT_LT(FieldPath("/" + std::string(100'000, 'k')).size(), 400U);
}

}  // namespace
}  // namespace tpu_admission::json_pointer_test
