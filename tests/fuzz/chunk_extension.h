// What the two targets of HTTP share.
#pragma once

#include <string_view>

namespace tpu_admission::fuzz {

// Beast reads on behind the line for the end of a quoted chunk extension, and takes the chunk from
// the limit of the body again with each piece that comes: what is malformed so is refused early or
// late.
inline bool MayHaveQuotedExtension(std::string_view bytes) {
  return bytes.find(';') != bytes.npos && bytes.find('"') != bytes.npos;
}

}  // namespace tpu_admission::fuzz
