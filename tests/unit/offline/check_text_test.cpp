#include <gmock/gmock.h>

#include <chrono>

#include "offline/excerpt.h"
#include "support/check_text.h"
#include "tpu_admission/offline/format.h"

namespace tpu_admission::offline::check_text_test {
namespace {

using support::Check;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::string Told(const FileReport& report, std::string_view format, bool colour = false) {
  const auto writer = NewFormat(format, colour);
  std::string out;
  Counts counts;
  counts.Add(report);
  writer->Begin(out);
  writer->Add(report, out);
  writer->Finish(counts, out);
  return out;
}

// The topology is on line 7.
const std::string kPod = R"(apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: 3x3
  containers:
  - name: jax
    resources: {requests: {cpu: 1, memory: 1Gi}, limits: {google.com/tpu: 4}}
)";

std::string With(std::string text, const std::string& after, const std::string& more) {
  text.insert(text.find(after) + after.size(), more);
  return text;
}

std::vector<std::string> Ignored(const FileReport& report) {
  std::vector<std::string> reasons;
  for (const ObjectReport& object : report.objects) {
    for (const ReportedFinding& finding : object.findings) {
      if (!finding.ignored_because.empty()) reasons.push_back(finding.ignored_because);
    }
  }
  return reasons;
}

std::vector<std::string> Warnings(const FileReport& report) {
  std::vector<std::string> texts;
  for (const Note& note : report.warnings) texts.push_back(note.text);
  return texts;
}

// As kubectl takes them.
TEST(CheckText, ItemsOfATypedListAreOfItsKind) {
  const std::string faulty =
      R"("metadata": {"name": "p"}, "spec": {"nodeSelector": {
        "cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
        "cloud.google.com/gke-tpu-topology": "3x3"},
        "containers": [{"name": "jax", "resources": {"limits": {"google.com/tpu": 4}}}]}})";
  const auto list = [&](const std::string& kind, const std::string& own) {
    return R"({"apiVersion": "v1", "kind": ")" + kind + R"(", "items": [{)" + own + faulty + "]}";
  };
  const FileReport report = Check(list("PodList", ""));
  EXPECT_EQ(report.workloads, 1U);
  ASSERT_THAT(report.objects, SizeIs(1));
  EXPECT_EQ(report.objects[0].kind, "Pod");
  EXPECT_EQ(report.objects[0].api_version, "v1");
  EXPECT_EQ(report.objects[0].pointer, "/items/0");
  EXPECT_EQ(Check(list("JobList", R"("kind": "Pod", "apiVersion": "v1", )")).workloads, 1U);
  EXPECT_EQ(Check(list("PodList", R"("kind": "Other", "apiVersion": "v1", )")).workloads, 0U);
  EXPECT_EQ(Check(list("List", "")).workloads, 0U);
}

// As kubectl does.
TEST(CheckText, ListsInListsAreTakenApart) {
  const FileReport report = Check(R"(apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: List
  items:
  - apiVersion: v1
    kind: PodList
    items:
    - metadata: {name: p}
      spec:
        nodeSelector:
          cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
          cloud.google.com/gke-tpu-topology: 3x3
        containers: [{name: jax, resources: {limits: {google.com/tpu: 4}}}]
)");
  EXPECT_EQ(report.workloads, 1U);
  ASSERT_THAT(report.objects, SizeIs(1));
  EXPECT_EQ(report.objects[0].pointer, "/items/0/items/0/items/0");
  EXPECT_EQ(report.objects[0].kind, "Pod");
}

TEST(CheckText, TextShowsTheLineWithACaretUnderTheValueAndTheRepairOnce) {
  EXPECT_EQ(Told(Check(kPod), "text"),
            R"(a.yaml:7:40: error: Pod "p": topology 3x3 is not offered for tpu-v6e-slice
    7 |     cloud.google.com/gke-tpu-topology: 3x3
      |                                        ^^^
TPU203 topology-not-offered   spec.nodeSelector['cloud.google.com/gke-tpu-topology']
  is 3x3, which tpu-v6e-slice does not have: tpu-v6e-slice comes as 1x1, 2x2, 2x4, 4x4, 4x8, 8x8, 8x16, 16x16.
  -> set cloud.google.com/gke-tpu-topology to 2x2

What would run:
  a) one host, 4 chips in all:                     topology: 2x2
  b) one host, 1 chip in all (4 chips become 1):   topology: 1x1, containers[0] google.com/tpu: 1
  c) one host, 8 chips in all (4 chips become 8):  topology: 2x4, containers[0] google.com/tpu: 8

1 TPU workload checked: 1 error, 0 warnings
)");
}

