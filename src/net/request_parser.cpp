#include "net/request_parser.h"

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>

#include "net/trace_parent.h"

namespace tpu_admission::net {
namespace {

namespace beast = boost::beast;

// More than any client sends (the API server sends 7), few enough to be cheap.
constexpr int kMaxFields = 100;

// Beast joins folded lines (obs-fold) where RFC 9112 5.2 lets a server refuse them: a value that is
// not right behind its name and colon was joined, or began on the next line.
bool IsFolded(beast::string_view name, beast::string_view value) {
  const char* start = name.data() + name.size() + 1;
  while (*start == ' ' || *start == '\t') ++start;
  return start != value.data();
}

}  // namespace

void ParsedRequest::Clear() {
  method.clear();
  target.clear();
  content_type.clear();
  content_encoding.clear();
  trace_id.clear();
  body.clear();
  http10 = false;
  expects_continue = false;
}

RequestParser::error_code RequestParser::Refuse(Problem problem) {
  problem_ = problem;
  return beast::http::make_error_code(beast::http::error::bad_value);
}

void RequestParser::on_request_impl(verb, string_view method, string_view target, int version,
                                    error_code&) {
  request_.method.assign(method.data(), method.size());
  request_.target.assign(target.data(), target.size());
  request_.http10 = version == 10;
}

void RequestParser::on_field_impl(field name, string_view name_text, string_view value,
                                  error_code& error) {
  if (++fields_ > kMaxFields) {
    error = Refuse(Problem::kTooManyFields);
  } else if (IsFolded(name_text, value)) {
    error = Refuse(Problem::kMalformed);
  } else if (is_header_done()) {
    return;  // a trailer: it never changes what the header said
  } else if (name == field::content_type) {
    request_.content_type.assign(value.data(), value.size());
  } else if (name == field::content_encoding) {
    request_.content_encoding.assign(value.data(), value.size());
  } else if (name == field::host) {
    ++hosts_;
  } else if (name == field::expect) {
    request_.expects_continue = beast::iequals(value, "100-continue");
  } else if (name == field::transfer_encoding && !beast::iequals(value, "chunked")) {
    error = Refuse(Problem::kMalformed);
  } else if (name == field::unknown && beast::iequals(name_text, "traceparent")) {
    KeepTrace(value);
  }
}

// Of two nobody can say which is right. What is malformed costs nobody an answer: it is left out.
void RequestParser::KeepTrace(string_view trace_parent) {
  if (++trace_parents_ == 1) {
    request_.trace_id = TraceIdOf({trace_parent.data(), trace_parent.size()});
  } else {
    request_.trace_id.clear();
  }
}

void RequestParser::on_header_impl(error_code& error) {
  if (request_.http10 ? hosts_ > 1 : hosts_ != 1) {
    error = Refuse(Problem::kMalformed);
  } else if (request_.http10 && chunked()) {
    error = Refuse(Problem::kMalformed);
  }
}

void RequestParser::on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code&) {
  if (!length) return;
  declared_ = *length;  // which the limit of bodies has let pass
  if (declared_ <= ByteBudget::kFreeBytes) request_.body.reserve(declared_);
}

std::size_t RequestParser::on_body_impl(string_view bytes, error_code& error) {
  return Append(bytes, error);
}

std::size_t RequestParser::on_chunk_body_impl(std::uint64_t, string_view bytes, error_code& error) {
  return Append(bytes, error);
}

// The budget is charged for what has come, by the memory that holds it; a length that is only
// declared costs its sender nothing, so it may cost others nothing. It does end the growth: no
// memory is held for what cannot come.
std::size_t RequestParser::Append(string_view bytes, error_code& error) {
  std::string& body = request_.body;
  const std::size_t size = body.size() + bytes.size();
  if (size > body.capacity()) {
    const std::size_t capacity = std::max(size, std::min(2 * body.capacity(), declared_));
    if (!lease_.Cover(capacity)) {
      error = Refuse(Problem::kOverBudget);
      return 0;
    }
    body.reserve(capacity);
  }
  body.append(bytes.data(), bytes.size());
  return bytes.size();
}

void RequestParser::on_finish_impl(error_code&) {}

}  // namespace tpu_admission::net
