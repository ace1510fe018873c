// What a review leaves in the metrics, from the bytes of the request to the text of /metrics.
#include "tpu_admission/observability/server_journal.h"

#include <fcntl.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <thread>

#include "support/asker.h"
#include "tpu_admission/rules/rule.h"

namespace tpu_admission::observability::server_journal_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

const json kWrongPod =
    With(TpuPod(), "/spec/nodeSelector/cloud.google.com~1gke-tpu-topology", "3x3");

using admission::Endpoint;

class MetricsOfReviews : public testing::Test {
 protected:
  explicit MetricsOfReviews(const std::string& policy = {})
      : asker_({.policy = policy, .docs_url = {}, .cluster = {}}) {
    journal_.OnSettings(*BuiltInCatalog(), {});
  }

  void Validate(const Review& review) {
    journal_.OnReview(asker_.Validate(review).record, {Endpoint::kValidate, "", {}});
  }
  void Mutate(const Review& review) {
    journal_.OnReview(asker_.Mutate(review).record, {Endpoint::kMutate, "", {}});
  }
  std::string Text() const { return journal_.MetricsText(); }
  // The series of the family with another value than 0, without its name.
  std::vector<std::string> Counted(const std::string& family) const {
    std::vector<std::string> counted;
    for (const std::string& line : Series(family)) {
      if (!line.ends_with(" 0")) counted.push_back(line.substr(family.size()));
    }
    return counted;
  }
  std::vector<std::string> Series(const std::string& family) const {
    std::vector<std::string> series;
    std::istringstream text(Text());
    for (std::string line; std::getline(text, line);) {
      if (line.starts_with(family + "{") || line.starts_with(family + " ")) series.push_back(line);
    }
    return series;
  }
  double Value(const std::string& metric) const {
    const std::vector<std::string> series = Series(metric);
    return series.size() == 1 ? std::stod(series[0].substr(metric.size())) : -1;
  }

  std::string Chips(const std::string& accelerator, const std::string& decision, int chips) const {
    return "tpu_admission_pod_chips_total{accelerator=\"" + accelerator + "\",decision=\"" +
           decision + "\"} " + std::to_string(chips) + "\n";
  }
  std::string Denials(const std::string& name_space, int count) const {
    return "tpu_admission_denials_total{mode=\"deny\",object_namespace=\"" + name_space +
           "\",rule=\"TPU203\"} " + std::to_string(count) + "\n";
  }

  Asker asker_;
  Log log_{open("/dev/null", O_WRONLY | O_CLOEXEC), Level::kError};
  ServerJournal journal_{log_};
};

TEST_F(MetricsOfReviews, ChipsOfEveryAcceleratorAreThereFromTheStart) {
  for (const tpu::Generation& generation : BuiltInCatalog()->generations()) {
    EXPECT_THAT(Text(), HasSubstr(Chips(generation.label, "allowed", 0)));
    EXPECT_THAT(Text(), HasSubstr(Chips(generation.label, "denied", 0)));
  }
  EXPECT_THAT(Text(), HasSubstr(Chips("other", "allowed", 0)));
}

TEST_F(MetricsOfReviews, ChipsOfNewPodsAreCountedOnce) {
  Mutate(Review(TpuPod()));
  Validate(Review(TpuPod()));
  Validate(Review(TpuPod()).DryRun());
  Validate(Review(TpuPod()).Update(kWrongPod));
  Validate(Review(TpuJob()));
  Validate(Review(kWrongPod));
  EXPECT_THAT(Text(), HasSubstr(Chips("tpu-v6e-slice", "allowed", 4)));
  EXPECT_THAT(Text(), HasSubstr(Chips("tpu-v6e-slice", "denied", 4)));
}

TEST_F(MetricsOfReviews, AnAcceleratorThatNobodyKnowsIsOther) {
  const std::string label = "/spec/nodeSelector/cloud.google.com~1gke-tpu-accelerator";
  Validate(Review(With(TpuPod(), label, "tpu-v99-slice")));
  const json either = {{"nodeSelectorTerms",
                        {{{"matchExpressions",
                           {{{"key", "cloud.google.com/gke-tpu-accelerator"},
                             {"operator", "In"},
                             {"values", {"tpu-v6e-slice", "tpu-v5-lite-podslice"}}}}}}}}};
  Validate(Review(With(Without(TpuPod(), label),
                       "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution",
                       either)));
  EXPECT_THAT(Text(), HasSubstr(Chips("other", "allowed", 8)));
  EXPECT_THAT(Text(), Not(HasSubstr("v99")));
}

TEST_F(MetricsOfReviews, DenialsAreCountedByNamespace) {
  Validate(Review(kWrongPod).Namespace("team-a"));
  Validate(Review(kWrongPod).Namespace("team-a"));
  Validate(Review(kWrongPod).Namespace("team-b"));
  Validate(Review(TpuPod()).Namespace("team-c"));
  EXPECT_THAT(Text(), HasSubstr(Denials("team-a", 2)));
  EXPECT_THAT(Text(), HasSubstr(Denials("team-b", 1)));
  EXPECT_THAT(Text(), Not(HasSubstr("team-c")));
}

