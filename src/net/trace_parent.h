// The header by which a caller names the trace that a request belongs to: W3C Trace Context, 3.2.
#pragma once

#include <string_view>

namespace tpu_admission::net {

// The trace id in the value of a `traceparent` header: 32 lowercase hex digits, not all zero. Empty
// unless the whole value is well-formed (version 00, both ids and the flags).
std::string_view TraceIdOf(std::string_view trace_parent);

}  // namespace tpu_admission::net
