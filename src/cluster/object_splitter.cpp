#include "tpu_admission/cluster/object_splitter.h"

namespace tpu_admission::cluster {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

constexpr std::size_t kLongestKey = 16;

}  // namespace

Status ObjectSplitter::Feed(std::string_view bytes) {
  for (const char c : bytes) {
    if (collecting_) object_ += c;
    if (in_string_) {
      TakeInString(c);
    } else {
      TPU_ADMISSION_TRY_STATUS(Take(c));
    }
    if (object_.size() > kMostBytes) {
      return Error{"an object is larger than " + std::to_string(kMostBytes >> 20) + " MiB"};
    }
  }
  return OkStatus();
}

Status ObjectSplitter::Finish() const {
  if (depth_ == 0) return OkStatus();
  return Error{"the JSON ends in the middle"};
}

void ObjectSplitter::TakeInString(char c) {
  if (!escaped_ && c == '"') {
    in_string_ = false;
  } else {
    escaped_ = !escaped_ && c == '\\';
    if (depth_ == 1 && last_string_.size() < kLongestKey) last_string_ += c;
  }
}

Status ObjectSplitter::Take(char c) {
  if (c == '"' && depth_ > 0) {
    in_string_ = true;
    if (depth_ == 1) last_string_.clear();
  } else if (c == '{' || c == '[') {
    return Open(c);
  } else if (c == '}' || c == ']') {
    return Close();
  } else if (depth_ == 0 && !IsBlank(c)) {
    return Error{"is no JSON; wanted what `kubectl get ... -o json` prints"};
  }
  return OkStatus();
}

Status ObjectSplitter::Open(char c) {
  const bool is_list = c == '[' && (depth_ == 0 || (depth_ == 1 && last_string_ == "items"));
  if (c == '{' && (depth_ == 0 || IsElementLevel())) {
    object_ = c;
    collecting_ = true;
  }
  ++depth_;
  if (is_list && list_level_ == 0) {
    list_level_ = depth_;
    collecting_ = false;
    object_.clear();
  }
  return OkStatus();
}

Status ObjectSplitter::Close() {
  if (depth_ == 0) return Error{"a bracket closes what was not opened"};
  --depth_;
  const bool whole = collecting_ && (depth_ == 0 || IsElementLevel());
  if (depth_ < list_level_) list_level_ = 0;
  if (!whole) return OkStatus();
  collecting_ = false;
  const Status status = each_(object_);
  object_.clear();
  return status;
}

}  // namespace tpu_admission::cluster
