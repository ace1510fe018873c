// What a ConfigFile holds; the one place where the JSON library behind it shows.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/base/config_reader.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/yaml.h"

namespace tpu_admission {

using ConfigJson = nlohmann::ordered_json;

struct ConfigFile::State {
  struct Problem {
    YamlMark mark;
    std::string message;
  };

  std::string origin;
  std::string text;
  YamlDocument document;
  ConfigJson json;
  std::vector<Problem> problems;
  std::map<const void*, std::set<std::string, std::less<>>> asked;  // by mapping: its known keys
  std::set<const void*> wrong;                                      // values of the wrong type

  void Report(const YamlMark& mark, std::string_view pointer, std::string_view what);
  void ReportValue(const std::string& pointer, std::string_view what) {
    Report(document.PlaceOf(pointer).value, pointer, what);
  }
  // A scalar as it is written, quotes and all.
  std::string_view Written(const std::string& pointer) const;
  void ReportUnknownKeys(const ConfigJson& value, const std::string& pointer);
  void ReportUnknownKey(const ConfigJson& mapping, const std::string& pointer,
                        std::string_view key);
};

inline std::string MemberPointer(std::string pointer, std::string_view key) {
  AppendPointerToken(pointer, key);
  return pointer;
}

}  // namespace tpu_admission
