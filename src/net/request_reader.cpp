#include "net/request_reader.h"

#include <algorithm>
#include <boost/beast/http/error.hpp>

namespace tpu_admission::net {
namespace {

namespace http = boost::beast::http;

// One read takes a whole TLS record (16 KiB) and so nearly always a whole request. Beast's own
// growth, 512 bytes a read, costs 6 us a request.
constexpr std::size_t kBufferBytes = 16u << 10;

// A body beyond this gives its memory back once it was answered.
constexpr std::size_t kKeptBodyBytes = 16u << 10;

// The path of a target: "/mutate?timeout=10s", or in absolute form "https://host/mutate".
std::string_view PathOf(std::string_view target) {
  target = target.substr(0, target.find_first_of("?#"));
  if (target.starts_with('/')) return target;
  const std::size_t authority = target.find("://");
  if (authority == std::string_view::npos) return target;
  const std::size_t path = target.find('/', authority + 3);
  return path == std::string_view::npos ? "/" : target.substr(path);
}

RequestReader::Refusal RefusalOf(boost::system::error_code error, RequestParser::Problem problem) {
  using Reason = ServerObserver::Refusal;
  using Problem = RequestParser::Problem;
  if (error == http::error::body_limit) {
    return {413, Reason::kBodyTooLarge, "the request body is too large\n"};
  }
  if (error == http::error::header_limit || problem == Problem::kTooManyFields) {
    return {431, Reason::kHeaderTooLarge, "the request header is too large\n"};
  }
  if (problem == Problem::kOverBudget) {
    return RequestReader::kOverBudget;
  }
  return {400, Reason::kMalformed, "malformed HTTP/1.1 request\n"};
}

}  // namespace

const RequestReader::Refusal RequestReader::kOverBudget = {
    503, ServerObserver::Refusal::kBytesInFlight, "too many bytes in flight, try again\n"};

RequestReader::RequestReader(const ServerLimits& limits, ByteBudget& budget)
    : limits_(limits), buffer_(std::max(kBufferBytes, limits.header_bytes)), lease_(budget) {
  buffer_.reserve(buffer_.max_size());
  NextRequest();
}

void RequestReader::NextRequest() {
  ReleaseBody();
  request_.Clear();
  parser_.emplace(request_, lease_);
  parser_->body_limit(limits_.body_bytes);
  parser_->header_limit(static_cast<std::uint32_t>(buffer_.max_size()));
  header_bytes_ = 0;
  keep_alive_ = false;
  state_ = State::kIdle;
}

void RequestReader::ReleaseBody() {
  lease_.Release();
  if (request_.body.capacity() > kKeptBodyBytes) std::string().swap(request_.body);
}

bool RequestReader::ExchangeBodyFor(std::size_t bytes) {
  ReleaseBody();
  return lease_.Cover(bytes);
}

boost::asio::mutable_buffer RequestReader::Prepare() {
  return buffer_.prepare(buffer_.max_size() - buffer_.size());
}

RequestReader::State RequestReader::Advance() {
  if (state_ == State::kWantsContinue) state_ = State::kBody;  // it was sent
  if (state_ == State::kIdle && buffer_.size() != 0) state_ = State::kHeader;
  if (state_ == State::kHeader) AdvanceHeader();
  if (state_ == State::kBody) AdvanceBody();
  return state_;
}

void RequestReader::AdvanceHeader() {
  boost::system::error_code error;
  const std::size_t used = parser_->put(buffer_.data(), error);
  buffer_.consume(used);
  header_bytes_ += used;
  const bool done = !error && parser_->is_header_done();
  const std::size_t seen = header_bytes_ + (done ? 0 : buffer_.size());
  if (!error || error == http::error::need_more) {
    error = seen > limits_.header_bytes ? http::make_error_code(http::error::header_limit)
                                        : boost::system::error_code{};
  }
  if (error) {
    Refuse(RefusalOf(error, parser_->problem()));
  } else if (done) {
    EndOfHeader();
  }
}

void RequestReader::EndOfHeader() {
  parser_->eager(true);
  keep_alive_ = !request_.http10 && parser_->keep_alive();
  boost::system::error_code error;
  if (!parser_->is_done()) parser_->put({}, error);  // begins the body
  if (error && error != http::error::need_more) {
    Refuse(RefusalOf(error, parser_->problem()));
  } else if (parser_->is_done()) {
    state_ = State::kComplete;
  } else if (request_.expects_continue && !request_.http10 && buffer_.size() == 0) {
    state_ = State::kWantsContinue;
  } else {
    state_ = State::kBody;
  }
}

void RequestReader::AdvanceBody() {
  boost::system::error_code error;
  if (buffer_.size() != 0) buffer_.consume(parser_->put(buffer_.data(), error));
  if (error == http::error::need_more) error = {};
  if (!error && !parser_->is_done() && buffer_.size() == buffer_.max_size()) {
    error = http::error::bad_chunk;  // a chunk's header or the trailers fill the whole buffer
  }
  if (error) {
    Refuse(RefusalOf(error, parser_->problem()));
  } else if (parser_->is_done()) {
    state_ = State::kComplete;
  }
}

void RequestReader::Refuse(const Refusal& refusal) {
  refusal_ = refusal;
  keep_alive_ = false;
  state_ = State::kRefused;
}

bool RequestReader::TimeOut() {
  if (state_ == State::kIdle) return false;
  Refuse({408, ServerObserver::Refusal::kTimeout, "the request took too long to arrive\n"});
  return true;
}

HttpRequest RequestReader::request() const {
  return {.method = request_.method,
          .path = PathOf(request_.target),
          .content_type = request_.content_type,
          .content_encoding = request_.content_encoding,
          .trace_id = request_.trace_id,
          .body = request_.body};
}

}  // namespace tpu_admission::net
