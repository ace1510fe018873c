#include <algorithm>
#include <optional>

#include "tpu_admission/base/text.h"
#include "tpu_admission/offline/lsp.h"

namespace tpu_admission::offline {
namespace {

constexpr std::string_view kEnd = "\r\n\r\n";

// The number of `Content-Length`, which stands once; other fields say nothing to us.
std::optional<std::size_t> ContentLength(std::string_view header) {
  std::optional<std::size_t> length;
  while (!header.empty()) {
    const std::string_view line = header.substr(0, header.find("\r\n"));
    header.remove_prefix(std::min(line.size() + 2, header.size()));
    const std::size_t colon = line.find(':');
    if (colon == line.npos) return std::nullopt;
    if (!SameButForCase(line.substr(0, colon), "Content-Length")) continue;
    const auto number = WholeNumber(Trimmed(line.substr(colon + 1), " \t"));
    if (length || number.value_or(-1) < 0) return std::nullopt;
    length = *number;
  }
  return length;
}

}  // namespace

void MessageStream::Add(std::string_view bytes) {
  const std::size_t skipped = std::min(skip_, bytes.size());
  skip_ -= skipped;
  bytes.remove_prefix(skipped);
  if (broken_) return;
  bytes_.erase(0, read_);
  read_ = 0;
  bytes_ += bytes;
}

MessageStream::Item MessageStream::Header() {
  const std::string_view rest = std::string_view(bytes_).substr(read_);
  const std::size_t end = rest.substr(0, kMaxHeaderBytes).find(kEnd);
  if (end == rest.npos && rest.size() < kMaxHeaderBytes) return {};
  const auto length = end == rest.npos ? std::nullopt : ContentLength(rest.substr(0, end));
  if (!length) {
    broken_ = true;
    bytes_.clear();
    read_ = 0;
    return {Item::Kind::kMalformed};
  }
  read_ += end + kEnd.size();
  if (*length <= kMaxBodyBytes) {
    in_body_ = true;
    body_bytes_ = *length;
    return {};
  }
  const std::size_t here = std::min(*length, bytes_.size() - read_);
  read_ += here;
  skip_ = *length - here;
  return {Item::Kind::kTooLarge};
}

MessageStream::Item MessageStream::Next() {
  if (broken_) return {};
  if (!in_body_) {
    const Item item = Header();
    if (item.kind != Item::Kind::kNone) return item;
  }
  if (!in_body_ || bytes_.size() - read_ < body_bytes_) return {};
  const std::string_view body = std::string_view(bytes_).substr(read_, body_bytes_);
  read_ += body_bytes_;
  in_body_ = false;
  return {Item::Kind::kMessage, body};
}

std::string MessageStream::Framed(std::string_view body) {
  return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

}  // namespace tpu_admission::offline
