#include "rules/engine/worker_rules.h"

namespace tpu_admission::rules {
namespace tpu802 {

void Check(const Subject& subject, Report& report) {
  ReportUnnamed(subject, Served::kJobs, report);
}
void Mend(const Subject& subject, std::vector<Fix>& fixes) {
  AddIdentity(subject, Served::kJobs, fixes);
}

}  // namespace tpu802

const Rule kTPU802 = {
    .id = "TPU802",
    .name = "job-worker-variables",
    .mode = Mode::kAudit,
    .check = tpu802::Check,
    .fix = tpu802::Mend,
    .fix_default = FixDefault::kNotOnGke,
};

}  // namespace tpu_admission::rules
