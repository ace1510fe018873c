// `tpu-admission serve` as its own process: ready, answers, counts, reloads, stops.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "integration/app/program.h"
#include "support/certificate.h"
#include "support/http_client.h"
#include "tpu_admission/tpu/seen_shapes.h"

namespace tpu_admission::support::serve_test {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

class Serve : public ::testing::Test {
 protected:
  std::vector<std::string> Flags(std::vector<std::string> more = {}) const {
    std::vector<std::string> flags = {"--tls-cert-file",        secret_.files().certificate,
                                      "--tls-private-key-file", secret_.files().private_key,
                                      "--shutdown-delay",       "0s"};
    flags.insert(flags.end(), more.begin(), more.end());
    return flags;
  }

  static std::string Get(const Serving& serving, const std::string& path, unsigned status = 200) {
    HttpClient client(serving.metrics_port(), HttpClient::Transport::kPlain);
    const auto answer = client.Exchange("GET " + path + " HTTP/1.1\r\nHost: test\r\n\r\n");
    EXPECT_TRUE(answer && answer->status == status) << path << (answer ? answer->body : "");
    return answer ? answer->body : "";
  }

  static HttpAnswer Ask(const Serving& serving, const std::string& path, const std::string& body,
                        const std::string& more_fields = "") {
    HttpClient client(serving.secure_port());
    return client.Exchange(Post(path, body, more_fields)).value_or(HttpAnswer{});
  }

