// One notion of a line for what is told, what comments excuse and what fixes change.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "offline/excerpt.h"
#include "support/check_text.h"
#include "tpu_admission/base/line_index.h"
#include "tpu_admission/offline/format.h"

namespace tpu_admission::offline::lines_test {
namespace {

using support::Check;
using ::testing::HasSubstr;

// The topology is on line 7.
const std::string kPod = R"(apiVersion: v1
kind: Pod
metadata: {name: p, annotations: {a: "X"}}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: 3x3 #
  containers:
  - name: jax
    resources: {requests: {cpu: 1, memory: 1Gi}, limits: {google.com/tpu: 4}}
)";
constexpr std::string_view kJsonPod =
    R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"nodeSelector": {)"
    R"("cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice", )"
    R"("cloud.google.com/gke-tpu-topology": "3x3"}, "containers": [{"name": "jax", "resources": {)"
    R"("requests": {"cpu": 1, "memory": "1Gi"}, "limits": {"google.com/tpu": 4}}}]}})";

std::string Replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

const std::vector<std::string> kOtherEnds = {"\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"};

TEST(Lines, ACharacterThatOnlyYamlTakesForAnEndShiftsNone) {
  for (const std::string& end : kOtherEnds) {
    const FileReport report = Check(Replaced(kPod, "X", "x" + end + "y"));
    ASSERT_EQ(report.objects.size(), 1U);
    EXPECT_EQ(report.objects[0].findings[0].place.begin.line, 7U);
    EXPECT_EQ(report.objects[0].findings[0].place.begin.column, 40U);
  }
}

TEST(Lines, ACommentExcusesItsLineBelowSuchACharacter) {
  for (const std::string& end : kOtherEnds) {
    const std::string text = Replaced(kPod, "X", "x" + end + "y");
    const std::string comment = "# tpu-admission: ignore TPU203 new shape";
    for (const std::string& asked :
         {Replaced(text, "#", comment),
          Replaced(text, "  nodeSelector", "  " + comment + "\n  nodeSelector")}) {
      const FileReport report = Check(asked);
      ASSERT_EQ(report.objects.size(), 1U);
      EXPECT_EQ(report.objects[0].findings[0].ignored_because, "new shape") << asked;
    }
  }
}

TEST(Lines, ACommentEndsAtALoneReturn) {
  const std::string comment = "# tpu-admission: ignore TPU203 new shape";
  for (const std::string& asked : {Replaced(kPod, "#", comment), comment + "\n" + kPod,
                                   "\xEF\xBB\xBF" + comment + "\n" + kPod}) {
    const FileReport report = Check(Replaced(asked, "\n", "\r"));
    ASSERT_EQ(report.objects.size(), 1U);
    EXPECT_EQ(report.objects[0].findings[0].ignored_because, "new shape") << asked;
  }
}

TEST(Lines, TheExcerptOfALoneReturnIsOneLine) {
  const std::string text = Replaced(kPod, "\n", "\r");
  const FileReport report = Check(text);
  EXPECT_THAT(Excerpt(text, report.objects.at(0).findings.at(0).place),
              HasSubstr("7 |     cloud.google.com/gke-tpu-topology: 3x3 #\n"));
}

// As a reader of SARIF does it: lines end at \n, \r\n and \r, columns are characters (here bytes),
// and a byte order mark is none.
std::string WithFirstFix(const std::string& text, const FileReport& report) {
  const auto format = NewFormat("sarif", false);
  std::string out;
  format->Add(report, out);
  format->Finish({}, out);
  const auto fix = nlohmann::json::parse(out)["runs"][0]["results"][0]["fixes"][0];
  std::vector<std::size_t> starts = {text.starts_with(kByteOrderMark) ? 3U : 0U};
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (EndsLine(text, at)) starts.push_back(at + 1);
  }
  std::string fixed = text;
  auto replacements = fix["artifactChanges"][0]["replacements"];
  std::reverse(replacements.begin(), replacements.end());
  for (const auto& each : replacements) {
    const auto offset = [&](const char* line, const char* column) {
      return starts.at(each["deletedRegion"][line].get<std::size_t>() - 1) +
             each["deletedRegion"][column].get<std::size_t>() - 1;
    };
    const std::size_t begin = offset("startLine", "startColumn");
    fixed.replace(begin, offset("endLine", "endColumn") - begin, each["insertedContent"]["text"]);
  }
  return fixed;
}

TEST(Lines, FixesOfSarifChangeWhatTheyMean) {
  for (const std::string& text :
       {kPod, Replaced(kPod, "\n", "\r"), Replaced(kPod, "\n", "\r\n"),
        Replaced(kPod, "kind: Pod\n", "kind: Pod\r"), "\xEF\xBB\xBF" + kPod,
        "\xEF\xBB\xBF" + std::string(kJsonPod), Replaced(std::string(kJsonPod), ", ", ",\r")}) {
    const FileReport report = Check(text);
    ASSERT_EQ(report.objects.size(), 1U) << text;
    const FileReport after = Check(WithFirstFix(text, report));
    EXPECT_TRUE(after.errors.empty()) << text;
    EXPECT_EQ(after.workloads, 1U) << text;
    Counts counts;
    counts.Add(after);
    EXPECT_EQ(counts.denied, 0U) << text;
  }
}

}  // namespace
}  // namespace tpu_admission::offline::lines_test