// It says no more than they do, and less of the fields.
TEST(CheckText, ARepairThatIsWhatTheFindingsSayTakesNothingFromThem) {
  const std::string told = Told(Check(R"(apiVersion: cloud.google.com/v1
kind: ComputeClass
metadata: {name: c}
spec:
  priorities:
  - tpu: {type: tpu-v6e-slices, count: 4, topology: 4x4}
  - tpu: {type: tpu-v6e-slice, count: 3, topology: 4x4}
)"),
                                "text");
  for (const std::string_view line : {"  -> set type to tpu-v6e-slice\n", "  -> set count to 4\n",
                                      "  a) as the findings say:  priorities[0]: type: "
                                      "tpu-v6e-slice; priorities[1]: count: 4\n"}) {
    EXPECT_NE(told.find(line), std::string::npos) << line << told;
  }
}

TEST(CheckText, TheCaretOfWhatIsMissingIsUnderTheKeyThatIsThere) {
  std::string text = kPod;
  const std::string topology = "    cloud.google.com/gke-tpu-topology: 3x3\n";
  text.erase(text.find(topology), topology.size());
  EXPECT_THAT(Told(Check(text), "text"),
              HasSubstr("\n    5 |   nodeSelector:\n      |   ^^^^^^^^^^^^\n"));
}

TEST(CheckText, SaysThatAValueEndsInALineBreak) {
  const std::string told = Told(Check(With(kPod, "topology: ", "|\n      ")), "text");
  EXPECT_THAT(told, HasSubstr("ends in a line break, which is part of the value; write it in the"));
  EXPECT_THAT(Told(Check(kPod), "text"), ::testing::Not(HasSubstr("line break")));
}

TEST(CheckText, ColoursPlaceWordAndCaret) {
  const std::string text = Told(Check(kPod), "text", true);
  EXPECT_THAT(text, HasSubstr("\x1b[1ma.yaml:7:40:\x1b[0m \x1b[1;31merror:\x1b[0m Pod \"p\""));
  EXPECT_THAT(text, HasSubstr(" \x1b[1;32m^^^\x1b[0m\n"));
}

TEST(CheckText, ShowsThePartOfALongLineThatMatters) {
  const std::string blanks(500, ' ');
  const std::string text =
      Told(Check("{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeSelector: "
                 "{cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/"
                 "gke-tpu-topology: " +
                 blanks + "3x3" + blanks +
                 "}, containers: [{name: c, resources: {limits: {google.com/tpu: 4}}}]}}"),
           "text");
  EXPECT_THAT(text,
              ::testing::ContainsRegex("\n    1 \\| \\.\\.\\. +3x3 +\n      \\|  +\\^\\^\\^\n"));
}

TEST(CheckText, ShowsNoControlsOfTheFile) {
  const std::string text = Told(Check(With(kPod, "3x3", "  # \xE2\x80\xAE and \t")), "text");
  EXPECT_THAT(text, HasSubstr("3x3  # \xEF\xBF\xBD and  \n"));
}

TEST(IgnoreComment, ExcusesTheValueOfItsLine) {
  const FileReport report = Check(With(kPod, "3x3", " # tpu-admission: ignore TPU203 new shape "));
  EXPECT_THAT(Ignored(report), ElementsAre("new shape"));
  EXPECT_THAT(report.warnings, IsEmpty());
  EXPECT_THAT(report.objects[0].repairs, IsEmpty());
}

TEST(IgnoreComment, AboveAKeyExcusesAllBelowIt) {
  const std::string comment = "# tpu-admission: ignore TPU203,TPU301 new shape\n";
  const FileReport report = Check(With(kPod, "spec:\n", "  " + comment));
  EXPECT_THAT(Ignored(report), ElementsAre("new shape"));
  EXPECT_THAT(Warnings(report), ElementsAre(HasSubstr("there is no TPU301 here")));
  EXPECT_THAT(Ignored(Check(comment + kPod)), SizeIs(1)) << "all of the document";
  EXPECT_THAT(Ignored(Check("---\n" + comment + "\n# more\n" + kPod)), SizeIs(1));
  EXPECT_THAT(Ignored(Check(comment + "---\n" + kPod + "---\n" + kPod)), SizeIs(1));
}

TEST(IgnoreComment, TellsWhatDoesNotCount) {
  const auto says = [](const std::string& comment) {
    const FileReport report = Check(With(kPod, "tpu-v6e-slice", " " + comment));
    EXPECT_THAT(Ignored(report), IsEmpty()) << comment;
    return Warnings(report);
  };
  EXPECT_THAT(says("# tpu-admission: ignore TPU203 elsewhere"),
              ElementsAre(HasSubstr("there is no TPU203 here; take the comment away")));
  EXPECT_THAT(says("# tpu-admission: ignore TPU2O3 x"), ElementsAre(HasSubstr("mean TPU203?")));
  EXPECT_THAT(says("# tpu-admission: ignore TPU203"), ElementsAre(HasSubstr("say why")));
  EXPECT_THAT(says("# tpu-admission: ignore"), ElementsAre(HasSubstr("ignore what?")));
  EXPECT_THAT(says("# tpu-admission: off"), ElementsAre(HasSubstr("\"off\" is nothing")));
}

