#include "rules/engine/worker_rules.h"

namespace tpu_admission::rules {
namespace tpu801 {

void Check(const Subject& subject, Report& report) {
  ReportUnnamed(subject, Served::kOthers, report);
}
void Mend(const Subject& subject, std::vector<Fix>& fixes) {
  AddIdentity(subject, Served::kOthers, fixes);
}

}  // namespace tpu801

const Rule kTPU801 = {
    .id = "TPU801",
    .name = "worker-variables",
    .mode = Mode::kWarn,
    .check = tpu801::Check,
    .fix = tpu801::Mend,
};

}  // namespace tpu_admission::rules
