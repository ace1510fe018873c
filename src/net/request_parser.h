// Beast's HTTP/1 grammar with our strictness on top, and without its map of header fields: of a
// request we keep method, path, three headers, the trace id and the body, in strings that keep
// their capacity.
#pragma once

#include <boost/beast/http/basic_parser.hpp>
#include <boost/optional/optional.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

#include "net/byte_budget.h"
#include "tpu_admission/base/lifetime.h"

namespace tpu_admission::net {

// What is kept of a request. Reused from request to request of a connection.
struct ParsedRequest {
  std::string method;
  std::string target;
  std::string content_type;
  std::string content_encoding;
  std::string trace_id;  // empty unless there is one traceparent, and it is well-formed
  std::string body;
  bool http10 = false;
  bool expects_continue = false;

  void Clear();
};

class RequestParser final : public boost::beast::http::basic_parser<true> {
 public:
  enum class Problem { kNone, kTooManyFields, kOverBudget, kMalformed };

  // Fills `request` and leases what the body holds.
  RequestParser(ParsedRequest& request TPU_ADMISSION_LIFETIME_BOUND,
                ByteBudget::Lease& lease TPU_ADMISSION_LIFETIME_BOUND)
      : request_(request), lease_(lease) {}

  // Which of our own rules the request broke; kNone also if it broke one of Beast's.
  Problem problem() const { return problem_; }

 private:
  using error_code = boost::beast::error_code;
  using string_view = boost::beast::string_view;
  using field = boost::beast::http::field;
  using verb = boost::beast::http::verb;

  void on_request_impl(verb, string_view method, string_view target, int version,
                       error_code& error) override;
  void on_field_impl(field name, string_view name_text, string_view value,
                     error_code& error) override;
  void on_header_impl(error_code& error) override;
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code& error) override;
  std::size_t on_body_impl(string_view bytes, error_code& error) override;
  std::size_t on_chunk_body_impl(std::uint64_t remain, string_view bytes,
                                 error_code& error) override;
  void on_response_impl(int, string_view, int, error_code&) override {}
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  void on_finish_impl(error_code& error) override;

  error_code Refuse(Problem problem);
  std::size_t Append(string_view bytes, error_code& error);
  void KeepTrace(string_view trace_parent);

  ParsedRequest& request_;
  ByteBudget::Lease& lease_;
  Problem problem_ = Problem::kNone;
  std::size_t declared_ = SIZE_MAX;  // bytes of the body; unknown if it is chunked
  int fields_ = 0;
  int hosts_ = 0;
  int trace_parents_ = 0;
};

}  // namespace tpu_admission::net
