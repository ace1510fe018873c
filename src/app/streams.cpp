#include "app/streams.h"

#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "tpu_admission/base/json_string.h"
#include "tpu_admission/base/json_tree.h"

namespace tpu_admission::app {
Status ReadBlocks(std::istream& in, const std::function<Status(std::string_view)>& take) {
  std::vector<char> block(std::size_t(64) << 10);
  while (in) {
    in.read(block.data(), std::streamsize(block.size()));
    TPU_ADMISSION_TRY_STATUS(take({block.data(), std::size_t(in.gcount())}));
  }
  // std::cin takes an error for the end.
  const bool is_cut = &in == &std::cin ? std::ferror(stdin) != 0 : in.bad();
  return is_cut ? Status(Error{"it cannot be read to its end"}) : OkStatus();
}

Status ReadObjects(std::istream& in, const std::function<Status(std::string_view)>& take,
                   const std::function<Status()>& finish) {
  bool any = false;
  TPU_ADMISSION_TRY_STATUS(ReadBlocks(in, [&](std::string_view block) {
    any = any || block.find_first_not_of(" \t\r\n{}[],") != block.npos;
    return take(block);
  }));
  TPU_ADMISSION_TRY_STATUS(finish());  // what is broken is not nothing
  if (any) return OkStatus();
  return Error{"there is nothing to look at; wanted what `kubectl get ... -o json` prints"};
}

JsonList::JsonList(std::string_view name) { std::cout << "  \"" << name << "\": ["; }
JsonList::~JsonList() { std::cout << (any_ ? "\n  ]" : "]"); }

void JsonList::Add(const nlohmann::ordered_json& value) { AddText(HarmlessJson(Dumped(value))); }

void JsonList::AddText(std::string_view value) {
  std::cout << (std::exchange(any_, true) ? ",\n    " : "\n    ") << value;
}

void WriteJson(const nlohmann::ordered_json& json) {
  std::cout << HarmlessJson(Dumped(json, 2)) << '\n';
}

}  // namespace tpu_admission::app
