#include "net/trace_parent.h"

namespace tpu_admission::net {
namespace {

// "00-" trace id "-" id of the caller's span "-" flags
constexpr std::size_t kLength = 55;
constexpr std::size_t kTraceId = 3, kSpanId = 36, kFlags = 53;

bool IsHex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool IsId(std::string_view text) {
  return IsHex(text) && text.find_first_not_of('0') != std::string_view::npos;
}

}  // namespace

std::string_view TraceIdOf(std::string_view trace_parent) {
  if (trace_parent.size() != kLength || !trace_parent.starts_with("00-")) return {};
  if (trace_parent[kSpanId - 1] != '-' || trace_parent[kFlags - 1] != '-') return {};
  const std::string_view trace = trace_parent.substr(kTraceId, 32);
  const bool sound =
      IsId(trace) && IsId(trace_parent.substr(kSpanId, 16)) && IsHex(trace_parent.substr(kFlags));
  return sound ? trace : std::string_view{};
}

}  // namespace tpu_admission::net