  // A review of a Pod that asks for `chips` of a v6e 2x2.
  static std::string Review(int chips, const std::string& ignore = "") {
    return R"({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "u-1", "operation": "CREATE", "namespace": "research", "name": "p",
        "kind": {"group": "", "version": "v1", "kind": "Pod"},
        "object": {"metadata": {"name": "p", "annotations": {"tpu-admission.io/ignore": ")" +
           ignore + R"("}}, "spec": {
          "nodeSelector": {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
                           "cloud.google.com/gke-tpu-topology": "2x2"},
          "containers": [{"name": "jax", "resources": {"limits": {"google.com/tpu": )" +
           std::to_string(chips) + "}}}]}}}}";
  }

  MountedSecret secret_{MakeCertificate()};
};

TEST_F(Serve, IsReadyAndAnswersAndCounts) {
  const Serving serving(Flags());
  ASSERT_TRUE(serving.started()) << serving.Log();
  EXPECT_EQ(Get(serving, "/livez"), "ok\n");
  EXPECT_EQ(Get(serving, "/readyz"), "ok\n");

  const auto denied = nlohmann::json::parse(Ask(serving, "/validate", Review(3)).body)["response"];
  EXPECT_EQ(denied["uid"], "u-1");
  EXPECT_EQ(denied["allowed"], false);
  EXPECT_EQ(denied["status"]["code"], 403);
  EXPECT_THAT(denied["status"]["message"].get<std::string>(), HasSubstr("TPU301"));
  const auto patched = nlohmann::json::parse(Ask(serving, "/mutate", Review(4)).body)["response"];
  EXPECT_EQ(patched["patchType"], "JSONPatch");

  const std::string metrics = Get(serving, "/metrics");
  for (
      const char* line :
      {R"(tpu_admission_requests_total{endpoint="validate",kind="Pod",operation="CREATE",outcome="denied"} 1)",
       R"(tpu_admission_requests_total{endpoint="mutate",kind="Pod",operation="CREATE",outcome="patched"} 1)",
       R"(tpu_admission_findings_total{mode="deny",rule="TPU301",would_be="deny"} 1)",
       R"(tpu_admission_request_duration_seconds_count{endpoint="validate"} 1)",
       R"(tpu_admission_tls_handshakes_total{result="ok"} 2)", "tpu_admission_build_info{",
       "tpu_admission_catalog_info{", "tpu_admission_certificate_expiry_timestamp_seconds"}) {
    EXPECT_THAT(metrics, HasSubstr(line));
  }
  ASSERT_TRUE(serving.WaitForLog("\"decision\":\"denied\""));
  for (const char* part :
       {R"("uid":"u-1")", R"("namespace":"research")", R"("rules":["TPU301=deny")"}) {
    EXPECT_THAT(serving.Log(), HasSubstr(part));
  }
}

TEST_F(Serve, LinksToPagesOfRulesWithOneSlash) {
  for (const char* url : {"https://docs.example/x", "https://docs.example/x/"}) {
    Serving serving(Flags({"--docs-url", url}));
    ASSERT_TRUE(serving.started());
    EXPECT_THAT(Ask(serving, "/validate", Review(8)).body,
                HasSubstr("https://docs.example/x/TPU301_"));
  }
}

TEST_F(Serve, LogsTheTraceOfARequestAndNothingThatOnlyLooksLikeOne) {
  const Serving serving(Flags());
  ASSERT_TRUE(serving.started()) << serving.Log();
  const std::string id(32, 'e'), rest = "-00f067aa0ba902b7-01\r\n";
  EXPECT_EQ(Ask(serving, "/mutate", Review(4), "Traceparent: 00-" + id + rest).status, 200u);
  EXPECT_EQ(Ask(serving, "/validate", Review(4), "Traceparent: 00-" + id + "f" + rest).status,
            200u);
  ASSERT_TRUE(serving.WaitForLog(R"("endpoint":"/mutate","uid":"u-1","trace_id":")" + id + '"'));
  ASSERT_TRUE(serving.WaitForLog(R"("endpoint":"/validate","uid":"u-1","kind":"Pod")"));
}

struct WrongRequest {
  std::string bytes;
  unsigned status;
};

class WrongRequests : public Serve, public ::testing::WithParamInterface<WrongRequest> {};

TEST_P(WrongRequests, GetTheirStatus) {
  const Serving serving(Flags());
  HttpClient client(serving.secure_port());
  const auto answer = client.Exchange(GetParam().bytes);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, GetParam().status) << answer->body;
  EXPECT_FALSE(answer->body.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Cases, WrongRequests,
    ::testing::Values(
        WrongRequest{Post("/mutate/..%2f", "{}"), 404}, WrongRequest{Post("//mutate", "{}"), 404},
        WrongRequest{"GET /validate HTTP/1.1\r\nHost: h\r\n\r\n", 405},
        WrongRequest{"POST /validate HTTP/1.1\r\nHost: h\r\nContent-Type: text/plain\r\n"
                     "Content-Length: 2\r\n\r\n{}",
                     415},
        WrongRequest{Post("/validate", "{}", "Content-Encoding: gzip\r\n"), 415},
        WrongRequest{Post("/validate", "not json"), 400}, WrongRequest{Post("/mutate", "{}"), 400},
        WrongRequest{Post("/mutate", ""), 400}));

TEST_F(Serve, StopsGracefullyOnSigterm) {
  Serving serving(Flags({"--shutdown-delay", "700ms"}));
  ASSERT_TRUE(serving.started());
  serving.Signal(SIGTERM);
  ASSERT_TRUE(serving.WaitForLog("shutting down"));
  EXPECT_THAT(Get(serving, "/readyz", 503), HasSubstr("shutting down"));
  EXPECT_EQ(Ask(serving, "/validate", Review(4)).status, 200u) << "it still answers";
  EXPECT_EQ(serving.WaitForEnd(milliseconds(20'000)), 0);
}

TEST_F(Serve, ASecondSigtermEndsTheDelay) {
  Serving serving(Flags({"--shutdown-delay", "10m"}));
  ASSERT_TRUE(serving.started());
  serving.Signal(SIGTERM);
  ASSERT_TRUE(serving.WaitForLog("shutting down"));
  serving.Signal(SIGTERM);
  EXPECT_EQ(serving.WaitForEnd(milliseconds(20'000)), 0);
}

TEST_F(Serve, SighupEndsNothing) {
  Serving serving(Flags());
  ASSERT_TRUE(serving.started());
  serving.Signal(SIGHUP);
  EXPECT_EQ(serving.WaitForEnd(milliseconds(300)), std::nullopt);
  EXPECT_EQ(Ask(serving, "/validate", Review(4)).status, 200u);
}

TEST_F(Serve, IsAliveButNotReadyWithoutACertificate) {
  const Serving serving(
      {"--tls-cert-file", "/no/tls.crt", "--tls-private-key-file", "/no/tls.key"});
  ASSERT_TRUE(serving.started());
  EXPECT_EQ(Get(serving, "/livez"), "ok\n");
  EXPECT_THAT(Get(serving, "/readyz", 503), HasSubstr("/no/tls.crt"));
}

TEST_F(Serve, RefusesToStartWithABrokenCertificate) {
  TempDir directory;
  WriteText(directory / "tls.crt", "no certificate");
  WriteText(directory / "tls.key", "no key");
  const Ended ended =
      RunToEnd({"serve", "--secure-port", "0", "--metrics-port", "0", "--tls-cert-file",
                directory / "tls.crt", "--tls-private-key-file", directory / "tls.key"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.err, HasSubstr("tls.crt"));
}

TEST_F(Serve, ReloadsThePolicyAndKeepsTheLastGoodOne) {
  TempDir directory;
  const std::string policy = directory / "policy.yaml";
  WriteText(policy, "rules: {TPU301: warn}\n");
  const Serving serving(Flags({"--policy", policy}));
  ASSERT_TRUE(serving.started());
  EXPECT_THAT(Ask(serving, "/validate", Review(3)).body, HasSubstr(R"("allowed":true)"));
  WriteText(policy, "rules: {TPU301: perhaps}\n");
  ASSERT_TRUE(serving.WaitForLog("policy.yaml:1:"));
  EXPECT_THAT(Ask(serving, "/validate", Review(3)).body, HasSubstr(R"("allowed":true)"));
  EXPECT_THAT(Get(serving, "/metrics"), HasSubstr("tpu_admission_config_last_reload_successful 0"));
  EXPECT_EQ(Get(serving, "/readyz"), "ok\n");
}

// Asks until the answer has `text`: files are looked at every 10 s.
bool AnswersSoon(const Serving& serving, const std::string& body, const std::string& text) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < end) {
    HttpClient client(serving.secure_port());
    const auto answer = client.Exchange(Post("/validate", body));
    if (answer && answer->body.find(text) != std::string::npos) return true;
    std::this_thread::sleep_for(milliseconds(200));
  }
  return false;
}

// A file that loses its text must not turn all defaults on.
TEST_F(Serve, APolicyThatBecomesEmptyIsRefused) {
  TempDir directory;
  const std::string policy = directory / "policy.yaml";
  WriteText(policy, "default: audit\n");
  const Serving serving(Flags({"--policy", policy}));
  ASSERT_TRUE(serving.started());
  WriteText(policy, "# default: audit\n");
  ASSERT_TRUE(serving.WaitForLog("policy.yaml: says nothing; write {} if"));
  EXPECT_THAT(Ask(serving, "/validate", Review(3)).body, HasSubstr(R"("allowed":true)"));
  WriteText(policy, "{}\n");
  EXPECT_TRUE(AnswersSoon(serving, Review(3), R"("allowed":false)"));
}

// The record of nodes is read as the policy is, and what is wrong with it ends nothing.
TEST_F(Serve, ReadsTheRecordOfNodes) {
  TempDir directory;
  const std::string file = directory / "nodes.yaml";
  const Serving none(Flags({"--node-record", file}));
  ASSERT_TRUE(none.started()) << "it need not be there";
  EXPECT_THAT(Ask(none, "/validate", Review(4)).body, Not(HasSubstr("node pool")));
  WriteText(file, "nonsense");
  const Serving faulty(Flags({"--node-record", file}));
  ASSERT_TRUE(faulty.started());
  EXPECT_TRUE(faulty.WaitForLog("the TPU nodes of the cluster are not known"));

  const std::int64_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  tpu::SeenShapes seen{.since = now - 3600, .current = now, .autoscaler = false};
  seen.Count("tpu-v5p-slice", "2x2x1", 4, "a");
  WriteText(file, seen.Text());
  const Serving serving(Flags({"--node-record", file}));
  ASSERT_TRUE(serving.started());
  const std::string answer = Ask(serving, "/validate", Review(4)).body;
  EXPECT_THAT(answer, HasSubstr(R"("allowed":true)"));
  EXPECT_THAT(answer, HasSubstr("no node pool of this cluster has"));
}

TEST_F(Serve, APolicyThatTurnsIntoAFolderEndsNothing) {
  TempDir directory;
  const std::string policy = directory / "policy.yaml";
  WriteText(policy, "rules: {TPU301: warn}\n");
  const Serving serving(Flags({"--policy", policy, "--cluster-location", "us-central9"}));
  ASSERT_TRUE(serving.started());
  EXPECT_TRUE(serving.WaitForLog(R"(the catalog knows no TPUs in the region \"us-central9\")"));
  std::filesystem::remove(policy);
  std::filesystem::create_directory(policy);
  ASSERT_TRUE(serving.WaitForLog("policy.yaml: is a folder, wanted a file"));
  EXPECT_THAT(Ask(serving, "/validate", Review(3)).body, HasSubstr(R"("allowed":true)"));
  EXPECT_THAT(Get(serving, "/metrics"), HasSubstr("tpu_admission_config_last_reload_successful 0"));
}

TEST_F(Serve, ReloadsProfileAndExemptions) {
  TempDir directory;
  const std::string policy = directory / "policy.yaml";
  const std::string review = Review(3, "TPU301@2999-12-31=odd pool \\u0007 of ours");
  WriteText(policy, "default: deny\n");
  const Serving serving(Flags({"--policy", policy}));
  ASSERT_TRUE(serving.started());
  const std::string refused = Ask(serving, "/validate", review).body;
  EXPECT_THAT(refused, HasSubstr(R"("allowed":false)"));
  EXPECT_THAT(refused, HasSubstr(R"(does not let namespace \"research\" ignore TPU301)"));

  WriteText(policy, "profile: strict\nnamespaces: [{match: res*, ignore: [TPU301]}]\n");
  ASSERT_TRUE(AnswersSoon(serving, review, R"("allowed":true)"));
  ASSERT_TRUE(serving.WaitForLog(R"("ignored":["TPU301=odd pool \u0007 of ours"])"));
  EXPECT_THAT(Get(serving, "/metrics"),
              HasSubstr(R"(tpu_admission_findings_ignored_total{rule="TPU301"} 1)"));
  EXPECT_THAT(Ask(serving, "/validate", review).body, HasSubstr("TPU301 "));

  WriteText(policy, "profile: lenient\nignore: false\n");
  ASSERT_TRUE(serving.WaitForLog("policy.yaml:1:10: profile: found"));
  EXPECT_THAT(Ask(serving, "/validate", review).body, HasSubstr(R"("allowed":true)"))
      << "the last good one stays";
}

// Containers often inherit a soft limit of 1024 file descriptors.
TEST_F(Serve, RaisesTheSoftLimitOnFileDescriptors) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit low{.rlim_cur = 256, .rlim_max = before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &low);
  const Serving serving(Flags());
  setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_TRUE(serving.started());
  rlimit raised{};
  ASSERT_EQ(prlimit(serving.pid(), RLIMIT_NOFILE, nullptr, &raised), 0);
  EXPECT_EQ(raised.rlim_cur, before.rlim_max);
}

// A pipe that nobody writes to must keep no thread.
#if !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)  // which have heaps of their own
// What the server itself has written, in KiB.
int AnonymousMemory(pid_t server) {
  std::ifstream status("/proc/" + std::to_string(server) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:")) return std::stoi(line.substr(8));
  }
  return 0;
}

TEST_F(Serve, GivesBackTheMemoryOfACrowd) {
  const Serving serving(Flags());
  ASSERT_TRUE(serving.started()) << serving.Log();
  Ask(serving, "/validate", Review(4));
  const int before = AnonymousMemory(serving.pid());
  std::vector<std::unique_ptr<HttpClient>> crowd;
  for (int i = 0; i < 300; ++i) {
    crowd.push_back(std::make_unique<HttpClient>(serving.secure_port()));
  }
  const int crowded = AnonymousMemory(serving.pid());
  ASSERT_GT(crowded, before + 4 * 1024);
  crowd.clear();
  int after = crowded;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (after > before + (crowded - before) / 4 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(milliseconds(100));
    after = AnonymousMemory(serving.pid());
  }
  EXPECT_LE(after, before + (crowded - before) / 4) << before << " " << crowded;
}
#endif

TEST_F(Serve, APipeAsKeyIsAnErrorAndHangsNothing) {
  TempDir directory;
  const std::string key = directory / "tls.key";
  ASSERT_EQ(mkfifo(key.c_str(), 0600), 0);
  const Ended ended =
      RunToEnd({"serve", "--bind-address", "127.0.0.1", "--secure-port", "0", "--metrics-port", "0",
                "--tls-cert-file", secret_.files().certificate, "--tls-private-key-file", key});
  EXPECT_EQ(ended.exit_code, 2) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("cannot read TLS private key " + key));
}

}  // namespace
}  // namespace tpu_admission::support::serve_test
