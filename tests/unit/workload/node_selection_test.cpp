// nodeSelector and required node affinity, worked out into alternatives.
#include "tpu_admission/workload/node_selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/case_name.h"

namespace tpu_admission::workload::node_selection_test {
namespace {

using nlohmann::json;

const std::string kAccelerator(kNodeLabels[0]);
const std::string kTopology(kNodeLabels[1]);

json In(const std::string& key, const json& values) {
  return {{"key", key}, {"operator", "In"}, {"values", values}};
}
json Op(const std::string& key, const std::string& op) { return {{"key", key}, {"operator", op}}; }
// Braces around one json would copy it rather than make a list of it.
template <typename... Items>
json List(const Items&... items) {
  return json::array({items...});
}
json Term(const json& expressions) { return {{"matchExpressions", expressions}}; }

// "tpu-v6e-slice 2x2": accelerator and topology of a choice; "-" is free, "?" opaque.
std::string Show(const NodeChoice& choice) {
  const auto show = [](const Selected& selected) -> std::string {
    if (selected.free()) return "-";
    return selected.fixed() ? std::string(selected.value) : "?";
  };
  return show(choice[NodeLabel::kAccelerator]) + " " + show(choice[NodeLabel::kTopology]);
}

struct Case {
  std::string name;
  json selector;
  json terms;                        // null: no affinity
  std::vector<std::string> choices;  // as Show() writes them
  bool contradiction = false;
};

class Selecting {
 protected:
  NodeSelection Select(const json& selector, const json& terms) {
    return SelectNodes(Decode(selector, terms), arena_);
  }

  k8s::PodSpec Decode(const json& selector, const json& terms) {
    json spec = {{"nodeSelector", selector}};
    if (!terms.is_null()) {
      spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"] = {
          {"nodeSelectorTerms", terms}};
    }
    text_ = json{{"spec", spec}}.dump();
    k8s::Decoder decoder(arena_);
    return k8s::DecodePod(parser_.Parse(text_).value(), decoder).spec;
  }

