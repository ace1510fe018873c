// Cases 16, 54 and 68: what the real process keeps of what is sent to it, and that it keeps nothing
// between one review and the next.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "integration/app/program.h"
#include "support/certificate.h"
#include "support/http_client.h"
#include "support/review.h"

namespace tpu_admission::support::strangers_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Strangers : public ::testing::Test {
 protected:
  Strangers()
      : serving_({"--tls-cert-file", secret_.files().certificate, "--tls-private-key-file",
                  secret_.files().private_key, "--shutdown-delay", "0s", "--log-level", "debug"}) {}

  HttpAnswer Ask(const std::string& path, const std::string& body, const std::string& fields = "") {
    return HttpClient(serving_.secure_port())
        .Exchange(Post(path, body, fields))
        .value_or(HttpAnswer{});
  }

  std::string Metrics() {
    HttpClient client(serving_.metrics_port(), HttpClient::Transport::kPlain);
    return client.Exchange("GET /metrics HTTP/1.1\r\nHost: h\r\n\r\n").value_or(HttpAnswer{}).body;
  }

  MountedSecret secret_{MakeCertificate()};
  Serving serving_;
};

// Nothing depends on what anybody may write into a header, and it stands nowhere.
TEST_F(Strangers, Case16SpoofedHeadersAreNeitherTrustedNorLogged) {
  ASSERT_TRUE(serving_.started()) << serving_.Log();
  const std::string wrong = Review(With(TpuPod(), "/spec/nodeSelector/spoofed", "x")).Text();
  const std::string fields =
      "User-Agent: kube-apiserver-admission SPOOFED\r\nX-Forwarded-For: 10.0.0.1 SPOOFED\r\n"
      "Forwarded: for=SPOOFED\r\nX-Remote-User: SPOOFED\r\nX-Remote-Group: system:masters\r\n"
      "Authorization: Bearer SPOOFED\r\nX-Original-Url: /mutate-SPOOFED\r\n"
      "X-Http-Method-Override: DELETE\r\n";
  for (const char* const path : {"/validate", "/mutate", "/SPOOFED"}) {
    const HttpAnswer plain = Ask(path, wrong);
    const HttpAnswer spoofed = Ask(path, wrong, fields);
    EXPECT_EQ(spoofed.status, plain.status) << path;
    EXPECT_EQ(spoofed.body, plain.body) << path;
  }
  ASSERT_TRUE(serving_.WaitForLog(R"("endpoint":"/mutate")"));
  EXPECT_THAT(serving_.Log(), Not(HasSubstr("SPOOFED")));
  EXPECT_THAT(Metrics(), Not(HasSubstr("SPOOFED")));
}

// T18: what may be confidential in an object is in no line of the log and in no metric, be it
// denied, patched, broken or too large, at the most talkative level.
TEST_F(Strangers, Case54NoPartOfABodyThatMayBeConfidentialIsLogged) {
  ASSERT_TRUE(serving_.started()) << serving_.Log();
  nlohmann::json pod = TpuPod();
  pod["metadata"]["annotations"] = {{"example.com/note", "SECRET"}};
  pod["metadata"]["labels"] = {{"owner", "SECRET"}};
  pod["spec"]["containers"][0]["env"] = {{{"name", "TOKEN"}, {"value", "SECRET"}}};
  pod["spec"]["containers"][0]["args"] = {"--password=SECRET"};
  pod["spec"]["containers"][0]["image"] = "example.com/SECRET";
  pod["spec"]["imagePullSecrets"] = {{{"name", "SECRET"}}};
  nlohmann::json denied = pod;
  denied["spec"]["containers"][0]["resources"]["limits"]["google.com/tpu"] = 3;
  nlohmann::json large = pod;
  large["spec"]["tolerations"] = nlohmann::json::array();
  for (int i = 0; i < 1000; ++i) large["spec"]["tolerations"].push_back({{"key", "SECRET"}});
  for (const char* const path : {"/validate", "/mutate"}) {
    for (const nlohmann::json& object : {pod, denied, large}) {
      EXPECT_EQ(Ask(path, Review(object).Text()).status, 200U);
      EXPECT_EQ(Ask(path, Review(object).Update(pod).Text()).status, 200U);
    }
    EXPECT_EQ(Ask(path, "{\"SECRET\": ").status, 400U);
  }
  EXPECT_EQ(Ask("/validate", Review(TpuPod()).Uid("the-last").Text()).status, 200U);
  ASSERT_TRUE(serving_.WaitForLog("the-last"));
  EXPECT_THAT(serving_.Log(), HasSubstr(R"("decision":"denied")"));
  EXPECT_THAT(serving_.Log(), Not(HasSubstr("SECRET")));
  EXPECT_THAT(Metrics(), Not(HasSubstr("SECRET")));
}

// A tunnel that breaks in the middle of a request costs that request alone: the API server asks
// again over another one, and gets the answer that it would have got.
TEST_F(Strangers, Case68ABrokenTunnelCostsOnlyItsOwnRequest) {
  ASSERT_TRUE(serving_.started()) << serving_.Log();
  nlohmann::json pod = TpuPod();
  pod["spec"].erase("tolerations");
  const std::string review = Review(pod).Text();
  const std::string request = Post("/mutate", review);
  const HttpAnswer expected = Ask("/mutate", review);
  ASSERT_EQ(expected.status, 200U);
  EXPECT_THAT(expected.body, HasSubstr("\"patch\""));
  for (const std::size_t sent :
       {std::size_t{1}, std::size_t{100}, request.size() / 2, request.size() - 1, request.size()}) {
    HttpClient broken(serving_.secure_port());
    ASSERT_TRUE(broken.Send(request.substr(0, sent)));
    HttpClient other(serving_.secure_port());  // of another request, through the same tunnel
    ASSERT_TRUE(other.Send(request.substr(0, request.size() - sent / 2)));
    broken.Reset();
    other.Reset();
    const HttpAnswer again = Ask("/mutate", review);
    EXPECT_EQ(again.status, 200U) << "cut after " << sent;
    EXPECT_EQ(again.body, expected.body) << "cut after " << sent;
  }
}

}  // namespace
}  // namespace tpu_admission::support::strangers_test
