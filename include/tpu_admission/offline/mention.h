// Whether a text speaks of TPUs at all: of others the editor and the page in the browser say
// nothing but what the rules say of an object. Pure.
#pragma once

#include <string_view>

namespace tpu_admission::offline {

// Whether "tpu" stands somewhere, in any case, as a word or at a word's beginning:
// `google.com/tpu`, `cloud-tpus`, `tpu7x`, `numTpus`, `GKE_TPU`; also in `hightpu`, of machine
// types, and `libtpu`. Inside of other words (output, httpUrl) it is none. Zero bytes are read
// over: the text may be UTF-16.
bool MentionsTpus(std::string_view text);

}  // namespace tpu_admission::offline
