// Every rule by its constant: kTPU301 stands in src/rules/TPU301_chips_per_host/check.cpp.
#pragma once

#include "tpu_admission/rules/rule.h"

namespace tpu_admission::rules {

#define TPU_ADMISSION_RULE(id, name) extern const Rule k##id;
#include "rules/list.def"
#undef TPU_ADMISSION_RULE

}  // namespace tpu_admission::rules
