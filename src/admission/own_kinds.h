// The `kinds` section of the policy: workload kinds that the user adds without a build.
#pragma once

#include "tpu_admission/base/config_reader.h"
#include "tpu_admission/workload/kinds.h"

namespace tpu_admission::admission {

// The built-in kinds and those of the list `kinds` below `root`, if there is one. What is wrong
// with a row is reported at the row, and fails the file's Finish().
workload::KindTable ReadKinds(ConfigNode root);

}  // namespace tpu_admission::admission
