// Every rule by its constant: k and its id, in the check.cpp of its folder.
#pragma once

#include "tpu_admission/rules/rule.h"

namespace tpu_admission::rules {

#define TPU_ADMISSION_RULE(id, name) extern const Rule k##id;
#include "rules/list.def"
#undef TPU_ADMISSION_RULE

}  // namespace tpu_admission::rules
