#include "tpu_admission/workload/kinds.h"

#include <algorithm>
#include <array>

namespace tpu_admission::workload {
namespace {

constexpr std::array<Kind, 7> kKinds = {{
    {"", "Pod", "", "", Counting::kNone},
    {"batch", "Job", "spec/template", "spec", Counting::kJob},
    {"batch", "CronJob", "spec/jobTemplate/spec/template", "spec/jobTemplate/spec", Counting::kJob},
    {"apps", "Deployment", "spec/template", "spec", Counting::kNone},
    {"apps", "ReplicaSet", "spec/template", "spec", Counting::kNone},
    {"apps", "StatefulSet", "spec/template", "spec", Counting::kReplicas},
    {"apps", "DaemonSet", "spec/template", "spec", Counting::kNone},
}};

}  // namespace

std::span<const Kind> Kinds() { return kKinds; }

const Kind* FindKind(std::string_view group, std::string_view name) {
  const auto row = std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& kind) {
    return kind.name == name && kind.group == group;
  });
  return row == kKinds.end() ? nullptr : &*row;
}

}  // namespace tpu_admission::workload
