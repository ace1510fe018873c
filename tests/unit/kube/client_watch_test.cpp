// Lists and watches: what is asked for, how events come out of a stream, and how it ends.
#include <future>
#include <thread>

#include "unit/kube/client_fixture.h"

namespace tpu_admission::kube::client_watch_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using support::HttpOk;
using support::HttpStatus;
using support::ScriptedRequest;
using support::ScriptedServer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const ListQuery kNodes{.collection = "/api/v1/nodes", .label_selector = "tpu"};
const WatchQuery kChanges{
    .collection = "/api/v1/nodes", .label_selector = "tpu", .resource_version = "7"};

std::string Chunk(const std::string& text) {
  char size[16];
  std::snprintf(size, sizeof size, "%zx\r\n", text.size());
  return size + text + "\r\n";
}

// An answer whose chunks are these; it is whole only with an empty one at the end.
std::string Chunked(const std::vector<std::string>& chunks) {
  std::string answer =
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string& chunk : chunks) answer += Chunk(chunk);
  return answer;
}

class WatchTest : public ClientFixture {
 protected:
  Answer Watch(Client& client, const WatchQuery& query = kChanges) {
    return client.Watch(query, [&](std::string_view event) {
      events_.emplace_back(event);
      return events_.size() < most_;
    });
  }

  std::vector<std::string> events_;
  std::size_t most_ = 1000;
};

TEST_F(WatchTest, ListsAskForMetadataOnly) {
  ScriptedServer server(pair_, [](const ScriptedRequest&) { return HttpOk(R"({"items": []})"); });
  const Answer answer = ClientOf(Options(server.url()))->List(kNodes);
  EXPECT_EQ(answer.body, R"({"items": []})");
  const ScriptedRequest request = server.requests().at(0);
  EXPECT_TRUE(request.head.starts_with("GET /api/v1/nodes?labelSelector=tpu&limit=500 HTTP/1.1"));
  EXPECT_TRUE(
      request.Has("Accept: application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"))
      << request.head;
}

TEST_F(WatchTest, EventsComeOutWhereverTheStreamIsCut) {
  ScriptedServer server(pair_, [](const ScriptedRequest&) {
    return Chunked({"{\"a\":", "1}\n{\"b\":2}\n{\"c\"", ":3}", "\n\n", "{\"half\":", ""});
  });
  const Answer answer = Watch(*ClientOf(Options(server.url())));
  EXPECT_TRUE(answer.ok()) << answer.error;
  EXPECT_THAT(events_, ElementsAre("{\"a\":1}", "{\"b\":2}", "{\"c\":3}"));
  const ScriptedRequest request = server.requests().at(0);
  EXPECT_TRUE(request.head.starts_with("GET /api/v1/nodes?labelSelector=tpu&watch=true"));
  EXPECT_TRUE(request.Has("Authorization: Bearer secret-token"));
}

TEST_F(WatchTest, AnEventIsHandedOverBeforeTheStreamEnds) {
  ScriptedServer server(pair_, [](const ScriptedRequest&) { return Chunked({"{\"a\":1}\n"}); });
  const auto client = ClientOf(Options(server.url()));
  std::promise<void> came;
  auto watch = std::async(std::launch::async, [&] {
    return client->Watch(kChanges, [&](std::string_view) {
      came.set_value();
      return true;
    });
  });
  EXPECT_EQ(came.get_future().wait_for(seconds(5)), std::future_status::ready);
  EXPECT_EQ(watch.wait_for(milliseconds(50)), std::future_status::timeout) << "it goes on";
  server.CloseConnections();
  const Answer answer = watch.get();
  EXPECT_EQ(answer.outcome, Outcome::kUnreachable);
  EXPECT_THAT(answer.error, HasSubstr("the stream broke off"));
}

TEST_F(WatchTest, ReadsOnBehindInterimAnswers) {
  std::string before = "HTTP/1.1 100 Continue\r\n\r\n";
  ScriptedServer server(pair_, [&](const ScriptedRequest&) {
    return before + Chunked({"{\"a\":1}\n", ""});
  });
  EXPECT_TRUE(Watch(*ClientOf(Options(server.url()))).ok());
  EXPECT_THAT(events_, ElementsAre("{\"a\":1}"));
  for (int i = 0; i < 100; ++i) before += "HTTP/1.1 103 Early Hints\r\n\r\n";
  const Answer answer = Watch(*ClientOf(Options(server.url())));
  EXPECT_EQ(answer.status, 103U);
  EXPECT_EQ(events_.size(), 1U);
}

TEST_F(WatchTest, TheOneWhoTakesMayEndIt) {
  ScriptedServer server(pair_, [](const ScriptedRequest& request) {
    if (request.head.find("watch=true") == std::string::npos) return HttpOk("{}");
    return Chunked({"{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n"});
  });
  most_ = 2;
  const auto client = ClientOf(Options(server.url()));
  EXPECT_TRUE(Watch(*client).ok());
  EXPECT_EQ(events_.size(), 2U);
  EXPECT_EQ(client->Get(secret_).status, 200U) << "and the client is good for another call";
}

TEST_F(WatchTest, ARefusalIsAnAnswer) {
  for (const int status : {403, 410, 429, 503}) {
    ScriptedServer server(pair_, [&](const ScriptedRequest&) {
      return HttpStatus(status, R"({"message": "too old"})");
    });
    const Answer answer = Watch(*ClientOf(Options(server.url())));
    EXPECT_EQ(answer.status, unsigned(status));
    EXPECT_THAT(answer.error, HasSubstr("too old"));
    EXPECT_EQ(server.requests().size(), 1U) << "there is one attempt";
  }
}

TEST_F(WatchTest, EndsWhenNobodyEndsIt) {
  ScriptedServer server(pair_, [](const ScriptedRequest&) { return Chunked({"{\"a\":1}\n"}); });
  ClientOptions options = Options(server.url());
  options.attempt_deadline = milliseconds(300);
  WatchQuery query = kChanges;
  query.length = seconds(1);
  const auto start = steady_clock::now();
  const Answer answer = Watch(*ClientOf(options), query);
  EXPECT_FALSE(answer.ok());
  EXPECT_THAT(answer.error, HasSubstr("no answer within the deadline"));
  EXPECT_GE(steady_clock::now() - start, milliseconds(1'200));
  EXPECT_LT(steady_clock::now() - start, milliseconds(4'000));
}

TEST_F(WatchTest, IsInterruptedAtOnce) {
  ScriptedServer server(pair_, [](const ScriptedRequest&) { return Chunked({"{\"a\":1}\n"}); });
  const auto client = ClientOf(Options(server.url()));
  const auto start = steady_clock::now();
  const Answer answer = client->Watch(kChanges, [&](std::string_view) {
    std::thread([&] { client->Interrupt(); }).join();
    return true;
  });
  EXPECT_EQ(answer.outcome, Outcome::kUnreachable);
  EXPECT_LT(steady_clock::now() - start, seconds(2));
  EXPECT_FALSE(Watch(*client).ok());
}

TEST_F(WatchTest, AnEndlessEventIsRefused) {
  ScriptedServer server(pair_, [](const ScriptedRequest&) {
    return Chunked({std::string(3'000, 'x'), std::string(3'000, 'x'), ""});
  });
  ClientOptions options = Options(server.url());
  options.body_bytes = 4'000;
  const Answer answer = Watch(*ClientOf(options));
  EXPECT_FALSE(answer.ok());
  EXPECT_THAT(answer.error, HasSubstr("an event is too large"));
  EXPECT_TRUE(events_.empty());
}

}  // namespace
}  // namespace tpu_admission::kube::client_watch_test
