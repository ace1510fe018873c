// The objects of a stream of JSON, one at a time: those that stand alone, one after another, and
// those in the `items` of a list or in an array. An item of a typed list that has no kind gets it
// from the list: of a PodList it is a Pod. What is kept in memory is the text of one object,
// however long the stream; where the items of a list have no kind and stand before that of the
// list, also what there is of them until then.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/base/result.h"

namespace tpu_admission::cluster {

class ObjectSplitter {
 public:
  // More than the API server stores as one object.
  static constexpr std::size_t kMostBytes = std::size_t(8) << 20;
  using Each = std::function<Status(std::string_view object)>;

  // Of an object that is larger `too_large` is told, and the reading goes on behind it; without
  // `too_large` it is an error that ends the reading.
  using TooLarge = std::function<void(Error)>;

  explicit ObjectSplitter(Each each, TooLarge too_large = nullptr)
      : each_(std::move(each)), too_large_(std::move(too_large)) {}

  // The next bytes, cut wherever. Whether an object is sound JSON is for `each` to find out, whose
  // error ends the reading.
  Status Feed(std::string_view bytes);
  // The stream is at its end; an error if that is in the middle of something. Says the line.
  Status Finish() const;
  // The same of what kubectl has answered: nothing at all is no answer, an empty list is one.
  Status FinishAnswer() const;

 private:
  // What a list or an element of one says of itself, as it is written.
  struct Meta {
    std::string api_version;
    std::string kind;
  };

  Status Drop();
  Status Take(char c);
  Status Open(char c);
  Status Close();
  Status CloseList();
  Status CloseObject();
  Status Give(const Meta& own, std::string object);
  void TakeInString(char c);
  void TakeField();
  void BeginObject();
  bool IsElementLevel() const { return list_level_ != 0 && depth_ == list_level_; }
  // Directly in an object at the top, or in an element.
  bool IsFieldLevel() const {
    if (depth_ == 1) return list_level_ != 1;
    return list_level_ != 0 && depth_ == list_level_ + 1;
  }
  // What is read next is, or ends, the value of `items`.
  bool AreItems() const { return depth_ == 1 && in_value_ && key_ == "items"; }

  Each each_;
  TooLarge too_large_;
  std::string object_;  // the text so far of the object that is being read
  std::string string_;  // at a level of fields: the last one, or its beginning
  std::string key_;     // at a level of fields: of the value that is being read
  Meta top_;            // of the object at the top
  Meta element_;
  std::vector<std::pair<Meta, std::string>> held_;  // wait for the kind of their list
  std::size_t held_bytes_ = 0;
  std::size_t line_ = 1;
  std::size_t depth_ = 0;
  std::size_t list_level_ = 0;  // depth inside the array whose elements are objects; 0: none
  bool collecting_ = false;
  bool in_string_ = false;
  bool escaped_ = false;
  bool in_value_ = false;         // at a level of fields: behind the colon
  bool holds_something_ = false;  // more than blanks and brackets
  bool items_are_odd_ = false;    // of the object at the top: neither an array nor null
  bool an_item_is_odd_ = false;   // of the object at the top: no object
};

}  // namespace tpu_admission::cluster