TEST_F(MetricsOfReviews, TheNamespacesThatWereDeniedLastAreKept) {
  const auto deny = [this](int team) {
    Validate(Review(kWrongPod).Namespace("team-" + std::to_string(team)));
  };
  for (int team = 0; team < 256; ++team) deny(team);
  deny(0);  // so team-1 is the one that was denied longest ago
  deny(256);
  EXPECT_EQ(Series("tpu_admission_denials_total").size(), 256U);
  EXPECT_THAT(Text(), HasSubstr(Denials("team-0", 2)));
  EXPECT_THAT(Text(), HasSubstr(Denials("team-256", 1)));
  EXPECT_THAT(Text(), Not(HasSubstr("\"team-1\"")));
}

TEST_F(MetricsOfReviews, WhatCannotBeTheNameOfANamespaceIsOther) {
  for (const std::string& name :
       {std::string(64, 'x'), std::string("a\"} 1\nforged 1\n{\""), std::string("a\x1b[31m"),
        std::string("a\0b", 3), std::string("a\rb"), std::string("-a"), std::string("a-"),
        std::string("A"), std::string("a.b"), std::string("_other"), std::string("\u00e9")}) {
    Validate(Review(kWrongPod).Namespace(name));
  }
  Validate(Review(kWrongPod).Namespace(std::string(63, 'x')));
  EXPECT_THAT(
      Counted("tpu_admission_denials_total"),
      testing::UnorderedElementsAre(
          "{mode=\"deny\",object_namespace=\"_other\",rule=\"TPU203\"} 11",
          "{mode=\"deny\",object_namespace=\"" + std::string(63, 'x') + "\",rule=\"TPU203\"} 1"));
  const std::string text = Text();
  EXPECT_TRUE(std::none_of(text.begin(), text.end(),
                           [](char c) { return (c < ' ' && c != '\n') || c == '\x7f'; }));
}

TEST_F(MetricsOfReviews, APodIsCountedOnceForEachEndpoint) {
  Mutate(Review(Without(TpuPod(), "/spec/containers/0/resources/requests/cpu")));
  Validate(Review(kWrongPod));
  Validate(Review(TpuJob()));
  EXPECT_THAT(Counted("tpu_admission_requests_total"),
              testing::UnorderedElementsAre(
                  R"({endpoint="mutate",kind="Pod",operation="CREATE",outcome="patched"} 1)",
                  R"({endpoint="validate",kind="Pod",operation="CREATE",outcome="denied"} 1)",
                  R"({endpoint="validate",kind="Job",operation="CREATE",outcome="allowed"} 1)"));
  EXPECT_THAT(Text(), HasSubstr(R"(request_duration_seconds_count{endpoint="mutate"} 1)"));
  EXPECT_THAT(Text(), HasSubstr(R"(request_duration_seconds_count{endpoint="validate"} 2)"));
}

// Whatever stands in /metrics from the start must be able to happen.
TEST_F(MetricsOfReviews, OnlyWhatCanHappenIsThereFromTheStart) {
  const std::vector<std::string> requests = Series("tpu_admission_requests_total");
  EXPECT_LT(requests.size(), 580U);
  for (const std::string& series : requests) {
    const auto has = [&](const char* part) { return series.find(part) != std::string::npos; };
    EXPECT_FALSE(has("\"mutate\"") && (has("denied") || has("warned") || has("not_checked")))
        << series;
    EXPECT_FALSE(has("\"validate\"") && has("patched")) << series;
    EXPECT_FALSE(has("DELETE") || has("CONNECT")) << series;
    EXPECT_FALSE(has("\"mutate\"") && !has("Pod") && !has("OTHER")) << series;
  }
  EXPECT_EQ(Series("tpu_admission_findings_total").size(), 6 * rules::AllRules().size());
  for (const std::string& series : Series("tpu_admission_findings_total")) {
    EXPECT_FALSE(series.find(R"(mode="deny")") != std::string::npos &&
                 series.find(R"(would_be="deny")") == std::string::npos)
        << series;
  }
}

// rate() does not see the first of a series that begins at 1.
TEST_F(MetricsOfReviews, EveryOutcomeIsThereFromTheStart) {
  const std::string text = Text();
  for (std::size_t i = 0; i < admission::kOutcomes; ++i) {
    const std::string outcome(Name(static_cast<admission::Outcome>(i)));
    EXPECT_THAT(text, HasSubstr(R"(kind="Pod",operation="CREATE",outcome=")" + outcome + "\"} 0"));
  }
}

