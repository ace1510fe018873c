#include "audit/lists.h"

#include <gmock/gmock.h>

#include "unit/audit/fake_server.h"

namespace tpu_admission::audit::lists_test {
namespace {

using support::FakeServer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Collection kPods = {"/api/v1/pods", "v1", "Pod"};

std::vector<std::string> Names(FakeServer& server, Status* status = nullptr) {
  std::vector<std::string> names;
  const Status read = ForEachObject(server, kPods, "a/b=c", [&](std::string_view text) {
    const auto object = nlohmann::json::parse(text);
    EXPECT_EQ(object["kind"], "Pod");
    EXPECT_EQ(object["apiVersion"], "v1");
    names.push_back(object["metadata"]["name"]);
  });
  if (status != nullptr) *status = read;
  return names;
}

FakeServer WithPods(int count) {
  FakeServer server;
  for (int i = 0; i < count; ++i) {
    server.Put("/api/v1/pods", {{"metadata", {{"name", std::to_string(i)}}}});
  }
  return server;
}

TEST(ForEachObject, ReadsPageByPage) {
  FakeServer server = WithPods(1201);
  EXPECT_EQ(Names(server).size(), 1201U);
  EXPECT_THAT(server.reads(), ElementsAre("/api/v1/pods?limit=500&labelSelector=a%2Fb%3Dc",
                                          HasSubstr("&continue=500"), HasSubstr("&continue=1000")));
}

TEST(ForEachObject, AsksForLessWhereAPageIsTooLarge) {
  FakeServer server = WithPods(300);
  server.too_large = 130;
  EXPECT_EQ(Names(server).size(), 300U);
  EXPECT_THAT(server.reads(),
              ElementsAre(HasSubstr("limit=500"), HasSubstr("limit=250"), HasSubstr("limit=125"),
                          HasSubstr("limit=125&"), HasSubstr("limit=125&")));
}

TEST(ForEachObject, OfNothingIsNothing) {
  FakeServer server;
  EXPECT_TRUE(Names(server).empty());
}

// A server that says one thing.
class Answering final : public kube::Collections {
 public:
  explicit Answering(std::string body) : body_(std::move(body)) {}
  kube::Answer Read(const std::string&) override {
    kube::Answer answer;
    answer.outcome = kube::Outcome::kOk;
    answer.body = body_;
    return answer;
  }
  kube::Answer Apply(const std::string&, const std::string&) override { return {}; }
  kube::Answer Delete(const std::string&) override { return {}; }

