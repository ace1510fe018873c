#include "tpu_admission/offline/baseline.h"

#include <gtest/gtest.h>

namespace tpu_admission::offline::baseline_test {
namespace {

FileReport Report(int findings) {
  FileReport report;
  ObjectReport& object = report.objects.emplace_back();
  object.kind = "Job";
  object.name = "tr\"ain";
  for (int i = 0; i < findings; ++i) {
    ReportedFinding& finding = object.findings.emplace_back();
    finding.rule = rules::AllRules().front();
    finding.mode = finding.would_be = rules::Mode::kDeny;
    finding.field = "spec";
  }
  return report;
}

TEST(Baseline, KnowsWhatItWrote) {
  Baseline written;
  written.Add("a.yaml", Report(2));
  Baseline read = Baseline::Parse(written.Text(), "b").value();
  FileReport report = Report(3);
  read.Mark("a.yaml", report);
  EXPECT_TRUE(report.objects[0].findings[1].is_known);
  EXPECT_FALSE(report.objects[0].findings[2].is_known) << "one more than was known";
  const auto is_there = [](const std::string&) { return true; };
  EXPECT_EQ(read.Left(is_there), 0U);
  const Baseline unread = Baseline::Parse(written.Text(), "b").value();
  EXPECT_EQ(unread.Left(is_there), 0U) << "nobody looked";
  EXPECT_EQ(unread.Left([](const std::string&) { return false; }), 2U);
  FileReport other = Report(1);
  read.Mark("other.yaml", other);
  EXPECT_FALSE(other.objects[0].findings[0].is_known);
}

TEST(Baseline, IsReadStrictly) {
  EXPECT_TRUE(Baseline::Parse("version: 1\nfindings: []\n", "b"));
  EXPECT_FALSE(Baseline::Parse("version: 2\n", "b"));
  EXPECT_FALSE(Baseline::Parse("", "b"));
  EXPECT_EQ(Baseline::Parse("version: 1\nfindings: [{fil: x, kind: Job, rule: R}]\n", "b")
                .error()
                .message.substr(0, 4),
            "b:2:");
}

}  // namespace
}  // namespace tpu_admission::offline::baseline_test
