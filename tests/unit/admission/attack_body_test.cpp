// Bodies that a stranger may send (cases 18 to 28 of the attack list), bytes in and bytes out. What
// each part makes of them is tested with the part; here: the whole answers cleanly, every time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/asker.h"
#include "support/case_name.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::admission::attack_body_test {
namespace {

using nlohmann::json;

struct Body {
  std::string name;
  std::string text;
};

class BadBody : public testing::TestWithParam<Body> {};

// HTTP 400: one line of plain text, and the next review is answered as if nothing had been.
TEST_P(BadBody, IsRefusedInOneLine) {
  Asker asker;
  for (const Endpoint endpoint : {Endpoint::kMutate, Endpoint::kValidate}) {
    const Answer answer = asker.Ask(endpoint, GetParam().text);
    EXPECT_EQ(answer.record.outcome, Outcome::kInvalid);
    EXPECT_EQ(answer.text, answer.record.error + "\n");
    EXPECT_LT(answer.text.size(), 300U);
    EXPECT_EQ(answer.record.error.find_first_of("\n\r\x1B"), std::string::npos);
    EXPECT_TRUE(IsUtf8(answer.text));
  }
  EXPECT_TRUE(asker.Validate(Review(TpuPod())).allowed());
}

const std::string kReview = Review(TpuPod()).Text();

INSTANTIATE_TEST_SUITE_P(Case18, BadBody,
                         testing::Values(Body{"Empty", ""}, Body{"Null", "null"},
                                         Body{"List", "[]"}, Body{"Object", "{}"},
                                         Body{"Cut", kReview.substr(0, kReview.size() / 2)},
                                         Body{"TrailingGarbage", kReview + "x"},
                                         Body{"TwoDocuments", kReview + kReview},
                                         Body{"ByteOrderMark", "\xEF\xBB\xBF" + kReview},
                                         Body{"InvalidUtf8",
                                              [] {
                                                std::string text = kReview;
                                                text.replace(text.find("serve"), 2, "\xC3\x28");
                                                return text;
                                              }()},
                                         Body{"LoneSurrogate",
                                              [] {
                                                std::string text = kReview;
                                                text.replace(text.find("serve"), 5, R"(\ud800)");
                                                return text;
                                              }()}),
                         CaseName());

INSTANTIATE_TEST_SUITE_P(Case19, BadBody,
                         testing::Values(Body{"TenThousandDeep", std::string(10'000, '[')},
                                         Body{"MillionDeep", std::string(1'000'000, '[')},
                                         Body{"DeepInAnnotations",
                                              [] {
                                                std::string text = kReview;
                                                const std::string deep =
                                                    std::string(200, '[') + std::string(200, ']');
                                                text.replace(text.find("\"serve\""), 7, deep);
                                                return text;
                                              }()}),
                         CaseName());

INSTANTIATE_TEST_SUITE_P(
    Case23, BadBody,
    testing::Values(Body{"NoUid", Review(TpuPod()).Remove("/request/uid").Text()},
                    Body{"MegabyteUid", Review(TpuPod()).Uid(std::string(1 << 20, 'u')).Text()}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    Case24, BadBody,
    testing::Values(Body{"V2", Review(TpuPod()).ApiVersion("admission.k8s.io/v2").Text()},
                    Body{"NoVersion", Review(TpuPod()).ApiVersion("").Text()},
                    Body{"MegabyteVersion",
                         Review(TpuPod()).ApiVersion(std::string(1 << 20, 'v')).Text()},
                    Body{"OtherKind", Review(TpuPod()).Set("/kind", "Pod").Text()}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    Case25, BadBody,
    testing::Values(Body{"NoRequest", Review(TpuPod()).Remove("/request").Text()},
                    Body{"NullObjectOnCreate",
                         Review(TpuPod()).Set("/request/object", nullptr).Text()},
                    Body{"NoObjectOnCreate", Review(TpuPod()).Remove("/request/object").Text()}),
    CaseName());

json Broken(const std::string& pointer, const json& value) {
  return With(TpuPod(), pointer, value);
}

INSTANTIATE_TEST_SUITE_P(
    Case27, BadBody,
    testing::Values(
        Body{"ObjectIsAList", Review(TpuPod()).Set("/request/object", json::array()).Text()},
        Body{"Spec", Review(Broken("/spec", "x")).Text()},
        Body{"Containers", Review(Broken("/spec/containers", json::object())).Text()},
        Body{"Container", Review(Broken("/spec/containers/0", 7)).Text()},
        Body{"Resources", Review(Broken("/spec/containers/0/resources", "x")).Text()},
        Body{"Limits", Review(Broken("/spec/containers/0/resources/limits", 4)).Text()},
        Body{"NodeSelector", Review(Broken("/spec/nodeSelector", json::array())).Text()},
        Body{"Tolerations", Review(Broken("/spec/tolerations", "x")).Text()}),
    CaseName());

// Odd, but no reason to refuse: they are read as if the odd part were not there.
class OddBody : public testing::TestWithParam<Body> {};

TEST_P(OddBody, IsAnswered) {
  Asker asker;
  for (const Endpoint endpoint : {Endpoint::kMutate, Endpoint::kValidate}) {
    const Answer answer = asker.Ask(endpoint, GetParam().text);
    ASSERT_TRUE(answer.valid()) << answer.text;
    EXPECT_TRUE(answer.whole().contains("response"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Case27, OddBody,
    testing::Values(
        Body{"Metadata", Review(Broken("/metadata", "x")).Text()},
        Body{"SelectorValue",
             Review(Broken("/spec/nodeSelector/cloud.google.com~1gke-tpu-topology", 7)).Text()},
        Body{"Labels", Review(Broken("/metadata/labels", json::array({1}))).Text()},
        Body{"Owners", Review(Broken("/metadata/ownerReferences", {{"controller", true}})).Text()},
        Body{"EnvElement", Review(Broken("/spec/containers/0/env", json::array({7}))).Text()},
        Body{"Amount",
             Review(Broken("/spec/containers/0/resources/limits/google.com~1tpu", json::array()))
                 .Text()},
        Body{"PodResources", Review(Broken("/spec/resources", "x")).Text()},
        Body{"Names",
             Review(TpuPod()).Set("/request/name", 7).Set("/request/namespace", {}).Text()},
        Body{"SubResource", Review(TpuPod()).Set("/request/subResource", 7).Text()},
        Body{"JobCounts", Review(With(TpuJob(), "/spec/parallelism", {{"x", "y"}})).Text()}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    Case25, OddBody,
    testing::Values(Body{"NullOldObjectOnUpdate", Review(TpuPod()).Update(nullptr).Text()},
                    Body{"EmptyObject",
                         Review(json::object()).Set("/request/kind/kind", "Pod").Text()},
                    Body{"BothNullOnConnect", Review(TpuPod()).Connect("attach").Text()},
                    Body{"BothNullOnDelete",
                         Review(TpuPod()).Delete().Set("/request/oldObject", nullptr).Text()}),
    CaseName());

TEST(AttackBodies, Case23AnyUidComesBackAsItWas) {
  Asker asker;
  for (const std::string& uid :
       {std::string("not-a-uuid"), std::string("\x01\x1F\x7F\"\\\n"), std::string("\0", 1),
        std::string("\xF0\x9F\x98\x80"), std::string(256, 'u')}) {
    EXPECT_EQ(asker.Validate(Review(TpuPod()).Uid(uid)).response()["uid"], uid);
  }
}

TEST(AttackBodies, Case21LastOfDuplicateKeysIsJudged) {
  Asker asker;
  const std::string wrong = R"("cloud.google.com/gke-tpu-topology":"3x3")";
  const std::string right = R"("cloud.google.com/gke-tpu-topology":"2x2")";
  const auto twice = [&](const std::string& pair) {
    std::string text = kReview;
    text.replace(text.find(right), right.size(), pair);
    return text;
  };
  EXPECT_FALSE(asker.Ask(Endpoint::kValidate, twice(right + "," + wrong)).allowed());
  EXPECT_TRUE(asker.Ask(Endpoint::kValidate, twice(wrong + "," + right)).allowed());
}

TEST(AttackBodies, Case20ManyLabelsAndVariablesTakeLinearTime) {
  json pod = TpuPod();
  for (int i = 0; i < 20'000; ++i) {
    pod["metadata"]["labels"]["l" + std::to_string(i)] = "v";
    pod["spec"]["containers"][0]["env"].push_back({{"name", "E" + std::to_string(i)}});
  }
  Asker asker;
  EXPECT_TRUE(asker.Validate(Review(pod)).allowed());
}

// `count` containers that ask for three chips each, and 32 alternatives to judge them by.
std::string Crowd(std::size_t count) {
  json pod = TpuPod();
  json values = json::array();
  for (int i = 0; i < 32; ++i) values.push_back("4x" + std::to_string(4 * i + 4));
  const json in = {
      {"key", "cloud.google.com/gke-tpu-topology"}, {"operator", "In"}, {"values", values}};
  pod["spec"]["nodeSelector"].erase("cloud.google.com/gke-tpu-topology");
  pod[json::json_pointer(
      "/spec/affinity/nodeAffinity/"
      "requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms")] =
      json::array({{{"matchExpressions", json::array({in})}}});
  pod["spec"]["containers"] = json::array();
  for (std::size_t i = 0; i < count; ++i) {
    pod["spec"]["containers"].push_back(
        {{"name", "c" + std::to_string(i)}, {"resources", {{"limits", {{"google.com/tpu", 3}}}}}});
  }
  return Review(pod).Text();
}

TEST(AttackBodies, Case20ACrowdOfContainersIsJudgedInBoundedTime) {
  Asker asker;
  for (const Endpoint endpoint : {Endpoint::kMutate, Endpoint::kValidate}) {
    const Answer judged = asker.Ask(endpoint, Crowd(100));
    EXPECT_TRUE(judged.valid());
    EXPECT_LT(judged.text.size(), 50'000U);
    // More than can be judged is let in, and said: a false denial is worse than a miss.
    const Answer unjudged = asker.Ask(endpoint, Crowd(20'000));
    EXPECT_THAT(unjudged.text, testing::HasSubstr(R"("allowed":true)"));
    if (endpoint == Endpoint::kValidate) {
      EXPECT_THAT(unjudged.text, testing::HasSubstr("not checked"));
    }
  }
}

struct Quantity {
  std::string name;
  json amount;
  bool allowed;
};

class ChipQuantities : public testing::TestWithParam<Quantity> {};

TEST_P(ChipQuantities, Case22AreJudgedByTheirExactValue) {
  json pod = TpuPod();
  pod["spec"]["containers"][0]["resources"]["requests"]["google.com/tpu"] = GetParam().amount;
  pod["spec"]["containers"][0]["resources"]["limits"]["google.com/tpu"] = GetParam().amount;
  Asker asker;
  const Answer answer = asker.Validate(Review(pod));
  ASSERT_TRUE(answer.valid());
  EXPECT_EQ(answer.allowed(), GetParam().allowed) << answer.text;
}

INSTANTIATE_TEST_SUITE_P(
    Case22, ChipQuantities,
    testing::Values(Quantity{"Text", "4", true}, Quantity{"Number", 4, true},
                    Quantity{"Float", 4.0, true}, Quantity{"Millis", "4000m", true},
                    Quantity{"Plus", "+4", true}, Quantity{"Exponent", "4e0", true},
                    Quantity{"Fraction", "4.0", true}, Quantity{"MinusZero", "-0", true},
                    Quantity{"Hex", "0x4", false}, Quantity{"Blank", " 4", false},
                    Quantity{"Word", "four", false}, Quantity{"Half", 4.5, false},
                    Quantity{"Thousands", "4k", false}, Quantity{"Negative", "-4", false},
                    Quantity{"TwoTo32", "4294967300", false},
                    Quantity{"TwoTo64", "18446744073709551620", false},
                    Quantity{"Huge", "1e999", false}, Quantity{"HugeNumber", 1e300, false},
                    Quantity{"AlmostFour", "3.9999999999", true},
                    Quantity{"JustOverFour", "4.0000000001", false}),
    CaseName());

}  // namespace
}  // namespace tpu_admission::admission::attack_body_test
