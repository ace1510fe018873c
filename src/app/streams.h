// What commands read from a stream, and JSON that they write to standard output.
#pragma once

#include <functional>
#include <istream>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "tpu_admission/base/result.h"

namespace tpu_admission::app {

// Gives `take` block after block. An error of it ends the reading, and so does one of the stream:
// half an input is no whole one.
Status ReadBlocks(std::istream& in, const std::function<Status(std::string_view)>& take);

// The same for objects as kubectl prints them, and `finish` at the end: where there are none at
// all, or only `{}` and `[]`, that is an error. A list without items is something.
Status ReadObjects(std::istream& in, const std::function<Status(std::string_view)>& take,
                   const std::function<Status()>& finish);

// A member of the object at the top, of standard output: a list whose values are written one by
// one, each in a line: a tree of many would take gigabytes. What stands before and behind it, and
// between two of them, is the caller's.
class JsonList {
 public:
  explicit JsonList(std::string_view name);
  JsonList(const JsonList&) = delete;
  JsonList& operator=(const JsonList&) = delete;
  ~JsonList();

  // As WriteJson() writes it.
  void Add(const nlohmann::ordered_json& value);
  // JSON, written as it is.
  void AddText(std::string_view value);

 private:
  bool any_ = false;
};

// With a line's end behind it. What is no UTF-8 is replaced; no CI system obeys what it says.
void WriteJson(const nlohmann::ordered_json& json);

}  // namespace tpu_admission::app
