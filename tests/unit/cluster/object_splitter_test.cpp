#include "tpu_admission/cluster/object_splitter.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace tpu_admission::cluster::object_splitter_test {
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

std::vector<std::string> Sorted(std::vector<std::string> objects) {
  std::sort(objects.begin(), objects.end());
  return objects;
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

// As kubectl does; `kubectl get --raw` and client libraries write such lists.
TEST(ObjectSplitter, ItemsOfATypedListAreOfItsKind) {
  const std::string items = R"("items":[{"a":{"kind":"x"}},{},{"kind":"Job"},{"apiVersion":"v2"}])";
  const std::string meta = R"("kind":"PodList","apiVersion":"v1","metadata":{"kind":"x"})";
  for (const std::size_t piece : {std::size_t(1), std::size_t(7), std::size_t(1000)}) {
    const Split before = SplitUp("{" + meta + "," + items + "}", piece);
    EXPECT_EQ(before.error, "");
    EXPECT_EQ(before.objects.size(), 4U);
    const Split behind = SplitUp("{" + items + "," + meta + "}", piece);
    EXPECT_EQ(behind.error, "");
    EXPECT_EQ(before.objects[0], R"({"kind":"Pod","apiVersion":"v1","a":{"kind":"x"}})");
    EXPECT_EQ(before.objects[1], R"({"kind":"Pod","apiVersion":"v1"})");
    EXPECT_EQ(before.objects[2], R"({"kind":"Job"})");
    EXPECT_EQ(before.objects[3], R"({"kind":"Pod","apiVersion":"v2"})");
    EXPECT_EQ(Sorted(behind.objects), Sorted(before.objects));
  }
  EXPECT_THAT(
      SplitUp(R"({"kind":"PodList","items":[]} {"kind":"List","items":[{}]} [{}])", 1).objects,
      ElementsAre("{}", "{}"));
}

TEST(ObjectSplitter, BoundsWhatWaitsForTheKindOfItsList) {
  const std::string half = "{\"a\":\"" + std::string(ObjectSplitter::kMostBytes / 2, 'x') + "\"}";
  EXPECT_THAT(
      SplitUp("{\"items\":[" + half + "," + half + "],\"kind\":\"PodList\"}", 1 << 16).error,
      HasSubstr("put it first"));
}

TEST(ObjectSplitter, ItemsThatAreNoArrayAreNoList) {
  for (const std::string items : {"5", "{}", "\"a\"", "true"}) {
    EXPECT_THAT(SplitUp(R"({"kind":"List","items":)" + items + "}", 1).error,
                HasSubstr("no array"));
    EXPECT_THAT(SplitUp(R"({"items":)" + items + R"(,"kind":"PodList"})", 1).error,
                HasSubstr("no array"));
    EXPECT_EQ(SplitUp(R"({"kind":"A","items":)" + items + "}", 1).error, "");
  }
  EXPECT_EQ(SplitUp(R"({"kind":"PodList","items": null})", 1).error, "");
}

TEST(ObjectSplitter, SaysWhatIsNoJson) {
  EXPECT_THAT(SplitUp("apiVersion: v1", 4).error, HasSubstr("-o json"));
  EXPECT_THAT(SplitUp("{\"items\":[{\"a\":1}", 4).error, HasSubstr("ends in the middle"));
  EXPECT_THAT(SplitUp("{}}", 4).error, HasSubstr("bracket"));
}

TEST(ObjectSplitter, BoundsAnObjectAndNotTheList) {
  const std::string large(ObjectSplitter::kMostBytes, 'x');
  EXPECT_THAT(SplitUp("{\"a\":\"" + large + "\"}", 1 << 16).error, HasSubstr("larger than 8 MiB"));
  const std::string half = "{\"kind\":\"A\",\"a\":\"" + large.substr(large.size() / 2) + "\"}";
  const Split split = SplitUp("{\"items\":[" + half + "," + half + "," + half + "]}", 1 << 16);
  EXPECT_EQ(split.error, "");
  EXPECT_EQ(split.objects.size(), 3U);
}

TEST(ObjectSplitter, GoesOnBehindWhatIsTooLargeWhereSomebodyIsTold) {
  const std::string large =
      R"({"k":[{"a":")" + std::string(ObjectSplitter::kMostBytes, ']') + R"("},{}],"items":[1]})";
  for (const std::string& text : {"[{\"b\":1}," + large + ",\n{\"c\":2}]",
                                  "{\"b\":1}" + large + "\n" + large + "{\"c\":2}"}) {
    std::vector<std::string> objects;
    std::size_t told = 0;
    ObjectSplitter splitter(
        [&](std::string_view object) -> Status {
          objects.emplace_back(object);
          return OkStatus();
        },
        [&](const Error& what) {
          ++told;
          EXPECT_THAT(what.message, HasSubstr("line"));
        });
    EXPECT_TRUE(splitter.Feed(text) && splitter.Finish());
    EXPECT_THAT(objects, ElementsAre("{\"b\":1}", "{\"c\":2}"));
    EXPECT_EQ(told, text.front() == '[' ? 1U : 2U);
  }
}

TEST(ObjectSplitter, AnErrorOfTheReaderEndsIt) {
  ObjectSplitter splitter([](std::string_view) -> Status { return Error{"enough"}; });
  const Status status = splitter.Feed("{} {}");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "enough");
}

}  // namespace
}  // namespace tpu_admission::cluster::object_splitter_test
