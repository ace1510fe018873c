// What a pass of the audit leaves in the metrics.
#include "tpu_admission/observability/audit_journal.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "support/fake_clock.h"

namespace tpu_admission::observability::audit_journal_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class AuditJournalTest : public ::testing::Test {
 protected:
  ~AuditJournalTest() override { ::close(nowhere_); }

  audit::Outcome Found() const {
    audit::Outcome outcome;
    outcome.told[rules::Mode::kDeny] = 3;
    outcome.findings[{rules::AllRules().front(), rules::Mode::kDeny}] = 5;
    outcome.capacity =
        cluster::FindWaste({{"n", "a", "tpu-v6e-slice", "2x2", 4, true}}, {}, {}, 1'795'262'400);
    outcome.written = 2;
    return outcome;
  }

  const int nowhere_ = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  support::FakeClock clock_;
  Log log_{nowhere_, Level::kInfo};
  AuditJournal journal_{log_, clock_};
};

TEST_F(AuditJournalTest, ShowsTheLastGoodPass) {
  EXPECT_THAT(journal_.MetricsText(),
              HasSubstr("tpu_admission_audit_wasted_chips{waste=\"idle\"} 0"));
  const Clock::Mono begun = clock_.Elapsed();
  clock_.Advance(std::chrono::seconds(2));
  journal_.OnPass(Found(), begun);
  for (const char* series :
       {"tpu_admission_audit_workloads{mode=\"deny\"} 3\n",
        "tpu_admission_audit_findings{mode=\"deny\",rule=\"TPU101\"} 5\n",
        "tpu_admission_audit_chips 4\n", "tpu_admission_audit_wasted_chips{waste=\"idle\"} 4\n",
        "tpu_admission_audit_wastes{waste=\"idle\"} 1\n",
        "tpu_admission_audit_duration_seconds 2\n",
        "tpu_admission_audit_reports_total{action=\"written\"} 2\n",
        "tpu_admission_audit_last_success_timestamp_seconds 1795262402\n"}) {
    EXPECT_THAT(journal_.MetricsText(), HasSubstr(series));
  }
  journal_.OnPass({}, clock_.Elapsed());  // all is mended
  EXPECT_THAT(journal_.MetricsText(),
              HasSubstr("tpu_admission_audit_findings{mode=\"deny\",rule=\"TPU101\"} 0\n"));
}

TEST_F(AuditJournalTest, KeepsTheFiguresOverAPassThatFails) {
  journal_.OnPass(Found(), clock_.Elapsed());
  audit::Outcome failed;
  failed.errors.push_back("GET /api/v1/pods: HTTP 403");
  clock_.Advance(std::chrono::hours(1));
  journal_.OnPass(failed, clock_.Elapsed());
  const std::string text = journal_.MetricsText();
  EXPECT_THAT(text, HasSubstr("tpu_admission_audit_workloads{mode=\"deny\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("tpu_admission_audit_passes_total{result=\"failed\"} 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("last_success_timestamp_seconds 1795266000")));
}

}  // namespace
}  // namespace tpu_admission::observability::audit_journal_test
