// What a user reads: the first line stands alone, and every fault has its change.
#include <gtest/gtest.h>

#include "support/asker.h"
#include "support/case_name.h"
#include "support/rule_page.h"
#include "support/yaml_json.h"

namespace tpu_admission::admission::message_test {
namespace {

using nlohmann::json;

json WrongJob() {
  json job = With(TpuJob(), "/spec/parallelism", 2);
  job["spec"]["completions"] = 2;
  job["spec"]["template"]["spec"]["containers"][0] = TpuContainer("jax", 8);
  return job;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

TEST(Messages, FirstLineNamesObjectAndFirstFault) {
  Asker asker;
  const std::string first = Lines(asker.Validate(Review(WrongJob())).message())[0];
  EXPECT_TRUE(first.starts_with("Job \"train\" cannot run on TPUs as written: container \"jax\""))
      << first;
  EXPECT_NE(first.find("(TPU301"), std::string::npos) << first;
}

// Counts of faults at hand, one denied finding a paragraph, with its change unless repairs of
// several faults say it once for all.
void ExpectWholeMessage(const Answer& answer) {
  const std::vector<std::string> lines = Lines(answer.message());
  EXPECT_LE(lines[0].size(), kFirstLineBytes);
  EXPECT_TRUE(lines[0].ends_with(").")) << lines[0];
  std::size_t denied = 0;
  for (const JudgedFinding& judged : answer.record.findings) denied += Denies(judged) ? 1U : 0U;
  ASSERT_GT(denied, 0U);
  const bool says_more = lines[0].find(" below).") != std::string::npos;
  EXPECT_EQ(says_more, denied > 1);
  const bool by_repairs =
      denied > 1 && answer.message().find("\nWhat would run:") != std::string::npos;
  std::size_t headings = 0;
  std::size_t changes = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].starts_with("TPU")) {
      ++headings;
      ASSERT_LT(i + 2, lines.size());
      EXPECT_TRUE(lines[i + 1].starts_with("  ")) << lines[i + 1];
      EXPECT_TRUE(by_repairs || lines[i + 2].starts_with("  -> ")) << lines[i + 2];
    }
    changes += lines[i].starts_with("  -> ") ? 1U : 0U;
  }
  EXPECT_EQ(headings, std::min<std::size_t>(denied, 20));
  EXPECT_TRUE(changes == headings || (by_repairs && changes == 0)) << changes;
  EXPECT_NE(answer.message().find("\nMore: tpu-admission explain TPU"), std::string::npos);
}

class EveryRule : public testing::TestWithParam<const rules::Rule*> {};

TEST_P(EveryRule, DenialHasAParagraphForEveryFault) {
  const std::string manifest = rules::ManifestOf(*GetParam(), "Wrong");
  const json object = json::parse(ParseYaml(manifest).value().front().json);
  // Every rule denies here, so that every text is seen in a message.
  Asker asker({.policy = "children: deny\nrules: {" + std::string(GetParam()->id) + ": deny}\n",
               .docs_url = "",
               .cluster = rules::ClusterOf(manifest)});
  const Answer answer = asker.Validate(Review(object));
  if (GetParam()->never_harder && GetParam()->mode != rules::Mode::kDeny) {
    EXPECT_TRUE(answer.allowed());
    return;
  }
  ASSERT_FALSE(answer.allowed());
  ExpectWholeMessage(answer);
  EXPECT_NE(answer.message().find(std::string(GetParam()->id) + " " +
                                  std::string(GetParam()->name) + "   "),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Rules, EveryRule, testing::ValuesIn(rules::RulesOfReviews()),
                         [](const auto& rule) { return std::string(rule.param->id); });

TEST(Messages, ManyFaultsAreBounded) {
  json pod = TpuPod();
  pod["spec"]["containers"].clear();
  for (int i = 0; i < 80; ++i) {
    pod["spec"]["containers"].push_back(TpuContainer("a-rather-long-name-" + std::to_string(i), 3));
  }
  Asker asker;
  const Answer answer = asker.Validate(Review(pod));
  ASSERT_FALSE(answer.allowed());
  ExpectWholeMessage(answer);
  EXPECT_LT(answer.message().size(), 16'000U);
  EXPECT_LE(answer.warnings().size(), 10U);
  EXPECT_NE(answer.message().find(" more of the same kinds)"), std::string::npos);
}

TEST(Messages, LongNamesLeaveRoomForTheRule) {
  Asker asker;
  json job = With(WrongJob(), "/metadata/name", std::string(300, 'n'));
  job["spec"]["template"]["spec"]["containers"][0]["name"] = std::string(300, 'c');
  const Answer answer = asker.Validate(Review(job));
  ExpectWholeMessage(answer);
}

TEST(Messages, OneChangeForSeveralFaultsIsSaidOnce) {
  Asker asker;
  json job = With(WrongJob(), "/spec/completions", 3);
  const Answer answer = asker.Validate(Review(job));
  const std::vector<std::string> lines = Lines(answer.message());
  std::vector<std::string> changes;
  for (const std::string& line : lines) {
    if (line.starts_with("  -> set ")) changes.push_back(line);
  }
  for (std::size_t i = 0; i < changes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(changes[i], changes[j]);
  }
}

// The same words about another container are another change.
TEST(Messages, OneChangeIsOfOneField) {
  json pod = TpuPod();
  pod["spec"]["containers"] = {TpuContainer("a", 3), TpuContainer("b", 3)};
  Asker asker;
  const std::string message = asker.Validate(Review(pod)).message();
  EXPECT_EQ(message.find("mends this too"), std::string::npos) << message;
}

TEST(Messages, LinksOnlyWhereTheirBaseIsKnown) {
  Asker without;
  EXPECT_EQ(without.Validate(Review(WrongJob())).message().find("://"), std::string::npos);
  Asker with({.policy = "", .docs_url = "https://docs.example.com/rules", .cluster = {}});
  EXPECT_NE(with.Validate(Review(WrongJob()))
                .message()
                .find("\n      https://docs.example.com/rules/TPU301_chips_per_host/README.md"),
            std::string::npos);
}

TEST(Messages, WarningsOfADenialAreGivenToo) {
  Asker asker({.policy = "rules: {TPU401: warn}", .docs_url = "", .cluster = {}});
  const Answer answer = asker.Validate(Review(WrongJob()));
  EXPECT_FALSE(answer.allowed());
  ASSERT_EQ(answer.warnings().size(), 1U);
  EXPECT_TRUE(answer.warnings()[0].starts_with("TPU401: ")) << answer.warnings()[0];
  EXPECT_EQ(answer.message().find("TPU401"), std::string::npos) << "a denial speaks of denials";
}

// Computed suggestions must themselves pass: the change that a denial names is carried out here.
TEST(Messages, ChangesOfTheMessageMendTheObject) {
  Asker asker;
  json job = WrongJob();
  const std::string message = asker.Validate(Review(job)).message();
  ASSERT_NE(message.find("What would run:\n  a) keep 4x4, 16 chips on 4 hosts:"),
            std::string::npos);
  ASSERT_NE(message.find("containers[0] google.com/tpu: 4, parallelism: 4, completions: 4"),
            std::string::npos);
  EXPECT_EQ(message.find("  -> "), std::string::npos) << "repairs say it, once";
  job["spec"]["template"]["spec"]["containers"][0] = TpuContainer("jax", 4);
  job["spec"]["parallelism"] = 4;
  job["spec"]["completions"] = 4;
  EXPECT_TRUE(asker.Validate(Review(job)).allowed());
}

}  // namespace
}  // namespace tpu_admission::admission::message_test
