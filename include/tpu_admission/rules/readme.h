// The README.md of each rule, as it lies in the rule's folder: built in, so that `explain` prints
// what people read there.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tpu_admission/rules/rule.h"

namespace tpu_admission::rules {

// The whole file.
std::string_view ReadmeOf(const Rule& rule);
// What the rule finds, in half a sentence: "a container's chips that are not what a host has".
std::string_view SummaryOf(const Rule& rule);
// The name of the rule's folder: id and name, "<id>_chips_per_host".
std::string FolderOf(const Rule& rule);

// A hundred of ids, by their first digit.
struct Family {
  char digit;
  std::string_view about;
};
std::span<const Family> Families();

}  // namespace tpu_admission::rules
