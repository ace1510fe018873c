#include "tpu_admission/rules/readme.h"

#include <algorithm>
#include <array>

namespace tpu_admission::rules {

// Written by cmake/EmbedText.cmake, in the order of the list.
std::span<const std::string_view> Readmes();

std::string_view ReadmeOf(const Rule& rule) { return Readmes()[IndexOf(rule)]; }

std::string_view SummaryOf(const Rule& rule) {
  constexpr std::string_view kAfterMode = "**: ";
  std::string_view text = ReadmeOf(rule);
  text.remove_prefix(text.find(kAfterMode) + kAfterMode.size());
  return text.substr(0, text.find('\n'));
}

std::string FolderOf(const Rule& rule) {
  std::string folder = std::string(rule.id) + "_" + std::string(rule.name);
  std::replace(folder.begin(), folder.end(), '-', '_');
  return folder;
}

std::span<const Family> Families() {
  static constexpr std::array<Family, 8> kFamilies = {{{'1', "selection of nodes"},
                                                       {'2', "topology"},
                                                       {'3', "chips"},
                                                       {'4', "hosts and slices"},
                                                       {'5', "zones and capacity"},
                                                       {'6', "CPU, memory and storage"},
                                                       {'7', "network and disruption"},
                                                       {'8', "worker identity"}}};
  return kFamilies;
}

}  // namespace tpu_admission::rules
