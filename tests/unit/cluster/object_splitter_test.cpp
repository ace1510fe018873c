#include "tpu_admission/cluster/object_splitter.h"

#include <gmock/gmock.h>

namespace tpu_admission::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Split {
  std::vector<std::string> objects;
  std::string error;
};

Split SplitUp(const std::string& text, std::size_t piece) {
  Split split;
  ObjectSplitter splitter([&](std::string_view object) -> Status {
    split.objects.emplace_back(object);
    return OkStatus();
  });
  Status status = OkStatus();
  for (std::size_t at = 0; at < text.size() && status; at += piece) {
    status = splitter.Feed(std::string_view(text).substr(at, piece));
  }
  if (status) status = splitter.Finish();
  if (!status) split.error = status.error().message;
  return split;
}

TEST(ObjectSplitter, TakesListsApartHoweverTheTextIsCut) {
  const std::string text =
      R"({"apiVersion": "v1", "metadata": {"a": {"b": 1}}, "items": [ {"k": "]}\"{", "items": [{"x": 1}]}, {}
 ], "kind": "List", "after": {"c": {"d": 2}}})";
  for (const std::size_t piece : {std::size_t(1), std::size_t(3), text.size()}) {
    const Split split = SplitUp(text, piece);
    EXPECT_EQ(split.error, "");
    EXPECT_THAT(split.objects, ElementsAre(R"({"k": "]}\"{", "items": [{"x": 1}]})", "{}"));
  }
}

TEST(ObjectSplitter, TakesObjectsOneAfterAnotherAndArrays) {
  EXPECT_THAT(
      SplitUp("{\"a\":[{}]}{\"items\":[{\"b\":2}]}\n[{\"c\":3},{\"d\":4}] {\"e\":5}", 2).objects,
      ElementsAre("{\"a\":[{}]}", "{\"b\":2}", "{\"c\":3}", "{\"d\":4}", "{\"e\":5}"));
  EXPECT_THAT(SplitUp(" \n", 1).objects, IsEmpty());
}

TEST(ObjectSplitter, SaysWhatIsNoJson) {
  EXPECT_THAT(SplitUp("apiVersion: v1", 4).error, HasSubstr("-o json"));
  EXPECT_THAT(SplitUp("{\"items\":[{\"a\":1}", 4).error, HasSubstr("ends in the middle"));
  EXPECT_THAT(SplitUp("{}}", 4).error, HasSubstr("bracket"));
}

TEST(ObjectSplitter, BoundsAnObjectAndNotTheList) {
  const std::string large(ObjectSplitter::kMostBytes, 'x');
  EXPECT_THAT(SplitUp("{\"a\":\"" + large + "\"}", 1 << 16).error, HasSubstr("larger than 8 MiB"));
  const std::string half = "{\"a\":\"" + large.substr(large.size() / 2) + "\"}";
  const Split split = SplitUp("{\"items\":[" + half + "," + half + "," + half + "]}", 1 << 16);
  EXPECT_EQ(split.error, "");
  EXPECT_EQ(split.objects.size(), 3U);
}

TEST(ObjectSplitter, AnErrorOfTheReaderEndsIt) {
  ObjectSplitter splitter([](std::string_view) -> Status { return Error{"enough"}; });
  const Status status = splitter.Feed("{} {}");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "enough");
}

}  // namespace
}  // namespace tpu_admission::cluster
