// A text that is another in one place.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tpu_admission::support {

inline std::string With(std::string text, std::string_view old, std::string_view now) {
  const std::size_t at = text.find(old);
  EXPECT_NE(at, text.npos) << old;
  return at == text.npos ? text : text.replace(at, old.size(), now);
}

}  // namespace tpu_admission::support
