#include "workload/paths.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/case_name.h"

namespace tpu_admission::workload::paths_test {
namespace {

constexpr std::string_view kObject = R"({
  "plain": {"value": "a"},
  "list": [{"value": "b", "inner": [{"value": "c"}, {"value": "d"}]}, {"value": "e"}, {}],
  "map": {"Master": {"value": "f"}, "a/b~c": {"value": "g", "inner": [{"value": "h"}]}},
  "deep": [{"a": [{"b": [{"c": [{"value": "x"}]}]}]}], "empty": [], "null": null, "text": "t"})";

struct Walk {
  std::string name;
  std::string path;
  std::string found;  // pointer=value of each place, in order
};

class Paths : public testing::TestWithParam<Walk> {};

// Every way leads to the same value by ForEachAt, by Locate, and by the pointer.
TEST_P(Paths, LeadToEveryPlaceOnce) {
  k8s::JsonParser parser;
  const k8s::JsonView object = parser.Parse(kObject).value();
  std::string found;
  ForEachAt(object, GetParam().path, [&](k8s::JsonView value, const Binding& binding) {
    EXPECT_TRUE(Equal(value, Locate(object, GetParam().path, binding)));
    found += PointerAt(object, GetParam().path, binding) + "=" +
             std::string(value.StringOr(value.is_null() ? "null" : "?")) + " ";
  });
  EXPECT_EQ(found, GetParam().found);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Paths,
    testing::Values(
        Walk{"TheObjectItself", "", "=? "}, Walk{"Member", "plain/value", "/plain/value=a "},
        Walk{"Missing", "plain/none", ""}, Walk{"BelowMissing", "none/none[]/none{}/x", ""},
        Walk{"BelowText", "text/value", ""}, Walk{"Null", "null", "/null=null "},
        Walk{"BelowNull", "null/value", ""},
        Walk{"Elements", "list[]/value", "/list/0/value=b /list/1/value=e "},
        Walk{"ElementsThemselves", "list[]", "/list/0=? /list/1=? /list/2=? "},
        Walk{"ElementsOfElements", "list[]/inner[]/value",
             "/list/0/inner/0/value=c /list/0/inner/1/value=d "},
        Walk{"Members", "map{}/value", "/map/Master/value=f /map/a~1b~0c/value=g "},
        Walk{"ElementsOfMembers", "map{}/inner[]/value", "/map/a~1b~0c/inner/0/value=h "},
        Walk{"EmptyList", "empty[]/value", ""}, Walk{"ListOfAMap", "map[]/value", ""},
        Walk{"MembersOfAList", "list{}/value", ""}, Walk{"ListOfText", "text[]", ""},
        Walk{"ListOfNull", "null[]", ""},
        Walk{"ThreeMarks", "deep[]/a[]/b[]/c", "/deep/0/a/0/b/0/c=? "},
        Walk{"FourMarksAreTooMany", "deep[]/a[]/b[]/c[]/value", ""}),
    CaseName());

TEST(Paths, StepsAreTakenApart) {
  const PathStep step = FirstStep("spec/replicatedJobs[]/template");
  EXPECT_EQ(step.name, "spec");
  EXPECT_FALSE(step.each_element);
  const PathStep list = FirstStep(step.rest);
  EXPECT_EQ(list.name, "replicatedJobs");
  EXPECT_TRUE(list.each_element);
  EXPECT_FALSE(list.each_member);
  const PathStep last = FirstStep("specs{}");
  EXPECT_TRUE(last.each_member);
  EXPECT_EQ(last.rest, "");
}

TEST(Paths, BindingsThatDoNotFitGiveNothing) {
  k8s::JsonParser parser;
  const k8s::JsonView object = parser.Parse(kObject).value();
  Binding far;
  far.at = {7, 7, 7};
  far.size = 3;
  EXPECT_FALSE(Locate(object, "list[]/value", far).present());
  EXPECT_FALSE(Locate(object, "map{}/value", far).present());
  EXPECT_EQ(PointerAt(object, "list[]/inner[]", far), "/list/7/inner/7");
}

}  // namespace
}  // namespace tpu_admission::workload::paths_test