TEST(IgnoreComment, BlanksStandWherePeopleSetThem) {
  for (const std::string comment :
       {"#tpu-admission:ignore TPU203 new shape", "#  tpu-admission:ignore TPU203 new shape",
        "# tpu-admission: ignore TPU301, TPU203 new shape",
        "# tpu-admission: ignore TPU203 , TPU301 new shape",
        "# tpu-admission: ignore TPU203, new shape"}) {
    EXPECT_THAT(Ignored(Check(With(kPod, "3x3", " " + comment))), ElementsAre("new shape"))
        << comment;
  }
  for (const std::string comment : {"##tpu-admission: off", "# a tpu-admission: off"}) {
    EXPECT_THAT(Check(With(kPod, "3x3", " " + comment)).warnings, IsEmpty()) << comment;
  }
}

TEST(IgnoreComment, OfAFamilySaysThatItNamesEachRule) {
  const FileReport report = Check(With(kPod, "3x3", " # tpu-admission: ignore TPU2, TPU301 x"));
  EXPECT_THAT(Ignored(report), IsEmpty());
  EXPECT_THAT(Warnings(report),
              ElementsAre("this ignores nothing: \"TPU2\" stands for many rules, and a comment "
                          "names each that it ignores",
                          HasSubstr("there is no TPU301 here")));
}

TEST(CheckText, SarifNamesTheFieldBeforeTheProblem) {
  EXPECT_THAT(Told(Check(kPod), "sarif"),
              HasSubstr("spec.nodeSelector['cloud.google.com/gke-tpu-topology'] is 3x3, which"));
}

TEST(CheckText, GithubTellsAnErrorOnce) {
  const std::string told = Told(Check("a: *b\n"), "github");
  EXPECT_THAT(told, HasSubstr("::unknown anchor \"b\"\n"));
}

TEST(IgnoreComment, ManyTakeLinearTimeAndAreCounted) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "# tpu-admission: x\n";
  const auto begin = std::chrono::steady_clock::now();
  const FileReport report = Check(text + "# tpu-admission: ignore TPU203 new shape\n" + kPod);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_THAT(Ignored(report), ElementsAre("new shape"));
  ASSERT_THAT(report.warnings, SizeIs(101));
  EXPECT_EQ(report.warnings.back().text, "and 199900 more warnings of tpu-admission comments");
  EXPECT_EQ(report.warnings.back().place.line, 101U);
}

TEST(IgnoreComment, IsNoneInsideOfAValue) {
  const FileReport report =
      Check(With(kPod, "metadata: {name: p",
                 ", annotations: {a: 'x # tpu-admission: off', b: \"x\n  # tpu-admission: off\"}"));
  EXPECT_THAT(report.warnings, IsEmpty());
  EXPECT_THAT(report.errors, IsEmpty());
}

TEST(IgnoreComment, OfRulesThatAreNotAskedForIsNotUnused) {
  const auto rules = RuleChoice::Parse({"TPU5"}, {}).value();
  EXPECT_THAT(Check("# tpu-admission: ignore TPU203 x\n" + kPod, rules).warnings, IsEmpty());
}

TEST(CheckText, FindsTheTemplateOfWhatHelmRendered) {
  const std::string text = "---\n# Source: c/templates/a.yaml\n" + kPod +
                           "---\n# Source: c/templates/b.yaml\n# a comment\n" + kPod + "---\n" +
                           kPod;
  const FileReport report = Check(text);
  ASSERT_THAT(report.objects, SizeIs(3));
  EXPECT_EQ(report.objects[0].source, "c/templates/a.yaml");
  EXPECT_EQ(report.objects[1].source, "c/templates/b.yaml");
  EXPECT_EQ(report.objects[2].source, "");
}

TEST(CheckText, ATemplateIsOneErrorWithWhatToDo) {
  const FileReport report = Check("a: 1\n{% for x in y %}\nb: {{ x }}\n{% endfor %}\n");
  EXPECT_TRUE(report.is_template);
  ASSERT_THAT(report.errors, SizeIs(1));
  EXPECT_EQ(report.errors[0].place.line, 2U);
  EXPECT_THAT(report.errors[0].text, HasSubstr("this is a template; render it first"));
}