 private:
  const std::string body_;
};

TEST(ForEachObject, TakesNothingElseForAList) {
  for (const char* body : {"", "{}", "[]", "null", "{\"items\": []", "<html>", "]]]]{}",
                           R"({"kind": "PodList", "items": [{"metadata": {}}], "metadata": 7})",
                           R"({"kind": "Status", "metadata": {}, "status": "Success"})",
                           R"({"kind": "Status", "metadata": {}, "items": []})",
                           R"({"kind": "PodList", "metadata": {}})",
                           R"({"kind": "PodList", "metadata": {}, "items": {}})",
                           R"({"kind": "PodList", "metadata": {}, "items": "none"})",
                           R"({"kind": "PodList", "metadata": {}, "items": [1]})",
                           R"({"metadata": {}, "items": [{}, null], "kind": "PodList"})",
                           R"({"kind": "PodList", "metadata": {}, "items": ["x", {}]})",
                           R"({"kind": "PodList", "metadata": {}, "items": [[]]})",
                           R"({"metadata": {}, "items": []})"}) {
    Answering server(body);
    EXPECT_FALSE(ForEachObject(server, kPods, "", [](std::string_view) {})) << body;
  }
  Answering server(R"({"kind": "PodList", "metadata": {}, "items": null})");
  int objects = 0;
  EXPECT_TRUE(ForEachObject(server, kPods, "", [&](std::string_view) { ++objects; }));
  EXPECT_EQ(objects, 0);
}

// A server that says "and there is more" for ever.
class Endless final : public kube::Collections {
 public:
  kube::Answer Read(const std::string&) override {
    ++reads;
    kube::Answer answer;
    answer.outcome = kube::Outcome::kOk;
    const std::string next = always_new ? std::to_string(reads) : "again";
    answer.body =
        R"({"kind": "PodList", "metadata": {"continue": ")" + next + R"("}, "items": []})";
    return answer;
  }
  kube::Answer Apply(const std::string&, const std::string&) override { return {}; }
  kube::Answer Delete(const std::string&) override { return {}; }
  int reads = 0;
  bool always_new = false;
};

TEST(ForEachObject, EndsWhereAListDoesNot) {
  Endless server;
  EXPECT_FALSE(ForEachObject(server, kPods, "", [](std::string_view) {}));
  EXPECT_EQ(server.reads, 2);
  server.always_new = true;
  server.reads = 0;
  EXPECT_FALSE(ForEachObject(server, kPods, "", [](std::string_view) {}));
  EXPECT_EQ(server.reads, 20'000);
}

TEST(Envelope, IsAListWithoutItsItems) {
  EXPECT_EQ(Envelope(R"({"kind":"PodList","metadata":{"continue":"x"},"items":[{"a":[1]},"]"]})"),
            R"({"kind":"PodList","metadata":{"continue":"x"},"items":[]})");
  EXPECT_EQ(Envelope(R"({"a":"[\"[","items":[{"b":"]"}],"c":"\\"})"),
            R"({"a":"[\"[","items":[],"c":"\\"})");
}

TEST(Discovery, FindsTheFirstVersionThatHasTheKind) {
  FakeServer server;
  server.Serve("v1", "pods");
  server.Serve("jobset.x-k8s.io/v1alpha2", "jobsets");
  server.Serve("jobset.x-k8s.io/v1beta9", "other");
  Discovery discovery(server);
  ASSERT_TRUE(discovery.Read());
  const auto pods = discovery.Find(*workload::FindKind("", "Pod"));
  EXPECT_EQ(pods.value().path, "/api/v1/pods");
  EXPECT_EQ(pods.value().api_version, "v1");
  EXPECT_EQ(discovery.Find(*workload::FindKind("jobset.x-k8s.io", "JobSet")).value().path,
            "/apis/jobset.x-k8s.io/v1alpha2/jobsets");
  EXPECT_EQ(discovery.Find(*workload::FindKind("batch", "Job")).value().path, "");
}

// "../../x" would be asked for as "/apis/batch/../../x".
TEST(Discovery, AsksForNoVersionOrGroupThatIsNoName) {
  FakeServer server;
  for (const char* version : {"batch/../../x", "batch/v1?x=", "batch/V1", "batch/v0"}) {
    server.Serve(version, "other");
  }
  server.Serve("../secrets/v1", "jobs");
  Discovery discovery(server);
  ASSERT_TRUE(discovery.Read());
  EXPECT_EQ(discovery.Find(*workload::FindKind("batch", "Job")).value().path, "");
  EXPECT_FALSE(discovery.Has("..", "secrets/v1", "jobs").value());
  EXPECT_FALSE(discovery.Has("batch", "../../x", "other").value());
  EXPECT_THAT(server.reads(), ElementsAre("/apis", "/apis/batch/v0"));
}

TEST(Discovery, TakesNothingElseForAnAnswer) {
  const std::string deep = "{\"groups\":" + std::string(1'000'000, '[');
  std::string wide = "{\"groups\":[";
  for (int i = 0; i < 300'000; ++i) wide += "1,";
  wide += "1]}";
  for (const std::string& body :
       {deep, wide, std::string("[]"), std::string("<html>"), std::string("{}"),
        std::string(R"({"kind": "Status", "metadata": {}, "status": "Success"})")}) {
    Answering server(body);
    const Status read = Discovery(server).Read();
    EXPECT_FALSE(read) << body.substr(0, 20);
    EXPECT_THAT(read.error().message, HasSubstr("GET /apis: "));
  }
}

}  // namespace
}  // namespace tpu_admission::audit::lists_test
