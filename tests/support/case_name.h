// Names of parameterised tests from the table's own column `name`.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace tpu_admission {

struct CaseName {
  template <typename Case>
  std::string operator()(const testing::TestParamInfo<Case>& test) const {
    return std::string(test.param.name);
  }
};

}  // namespace tpu_admission
