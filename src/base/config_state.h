// What a ConfigFile holds: the tree, what was asked for, and what is wrong.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tpu_admission/base/config_reader.h"
#include "tpu_admission/base/yaml.h"

namespace tpu_admission {

struct ConfigFile::State {
  struct Problem {
    YamlMark mark;
    std::string pointer;
    std::string what;                   // empty: an unknown key,
    const YamlNode* mapping = nullptr;  // of this mapping
  };
  // The keys of a mapping that somebody asked for.
  struct Asked {
    std::set<std::string, std::less<>> keys;
    bool all = false;
  };

  std::string origin;
  YamlStream stream;
  YamlNode empty;  // stands for a file without a document
  YamlDocument document;
  std::vector<Problem> problems;
  std::unordered_map<const YamlNode*, Asked> asked;
  std::unordered_set<const YamlNode*> wrong;   // values of the wrong type
  std::unordered_set<const YamlNode*> walked;  // by ReportUnknownKeys: aliases name a node twice

  void Report(YamlMark mark, const std::string& pointer, std::string_view what) {
    problems.push_back({mark, pointer, std::string(what), nullptr});
  }
  void ReportUnknownKeys(const YamlNode& value, const std::string& pointer);
  std::string Describe(const Problem& problem) const;
};

}  // namespace tpu_admission