TEST_F(MetricsOfReviews, WhatOurConfigurationsNeverSendIsCountedWhenItComes) {
  Validate(Review(TpuPod()).Delete());
  Validate(Review(TpuPod()).Delete());
  Mutate(Review(TpuJob()));
  EXPECT_THAT(Counted("tpu_admission_requests_total"),
              testing::UnorderedElementsAre(
                  R"({endpoint="validate",kind="Pod",operation="DELETE",outcome="ignored"} 2)",
                  R"({endpoint="mutate",kind="Job",operation="CREATE",outcome="ignored"} 1)"));
}

TEST_F(MetricsOfReviews, WhatIsMendedIsNoFindingThatNobodyMended) {
  Mutate(Review(Without(TpuPod(), "/spec/containers/0/resources/requests/cpu")));
  EXPECT_THAT(Counted("tpu_admission_fixes_total"), Not(testing::IsEmpty()));
  EXPECT_THAT(Counted("tpu_admission_findings_total"), testing::IsEmpty());
}

class MetricsOfAnAudit : public MetricsOfReviews {
 protected:
  MetricsOfAnAudit() : MetricsOfReviews("default: audit") {}
};

TEST_F(MetricsOfAnAudit, TellAWrongObjectFromASoundOne) {
  Validate(Review(kWrongPod).Namespace("default"));
  Validate(Review(TpuPod()));
  EXPECT_THAT(
      Counted("tpu_admission_requests_total"),
      testing::UnorderedElementsAre(
          R"({endpoint="validate",kind="Pod",operation="CREATE",outcome="would_be_denied"} 1)",
          R"({endpoint="validate",kind="Pod",operation="CREATE",outcome="allowed"} 1)"));
  EXPECT_THAT(Counted("tpu_admission_findings_total"),
              testing::Contains(R"({mode="audit",rule="TPU203",would_be="deny"} 1)"));
  EXPECT_THAT(Counted("tpu_admission_denials_total"),
              testing::ElementsAre(R"({mode="audit",object_namespace="default",rule="TPU203"} 1)"));
}

class MetricsOfWarnings : public MetricsOfReviews {
 protected:
  MetricsOfWarnings() : MetricsOfReviews("default: warn") {}
};

TEST_F(MetricsOfWarnings, TellWhatWillBeDenied) {
  Validate(Review(kWrongPod));
  EXPECT_THAT(
      Counted("tpu_admission_requests_total"),
      testing::ElementsAre(
          R"({endpoint="validate",kind="Pod",operation="CREATE",outcome="would_be_denied"} 1)"));
  EXPECT_THAT(Counted("tpu_admission_findings_total"),
              testing::Contains(R"({mode="warn",rule="TPU203",would_be="deny"} 1)"));
}

TEST_F(MetricsOfReviews, TheProcessTellsItsResources) {
  const auto now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch());
  EXPECT_GT(Value("process_cpu_seconds_total"), 0);
  EXPECT_LT(Value("process_cpu_seconds_total"), 600);
  EXPECT_GT(Value("process_resident_memory_bytes"), 1 << 20);
  EXPECT_GT(Value("process_virtual_memory_bytes"), Value("process_resident_memory_bytes"));
  EXPECT_GT(Value("process_max_fds"), Value("process_open_fds"));
  EXPECT_NEAR(Value("process_start_time_seconds"), now.count(), 600);
  const double before = Value("process_open_fds");
  const int another = open("/dev/null", O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(Value("process_open_fds"), before + 1);
  close(another);
}

TEST_F(MetricsOfReviews, LostLinesAreACounter) {
  EXPECT_THAT(Text(), HasSubstr("# TYPE tpu_admission_log_lines_dropped_total counter\n"
                                "tpu_admission_log_lines_dropped_total 0\n"));
}

// Counting is done by several threads while somebody scrapes; ThreadSanitizer looks on.
TEST_F(MetricsOfReviews, ManyThreadsLoseNothing) {
  const Answer answer = asker_.Validate(Review(kWrongPod));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 250; ++j) {
        journal_.OnReview(answer.record, {Endpoint::kValidate, "", std::chrono::microseconds(15)});
      }
    });
  }
  for (int i = 0; i < 10; ++i) Text();
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(Text(), HasSubstr(R"(duration_seconds_bucket{endpoint="validate",le="2e-05"} 1000)"));
  EXPECT_THAT(Text(), HasSubstr(R"(duration_seconds_bucket{endpoint="validate",le="1e-05"} 0)"));
  EXPECT_THAT(Text(), HasSubstr(R"(duration_seconds_sum{endpoint="validate"} 0.015)"));
  EXPECT_THAT(Text(), HasSubstr(Chips("tpu-v6e-slice", "denied", 4000)));
  EXPECT_THAT(Counted("tpu_admission_requests_total"), testing::SizeIs(1));
}

}  // namespace
}  // namespace tpu_admission::observability::server_journal_test
