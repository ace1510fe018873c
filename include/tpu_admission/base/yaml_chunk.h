// Where a text of several YAML documents may be cut, so that each part can be read by itself.
#pragma once

#include <cstddef>
#include <string_view>

namespace tpu_admission {

// The bytes of `text` up to the next line `---`, or behind the next `...`; at least 1 of a text
// that is not empty. ReadYaml() of the parts, one after the other, finds the documents and the
// faults that it finds in the whole, but for its bounds, which hold for each part.
std::size_t YamlChunkBytes(std::string_view text);

}  // namespace tpu_admission
