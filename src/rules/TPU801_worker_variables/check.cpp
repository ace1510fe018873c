#include "rules/engine/worker_rules.h"

namespace tpu_admission::rules {
namespace {

void Check(const Subject& subject, Report& report) {
  ReportUnnamed(subject, Served::kOthers, report);
}
void Mend(const Subject& subject, std::vector<Fix>& fixes) {
  AddIdentity(subject, Served::kOthers, fixes);
}

}  // namespace

const Rule kTPU801 = {
    .id = "TPU801",
    .name = "worker-variables",
    .mode = Mode::kWarn,
    .check = Check,
    .fix = Mend,
};

}  // namespace tpu_admission::rules