TEST(CheckText, ADuplicateKeySaysWhatKubectlWouldMakeOfIt) {
  const FileReport report = Check("a: 1\nb: 2\na: 3\n");
  ASSERT_THAT(report.errors, SizeIs(1));
  EXPECT_EQ(report.errors[0].text,
            "duplicate key \"a\" (first on line 1, again on line 3); kubectl apply -f keeps the "
            "last and drops the others without a word: put what is meant under one key");
}

// libyaml takes it for the beginning of the key in the next line, which is innocent.
TEST(CheckText, ALineOfVariablesAloneIsATemplate) {
  struct Case {
    std::string text;
    std::size_t line;
    std::string variable;
  };
  const Case cases[] = {
      {"a:\n  b: c\n  ${AFFINITY}\n  d: e\n", 3, "${AFFINITY}"},
      {"a:\n- b: c\n  ${X:-}${Y}  # why\n\n  # more\n- d: e\n", 3, "${X:-}"},
      {"a: b\n$QUEUE\nb: c\n", 2, "$QUEUE"},
      {"${HEAD}\r\na: b\r\n", 1, "${HEAD}"},
      {"a: b\n${TAIL}", 2, "${TAIL}"},
      {"a: b\n${ONE}\nc: d\n---\na: b\n${TWO}\nc: d\n", 2, "${ONE}"},
  };
  for (const auto& [text, line, variable] : cases) {
    const FileReport report = Check(text);
    EXPECT_TRUE(report.is_template) << text;
    ASSERT_THAT(report.errors, SizeIs(1)) << text;
    EXPECT_EQ(report.errors[0].place.line, line) << text;
    EXPECT_EQ(report.errors[0].text, "this is a template: " + variable +
                                         " is yet to be filled in; render it first: envsubst, or "
                                         "what else fills it in ... | tpu-admission check -");
  }
}

TEST(CheckText, AFaultThatIsNoVariablesIsNoTemplate) {
  for (const std::string text :
       {"a: ${X}\n  b: c\n", "a: |\n  ${X}\nbad\nkey: x\n", "a: b\n$\nc: d\n",
        "a: |\n  ${X}\n b: [\n", "# ${X}\na\nb: c\n", "a: b\n${X\nc: d\n"}) {
    const FileReport report = Check(text);
    EXPECT_FALSE(report.is_template) << text;
    ASSERT_THAT(report.errors, SizeIs(1)) << text;
    EXPECT_THAT(report.errors[0].text, Not(HasSubstr("template"))) << text;
  }
  const FileReport both = Check("a: b\n${X}\nc: d\n---\na: [\n");
  EXPECT_FALSE(both.is_template) << "a file is passed over only for templates alone";
  EXPECT_THAT(both.errors, SizeIs(2));
}

TEST(RuleChoice, TakesIdsNamesAndBeginnings) {
  const auto chosen = [](const char* word) {
    const auto choice = RuleChoice::Parse({word}, {});
    EXPECT_TRUE(choice) << word;
    std::size_t count = 0;
    for (const rules::Rule* rule : rules::AllRules()) count += choice->Has(*rule) ? 1U : 0U;
    return count;
  };
  EXPECT_EQ(chosen("tpu301"), 1U);
  EXPECT_EQ(chosen("Chips-Per-Host"), 1U);
  EXPECT_GT(chosen("5xx"), 5U);
  EXPECT_EQ(chosen("TPU5"), chosen("5"));
  EXPECT_FALSE(RuleChoice::Parse({"TPU999"}, {}));
  EXPECT_FALSE(RuleChoice::Parse({}, {"tpu"}));
}

// A line may be all of a file, and have a finding at every object.
TEST(Excerpt, LooksAtNoMoreOfALineThanItShows) {
  const std::string line(16 << 20, 'x');
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint32_t i = 0; i < 1'000; ++i) {
    const YamlMark mark = {1, 8'000'000 + i, 7'999'999 + i};
    EXPECT_LT(Excerpt(line, {mark, mark}).size(), 400U);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(Excerpt, OfWhatIsNoTextIsSafe) {
  const YamlMark mark = {1, 4, 3};
  EXPECT_EQ(Excerpt("a: \xFF\xFE", {mark, mark}), "    1 | a: \n      |    ^\n");
  EXPECT_EQ(Excerpt("a", {{9, 9, 99}, {9, 9, 99}}), "");
}

TEST(IgnoreComment, AMillionMarksInALineAreOneComment) {
  std::string text = "a: 1  ";
  for (int i = 0; i < 500'000; ++i) text += "# tpu-admission:";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THAT(Check(text).warnings, SizeIs(1));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

}  // namespace
}  // namespace tpu_admission::offline::check_text_test
