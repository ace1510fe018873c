// The bytes of one HTTP connection, as the session reads and answers them, over memory. However
// they are cut into pieces, the same requests come out; what they hold is within the bounds and is
// given back; every answer is one whole answer.
#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <string>
#include <vector>

#include "fuzz/chunk_extension.h"
#include "fuzz/require.h"
#include "net/request_reader.h"
#include "net/response.h"

namespace {

using namespace tpu_admission::net;
using State = RequestReader::State;

constexpr ServerLimits kLimits{.body_bytes = 20'000, .header_bytes = 1000};
constexpr std::size_t kBudget = 100'000;

struct Conversation {
  std::vector<std::string> requests;
  bool refused = false;
};

void CheckAnswer(HttpResponse& response, bool close, bool head) {
  std::string out;
  WriteResponse(response, {.close = close, .omit_body = head}, out);
  REQUIRE(out.starts_with("HTTP/1.1 "));
  const std::size_t end = out.find("\r\n\r\n");
  REQUIRE(end != out.npos);
  const std::string length = "\r\nContent-Length: " + std::to_string(response.body.size()) + "\r\n";
  REQUIRE(out.substr(0, end + 2).find(length) != out.npos);
  REQUIRE(out.substr(end + 4) == (head ? "" : response.body));
}

std::string Answer(const RequestReader& reader) {
  const HttpRequest request = reader.request();
  REQUIRE(request.body.size() <= kLimits.body_bytes);
  REQUIRE(request.method.size() + request.path.size() + request.content_type.size() <=
          kLimits.header_bytes);
  REQUIRE(request.trace_id.empty() || request.trace_id.size() == 32);
  HttpResponse response;
  response.status = request.path == "/mutate" ? 200 : 404;
  response.body = request.body.substr(0, 100);
  CheckAnswer(response, !reader.keep_alive(), reader.is_head());
  return std::string(request.method) + '\n' + std::string(request.path) + '\n' +
         std::string(request.content_type) + '\n' + std::string(request.content_encoding) + '\n' +
         std::string(request.trace_id) + '\n' + std::string(request.body);
}

Conversation Talk(std::string_view bytes, std::size_t piece) {
  Conversation talk;
  ByteBudget budget(kBudget);
  {
    RequestReader reader(kLimits, budget);
    for (;;) {
      const State state = reader.Advance();
      REQUIRE(budget.used() <= kBudget);
      if (state == State::kRefused) {
        HttpResponse response{.status = reader.refusal().status,
                              .body = std::string(reader.refusal().text)};
        REQUIRE(response.status >= 400 && !reader.keep_alive());
        CheckAnswer(response, true, reader.is_head());
        talk.refused = true;
        break;
      }
      if (state == State::kComplete) {
        talk.requests.push_back(Answer(reader));
        if (!reader.keep_alive()) break;
        REQUIRE(reader.ExchangeBodyFor(1000));
        reader.NextRequest();
        continue;
      }
      if (state == State::kWantsContinue) continue;
      if (bytes.empty()) break;
      const auto room = reader.Prepare();
      REQUIRE(room.size() > 0);
      const std::string_view taken = bytes.substr(0, std::min(piece, room.size()));
      reader.Commit(boost::asio::buffer_copy(room, boost::asio::buffer(taken)));
      bytes.remove_prefix(taken.size());
    }
  }
  REQUIRE(budget.used() == 0);
  return talk;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input = tpu_admission::fuzz::Text(data, size);
  const std::size_t piece = 1 + tpu_admission::fuzz::TakeByte(input);
  // The end of a header, so that what is wrong with an unfinished one comes to light in both.
  const std::string bytes = std::string(input) + "\r\n\r\n";
  const Conversation whole = Talk(bytes, bytes.size() + 1);
  const Conversation pieces = Talk(bytes, piece);
  REQUIRE(whole.requests == pieces.requests);
  REQUIRE(whole.refused == pieces.refused || tpu_admission::fuzz::MayHaveQuotedExtension(bytes));
  return 0;
}