  std::string text_;
  k8s::JsonParser parser_;
  k8s::Arena arena_;
};

class Selection : public testing::Test, protected Selecting {};

class SelectionTable : public Selection, public testing::WithParamInterface<Case> {};

TEST_P(SelectionTable, GivesTheAlternatives) {
  const NodeSelection selection = Select(GetParam().selector, GetParam().terms);
  std::vector<std::string> shown;
  for (const NodeChoice& choice : selection.choices) shown.push_back(Show(choice));
  EXPECT_EQ(shown, GetParam().choices);
  EXPECT_EQ(selection.contradiction, GetParam().contradiction);
}

const json kBoth = {{kAccelerator, "v6e"}, {kTopology, "2x2"}};

INSTANTIATE_TEST_SUITE_P(
    Cases, SelectionTable,
    testing::Values(
        Case{"Nothing", {}, {}, {"- -"}},  //
        Case{"Selector", kBoth, {}, {"v6e 2x2"}},
        Case{"Affinity",
             {},
             List(Term(List(In(kAccelerator, {"v6e"}), In(kTopology, {"2x2"})))),
             {"v6e 2x2"}},
        Case{"SelectorAndAffinity",
             {{kAccelerator, "v6e"}},
             List(Term(List(In(kTopology, {"2x2"})))),
             {"v6e 2x2"}},
        Case{"BothSayTheSame", kBoth, List(Term(List(In(kAccelerator, {"v6e"})))), {"v6e 2x2"}},
        Case{"ValuesAreAlternatives",
             {{kAccelerator, "v6e"}},
             List(Term(List(In(kTopology, {"2x2", "2x4"})))),
             {"v6e 2x2", "v6e 2x4"}},
        Case{"ValuesMultiply",
             {},
             List(Term(List(In(kAccelerator, {"a", "b"}), In(kTopology, {"1", "2"})))),
             {"a 1", "a 2", "b 1", "b 2"}},
        Case{"TermsAreAlternatives",
             {},
             List(Term(List(In(kAccelerator, {"a"}))), Term(List(In(kTopology, {"2"})))),
             {"a -", "- 2"}},
        Case{"SelectorNarrowsValues",
             {{kAccelerator, "b"}},
             List(Term(List(In(kAccelerator, {"a", "b"})))),
             {"b -"}},
        Case{"SecondExpressionNarrows",
             {},
             List(Term(List(In(kAccelerator, {"a", "b"}), In(kAccelerator, {"b", "c"})))),
             {"b -"}},
        Case{"SelectorContradictsAffinity",
             {{kAccelerator, "a"}},
             List(Term(List(In(kAccelerator, {"b"})))),
             {},
             true},
        Case{"ExpressionsContradict",
             {},
             List(Term(List(In(kAccelerator, {"a"}), In(kAccelerator, {"b"})))),
             {},
             true},
        Case{"EveryTermContradicts",
             {{kAccelerator, "a"}},
             List(Term(List(In(kAccelerator, {"b"}))), Term(List(In(kAccelerator, {"c"})))),
             {},
             true},
        Case{"OneTermHolds",
             {{kAccelerator, "a"}},
             List(Term(List(In(kAccelerator, {"b"}))), Term(List(In(kAccelerator, {"a"})))),
             {"a -"}},
        Case{"NotInIsOpaque", {}, List(Term(List(Op(kAccelerator, "NotIn")))), {"? -"}},
        Case{"ExistsIsOpaque", {}, List(Term(List(Op(kTopology, "Exists")))), {"- ?"}},
        Case{"GtIsOpaque", {}, List(Term(List(Op(kTopology, "Gt")))), {"- ?"}},
        Case{"UnknownOperatorIsOpaque", {}, List(Term(List(Op(kTopology, "Like")))), {"- ?"}},
        Case{
            "OpaqueYieldsToFixed", kBoth, List(Term(List(Op(kAccelerator, "NotIn")))), {"v6e 2x2"}},
        Case{"FixedAfterOpaque",
             {},
             List(Term(List(Op(kAccelerator, "Exists"), In(kAccelerator, {"a"})))),
             {"a -"}},
        Case{"OtherLabelsAreFree", {{"disk", "ssd"}}, List(Term(List(In("zone", {"x"})))), {"- -"}},
        Case{"PlaceholderIsOpaque",
             {{kAccelerator, "{{ .tpu }}"}, {kTopology, "$TOPOLOGY"}},
             {},
             {"? ?"}},
        Case{"EmptyTermsSayNothing", kBoth, json::array(), {"v6e 2x2"}}),
    CaseName());

// The API server: "null or empty term matches no objects". It refuses `In` without values.
TEST_F(Selection, InWithoutValuesMatchesNothing) {
  const NodeSelection selection = Select({}, List(Term(List(In(kAccelerator, json::array())))));
  EXPECT_TRUE(selection.contradiction);
}

TEST_F(Selection, SaysWhichLabelContradicts) {
  const NodeSelection selection =
      Select({{kTopology, "2x2"}}, List(Term(List(In(kTopology, {"4x4"})))));
  EXPECT_EQ(selection.contradicting, NodeLabel::kTopology);
  EXPECT_EQ(selection.one_value, "2x2");
  EXPECT_EQ(selection.other_value, "4x4");
}

TEST_F(Selection, UpToThirtyTwoAlternativesAreKept) {
  for (const std::size_t count : {std::size_t{32}, std::size_t{33}}) {
    json one_term = json::array();
    json many_terms = json::array();
    for (std::size_t i = 0; i < count; ++i) {
      one_term.push_back("t" + std::to_string(i));
      many_terms.push_back(Term(List(In(kTopology, {"t" + std::to_string(i)}))));
    }
    const std::size_t wanted = count > NodeSelection::kMaxChoices ? 0 : count;
    for (const json& terms : {List(Term(List(In(kTopology, one_term)))), many_terms}) {
      const NodeSelection selection = Select({}, terms);
      EXPECT_EQ(selection.choices.size(), wanted);
      EXPECT_FALSE(selection.contradiction) << "too many is not none";
      EXPECT_EQ(selection.too_many, wanted == 0);
    }
  }
}

TEST_F(Selection, ManyTermsMayAllBeImpossible) {
  json terms = json::array();
  for (int i = 0; i < 100; ++i) terms.push_back(Term(List(In(kTopology, {"4x4"}))));
  EXPECT_TRUE(Select({{kTopology, "2x2"}}, terms).contradiction);
}

struct Means {
  std::string name;
  std::string key;
  bool leads;
};

class OtherMeans : public Selection, public testing::WithParamInterface<Means> {};

TEST_P(OtherMeans, AreSeenInSelectorAndAffinity) {
  EXPECT_EQ(Select({{GetParam().key, "x"}}, {}).by_other_means, GetParam().leads);
  EXPECT_EQ(Select({}, List(Term(List(Op(GetParam().key, "Exists"))))).by_other_means,
            GetParam().leads);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, OtherMeans,
    testing::Values(Means{"ComputeClass", "cloud.google.com/compute-class", true},
                    Means{"NodePool", "cloud.google.com/gke-nodepool", true},
                    Means{"Reservation", "cloud.google.com/reservation-name", true},
                    Means{"MachineType", "node.kubernetes.io/instance-type", true},
                    Means{"SliceTopology", "cloud.google.com/gke-tpu-slice-topology", true},
                    Means{"Accelerator", "cloud.google.com/gke-tpu-accelerator", false},
                    Means{"Zone", "topology.kubernetes.io/zone", false},
                    Means{"Spot", "cloud.google.com/gke-spot", false}),
    CaseName());

TEST_F(Selection, PointersLeadToWhatFixesTheLabel) {
  const NodeSelection selection = Select(
      {{kAccelerator, "a"}},
      List(Term(List(Op("x", "Exists"))), Term(List(Op("x", "Exists"), In(kTopology, {"2x2"})))));
  ASSERT_EQ(selection.choices.size(), 2U);
  const NodeChoice& second = selection.choices[1];
  EXPECT_EQ(PointerOf(NodeLabel::kAccelerator, second[NodeLabel::kAccelerator]),
            "/nodeSelector/cloud.google.com~1gke-tpu-accelerator");
  EXPECT_EQ(PointerOf(NodeLabel::kTopology, second[NodeLabel::kTopology]),
            "/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution"
            "/nodeSelectorTerms/1/matchExpressions/1");
  EXPECT_EQ(PointerOf(NodeLabel::kZone, second[NodeLabel::kZone]), "/nodeSelector");
  // Each leads to something that is there.
  const json pod = json::parse(text_);
  for (const NodeLabel label : {NodeLabel::kAccelerator, NodeLabel::kTopology}) {
    EXPECT_TRUE(pod.contains(json::json_pointer("/spec" + PointerOf(label, second[label]))));
  }
}

TEST_F(Selection, AnyLabelIsRequiredByTheSelectorOrByEveryTerm) {
  const auto demanded = [&](const json& selector, const json& terms) {
    const auto found = FindRequired(Decode(selector, terms), "arch");
    return found ? std::string(found->value) : std::string();
  };
  EXPECT_EQ(demanded({{"arch", "arm64"}}, {}), "arm64");
  const json arm = Term(List(Op("x", "Exists"), In("arch", {"arm64"})));
  EXPECT_EQ(demanded({}, List(arm, arm)), "arm64");
  EXPECT_EQ(demanded({}, List(arm, Term(List(Op("x", "Exists"))))), "");
  EXPECT_EQ(demanded({}, List(arm, Term(List(In("arch", {"amd64"}))))), "");
  EXPECT_EQ(demanded({}, List(Term(List(In("arch", {"arm64", "amd64"}))))), "");
  EXPECT_EQ(demanded({}, List(Term(List(Op("arch", "NotIn"))))), "");
  // A term that says it twice does not speak for one that does not say it.
  const json twice = Term(List(In("arch", {"arm64"}), In("arch", {"arm64"})));
  EXPECT_EQ(demanded({}, List(twice, Term(List(Op("x", "Exists"))))), "");
  const auto found = FindRequired(Decode({}, List(arm)), "arch");
  EXPECT_TRUE(json::parse(text_).contains(json::json_pointer("/spec" + PointerOf(found.value()))));
}

TEST(Placeholders, AreWhatTemplateEnginesWrite) {
  for (const char* text :
       {"{{ .Values.tpu }}", "${TPU}", "$TPU", "<tpu>", "tpu-{{v}}", "{% if big %}4x4", "[[ tpu ]]",
        "@TPU@", "%TPU%", "#{tpu}#", "__TPU__"}) {
    EXPECT_TRUE(IsPlaceholder(text)) << text;
  }
  for (const char* text :
       {"", "tpu-v6e-slice", "2x2", "<", ">", "{tpu}", "a>b", "a@b", "50%", "[a]", "a__b"}) {
    EXPECT_FALSE(IsPlaceholder(text)) << text;
  }
}

struct RequiredCase {
  std::string name;
  json selector;
  json terms;
  std::string found;  // "-" nothing, "?" not fixed, else value and pointer
};

class RequiredTable : public Selection, public testing::WithParamInterface<RequiredCase> {};

TEST_P(RequiredTable, FindsTheOneValueThatIsRequired) {
  const std::optional<RequiredLabel> label =
      FindRequired(Decode(GetParam().selector, GetParam().terms), "k/l");
  std::string found = "-";
  if (label) found = label->fixed ? std::string(label->value) + " " + PointerOf(*label) : "?";
  EXPECT_EQ(found, GetParam().found);
}

const std::string kTerms =
    "/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms";

INSTANTIATE_TEST_SUITE_P(
    Cases, RequiredTable,
    testing::Values(RequiredCase{"Nothing", {{"other", "a"}}, {}, "-"},
                    RequiredCase{"Selector", {{"k/l", "a"}}, {}, "a /nodeSelector/k~1l"},
                    RequiredCase{"Placeholder", {{"k/l", "${A}"}}, {}, "?"},
                    RequiredCase{"Affinity",
                                 {},
                                 List(Term(List(In("other", {"x"}), In("k/l", {"a"})))),
                                 "a " + kTerms + "/0/matchExpressions/1"},
                    RequiredCase{"SelectorBeforeAffinity",
                                 {{"k/l", "a"}},
                                 List(Term(List(In("k/l", {"b"})))),
                                 "a /nodeSelector/k~1l"},
                    RequiredCase{"SeveralValues", {}, List(Term(List(In("k/l", {"a", "b"})))), "?"},
                    RequiredCase{"Exists", {}, List(Term(List(Op("k/l", "Exists")))), "?"},
                    RequiredCase{"AllTermsAgree",
                                 {},
                                 List(Term(List(In("k/l", {"a"}))), Term(List(In("k/l", {"a"})))),
                                 "a " + kTerms + "/0/matchExpressions/0"},
                    RequiredCase{"TermsDiffer",
                                 {},
                                 List(Term(List(In("k/l", {"a"}))), Term(List(In("k/l", {"b"})))),
                                 "?"},
                    RequiredCase{"OneTermIsSilent",
                                 {},
                                 List(Term(List(In("k/l", {"a"}))), Term(List(In("other", {"x"})))),
                                 "?"}),
    [](const auto& row) { return row.param.name; });

struct Pair {
  std::string name;
  json selector;
  json terms;
  json other_selector;
  json other_terms;
  Together together;
};

class Other : public Selecting {
 public:
  using Selecting::Select;
};

class TogetherTable : public Selection, public testing::WithParamInterface<Pair> {
 protected:
  Other other_;
};

TEST_P(TogetherTable, IsToldFromBothSides) {
  const Pair& row = GetParam();
  const NodeSelection one = Select(row.selector, row.terms);
  const NodeSelection other = other_.Select(row.other_selector, row.other_terms);
  EXPECT_EQ(GoTogether(one, other), row.together);
  EXPECT_EQ(GoTogether(other, one), row.together);
}

const json kOtherTopology = {{kAccelerator, "v6e"}, {kTopology, "4x4"}};
const json kClass = {{"cloud.google.com/compute-class", "tpus"}};
const json kZones = List(Term(List(In("topology.kubernetes.io/zone", {"a", "b"}))));
const json kEither = List(Term(List(In(kAccelerator, {"v6e", "v5e"}), In(kTopology, {"2x2"}))));

INSTANTIATE_TEST_SUITE_P(
    Cases, TogetherTable,
    testing::Values(Pair{"Same", kBoth, {}, kBoth, {}, Together::kYes},
                    Pair{"SameByAffinity",
                         kBoth,
                         {},
                         {},
                         List(Term(List(In(kAccelerator, {"v6e"}), In(kTopology, {"2x2"})))),
                         Together::kYes},
                    Pair{"ZonesDoNotMatter", kBoth, {}, kBoth, kZones, Together::kYes},
                    Pair{"SameAlternatives", {}, kEither, {}, kEither, Together::kYes},
                    Pair{"OneOfTheAlternatives", kBoth, {}, {}, kEither, Together::kMaybe},
                    Pair{"NoneOfTheAlternatives", kOtherTopology, {}, {}, kEither, Together::kNo},
                    Pair{"OtherTopology", kBoth, {}, kOtherTopology, {}, Together::kNo},
                    Pair{"ClassOnOneSide", kBoth, {}, kClass, {}, Together::kMaybe},
                    Pair{"ClassOnBoth", kClass, {}, kClass, {}, Together::kYes},
                    Pair{"NothingOnOneSide", kBoth, {}, {}, {}, Together::kNo},
                    Pair{"NotIn",
                         kBoth,
                         {},
                         {{kAccelerator, "v6e"}},
                         List(Term(List(Op(kTopology, "Exists")))),
                         Together::kMaybe}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace tpu_admission::workload::node_selection_test
