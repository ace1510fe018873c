#include "app/label_selector.h"

#include <gtest/gtest.h>

#include "support/case_name.h"

namespace tpu_admission::app::label_selector_test {
namespace {

using nlohmann::json;

const json kLabels = {{"kubernetes.io/metadata.name", "default"}, {"team", "ml"}};

struct SelectorCase {
  std::string name;
  std::string selector;
  bool selects;
};

class Selectors : public testing::TestWithParam<SelectorCase> {};

TEST_P(Selectors, SelectAsTheApiServerDoes) {
  const Result<bool> selected = Selects(GetParam().selector, kLabels);
  ASSERT_TRUE(selected) << selected.error().message;
  EXPECT_EQ(*selected, GetParam().selects);
}

INSTANTIATE_TEST_SUITE_P(
    LabelSelector, Selectors,
    testing::Values(
        SelectorCase{"None", "", true}, SelectorCase{"Empty", "{}", true},
        SelectorCase{"Label", R"({"matchLabels": {"team": "ml"}})", true},
        SelectorCase{"OtherValue", R"({"matchLabels": {"team": "web"}})", false},
        SelectorCase{"MissingLabel", R"({"matchLabels": {"tpus": ""}})", false},
        SelectorCase{"OneOfTwoLabels", R"({"matchLabels": {"team": "ml", "tpus": "yes"}})", false},
        SelectorCase{
            "NotIn",
            R"({"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["web"]}]})",
            true},
        SelectorCase{
            "NotInButIs",
            R"({"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["ml"]}]})",
            false},
        SelectorCase{
            "NotInOfAMissingLabel",
            R"({"matchExpressions": [{"key": "tpus", "operator": "NotIn", "values": ["no"]}]})",
            true},
        SelectorCase{
            "In", R"({"matchExpressions": [{"key": "team", "operator": "In", "values": ["ml"]}]})",
            true},
        SelectorCase{
            "InOfAMissingLabel",
            R"({"matchExpressions": [{"key": "tpus", "operator": "In", "values": ["ml"]}]})",
            false},
        SelectorCase{"Exists", R"({"matchExpressions": [{"key": "team", "operator": "Exists"}]})",
                     true},
        SelectorCase{"DoesNotExist",
                     R"({"matchExpressions": [{"key": "team", "operator": "DoesNotExist"}]})",
                     false},
        SelectorCase{"LabelsHoldButNotTheExpression",
                     R"({"matchLabels": {"team": "ml"},)"
                     R"( "matchExpressions": [{"key": "x", "operator": "Exists"}]})",
                     false}),
    CaseName());

TEST(LabelSelector, ThatIsNoneIsAnError) {
  for (const char* selector : {"{", "[1]", R"({"matchExpressions": [{"operator": "Exists"}]})",
                               R"({"matchExpressions": [{"key": "team", "operator": "In"}]})"}) {
    const Result<bool> selected = Selects(selector, kLabels);
    ASSERT_FALSE(selected) << selector;
    EXPECT_NE(selected.error().message.find("--namespace-selector"), std::string::npos);
  }
}

}  // namespace
}  // namespace tpu_admission::app::label_selector_test
