// The objects of a stream of JSON, one at a time: those that stand alone, one after another, and
// those in the `items` of a list or in an array. What is kept in memory is the text of one object,
// however long the stream.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "tpu_admission/base/result.h"

namespace tpu_admission::cluster {

class ObjectSplitter {
 public:
  // More than the API server stores as one object; a larger one is an error.
  static constexpr std::size_t kMostBytes = std::size_t(8) << 20;
  using Each = std::function<Status(std::string_view object)>;

  explicit ObjectSplitter(Each each) : each_(std::move(each)) {}

  // The next bytes, cut wherever. Whether an object is sound JSON is for `each` to find out, whose
  // error ends the reading.
  Status Feed(std::string_view bytes);
  // The stream is at its end; an error if that is in the middle of something.
  Status Finish() const;

 private:
  Status Take(char c);
  Status Open(char c);
  Status Close();
  void TakeInString(char c);
  bool IsElementLevel() const { return list_level_ != 0 && depth_ == list_level_; }

  Each each_;
  std::string object_;       // the text so far of the object that is being read
  std::string last_string_;  // at the top level of a value: before a `[` it is the key
  std::size_t depth_ = 0;
  std::size_t list_level_ = 0;  // depth inside the array whose elements are objects; 0: none
  bool collecting_ = false;
  bool in_string_ = false;
  bool escaped_ = false;
};

}  // namespace tpu_admission::cluster
