#include "tpu_admission/cluster/object_splitter.h"

#include <algorithm>
#include <utility>

#include "tpu_admission/k8s/gvk.h"

namespace tpu_admission::cluster {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

constexpr std::string_view kOfListOrNull = "[nul,}";
constexpr std::string_view kOfObjects = "{,]";  // between the elements of `items`
constexpr std::size_t kLongestString = 128;     // of those that matter here

// Nothing that would have to be escaped.
bool IsPlain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '/' || c == '-';
  });
}

}  // namespace

Status ObjectSplitter::Feed(std::string_view bytes) {
  for (const char c : bytes) {
    if (c == '\n') ++line_;
    if (collecting_) object_ += c;
    if (in_string_) {
      TakeInString(c);
    } else {
      TPU_ADMISSION_TRY_STATUS(Take(c));
    }
    if (object_.size() > kMostBytes) TPU_ADMISSION_TRY_STATUS(Drop());
  }
  return OkStatus();
}

// What follows of the object is read only to find its end.
Status ObjectSplitter::Drop() {
  Error what{"an object in line " + std::to_string(line_) + " is larger than " +
             std::to_string(kMostBytes >> 20) + " MiB"};
  if (!too_large_) return what;
  too_large_(std::move(what));
  collecting_ = false;
  object_ = {};
  return OkStatus();
}

Status ObjectSplitter::Finish() const {
  if (depth_ == 0) return OkStatus();
  return Error{"the JSON ends in the middle, in line " + std::to_string(line_) + ": " +
               (in_string_ ? "a string" : "a bracket") + " is still open"};
}

Status ObjectSplitter::FinishAnswer() const {
  TPU_ADMISSION_TRY_STATUS(Finish());
  if (holds_something_) return OkStatus();
  return Error{"kubectl printed nothing; wanted what `kubectl get ... -o json` prints"};
}

void ObjectSplitter::TakeInString(char c) {
  if (!escaped_ && c == '"') {
    in_string_ = false;
    if (IsFieldLevel()) TakeField();
  } else {
    escaped_ = !escaped_ && c == '\\';
    if (IsFieldLevel() && string_.size() < kLongestString) string_ += c;
  }
}

// A string of a level of fields is at its end.
void ObjectSplitter::TakeField() {
  if (!in_value_) return void(key_ = string_);
  Meta& meta = depth_ == 1 ? top_ : element_;
  if (key_ == "kind") meta.kind = string_;
  if (key_ == "apiVersion") meta.api_version = string_;
}

Status ObjectSplitter::Take(char c) {
  if (IsBlank(c)) return OkStatus();
  if (AreItems() && kOfListOrNull.find(c) == kOfListOrNull.npos) items_are_odd_ = true;
  if (IsElementLevel() && kOfObjects.find(c) == kOfObjects.npos) an_item_is_odd_ = true;
  if (c == '"' && depth_ > 0) {
    in_string_ = holds_something_ = true;
    if (IsFieldLevel()) string_.clear();
  } else if (c == '{' || c == '[') {
    return Open(c);
  } else if (c == '}' || c == ']') {
    return Close();
  } else if (depth_ == 0) {
    return Error{"line " + std::to_string(line_) +
                 " is no JSON; wanted what `kubectl get ... -o json` prints"};
  } else if (IsFieldLevel() && (c == ':' || c == ',')) {
    in_value_ = c == ':';
  }
  return OkStatus();
}

Status ObjectSplitter::Open(char c) {
  const bool is_list = c == '[' && (depth_ == 0 || AreItems());
  if (c == '{' && (depth_ == 0 || IsElementLevel())) BeginObject();
  ++depth_;
  if (is_list && list_level_ == 0) {
    list_level_ = depth_;
    collecting_ = false;
    object_.clear();
  }
  return OkStatus();
}

void ObjectSplitter::BeginObject() {
  object_ = '{';
  collecting_ = true;
  in_value_ = false;
  element_ = {};
  if (depth_ > 0) return;
  top_ = {};
  items_are_odd_ = an_item_is_odd_ = false;
}

Status ObjectSplitter::Close() {
  if (depth_ == 0)
    return Error{"a bracket in line " + std::to_string(line_) + " closes what was not opened"};
  --depth_;
  if (collecting_ && (depth_ == 0 || IsElementLevel())) return CloseObject();
  if (depth_ < list_level_) {
    list_level_ = 0;
    in_value_ = true;  // until the next comma
  }
  return depth_ == 0 ? CloseList() : OkStatus();
}

Status ObjectSplitter::CloseObject() {
  collecting_ = false;
  std::string object = std::exchange(object_, {});
  if (depth_ == 0) {
    if (items_are_odd_ && top_.kind.ends_with("List")) {
      return Error{
          "the items of a list are no array; wanted what `kubectl get ... -o json` prints"};
    }
    top_ = {};
    return each_(object);
  }
  const bool waits = list_level_ > 1 && element_.kind.empty() && top_.kind.empty();
  if (!waits) return Give(element_, std::move(object));
  held_bytes_ += object.size();
  if (held_bytes_ > kMostBytes) {
    return Error{"the items of a list have no kind, and that of the list stands behind more than " +
                 std::to_string(kMostBytes >> 20) + " MiB of them; put it first"};
  }
  held_.emplace_back(element_, std::move(object));
  return OkStatus();
}

Status ObjectSplitter::CloseList() {
  held_bytes_ = 0;
  for (auto& [own, object] : std::exchange(held_, {})) {
    TPU_ADMISSION_TRY_STATUS(Give(own, std::move(object)));
  }
  if (std::exchange(an_item_is_odd_, false) && top_.kind.ends_with("List")) {
    return Error{"an item of a list is no object; wanted what `kubectl get ... -o json` prints"};
  }
  top_ = {};
  return OkStatus();
}

// An element, with what its list says of it.
Status ObjectSplitter::Give(const Meta& own, std::string object) {
  const std::string_view kind = k8s::ItemKindOf(top_.kind);
  if (!own.kind.empty() || kind.empty() || !IsPlain(kind) || !IsPlain(top_.api_version)) {
    return each_(object);
  }
  std::string said = R"("kind":")" + std::string(kind) + '"';
  if (own.api_version.empty()) said += R"(,"apiVersion":")" + top_.api_version + '"';
  const bool is_empty = std::all_of(object.begin() + 1, object.end() - 1, IsBlank);
  return each_(object.insert(1, is_empty ? said : said + ','));
}

}  // namespace tpu_admission::cluster
