// `tpu-admission controller` as its own process, in front of an API server in memory.
#include <gmock/gmock.h>
#include <signal.h>

#include <mutex>

#include "integration/app/program.h"
#include "support/certificate.h"
#include "support/http_client.h"
#include "support/memory_api.h"
#include "support/scripted_server.h"
#include "tpu_admission/base/base64.h"
#include "tpu_admission/pki/certificate.h"

namespace tpu_admission::support::controller_test {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

const kube::ObjectPath kSecret = kube::SecretPath("tpu", "certificates");
const kube::ObjectPath kLease = kube::LeasePath("tpu", "lease");
const kube::ObjectPath kRecord = kube::ConfigMapPath("tpu", "record");
const kube::ObjectPath kConfiguration = kube::ValidatingConfigurationPath("webhooks");

// MemoryApi behind HTTP; thread safe.
class ApiServer {
 public:
  ApiServer() : server_(pair_, [this](const ScriptedRequest& request) { return Answer(request); }) {
    const std::lock_guard lock(mutex_);
    api_.Put(kSecret, MemoryApi::Json::object());
    api_.Put(kLease, MemoryApi::Json::object());
    api_.Put(kRecord, MemoryApi::Json::object());
    api_.Put(kConfiguration,
             {{"webhooks",
               {{{"name", "validate.example.com"},
                 {"clientConfig", {{"service", {{"name", "webhook"}, {"namespace", "tpu"}}}}}}}}});
    WriteText(files_ / "token", "a-token");
    WriteText(files_ / "ca.crt", pair_.certificate);
    WriteText(files_ / "namespace", "tpu\n");
  }

  std::vector<std::string> Flags() const {
    return {"--api-server",
            server_.url(),
            "--service-account-dir",
            files_.path(),
            "--service-name",
            "webhook",
            "--secret-name",
            "certificates",
            "--lease-name",
            "lease",
            "--validating-webhook-configuration",
            "webhooks",
            "--poll-interval",
            "100ms",
            "--leader-elect-retry-period",
            "100ms"};
  }
  MemoryApi::Json Get(const kube::ObjectPath& path) {
    const std::lock_guard lock(mutex_);
    return api_.object(path);
  }
  void Change(const kube::ObjectPath& path, const std::function<void(MemoryApi::Json&)>& change) {
    const std::lock_guard lock(mutex_);
    api_.Change(path, change);
  }
  std::string Bundle() {
    const auto webhook = Get(kConfiguration)["webhooks"][0]["clientConfig"];
    return DecodeBase64(webhook.value("caBundle", "")).value_or("");
  }

 private:
  // None, and then one: the watch that tells of it goes on.
  static std::string Nodes(const std::string& head) {
    if (head.find("watch=true") == std::string::npos) {
      return HttpOk(R"({"metadata": {"resourceVersion": "7"}, "items": null})");
    }
    const std::string event =
        R"({"type":"ADDED","object":{"metadata":{"name":"n","resourceVersion":"8","labels":)"
        R"({"cloud.google.com/gke-tpu-accelerator":"tpu-v6e-slice",)"
        R"("cloud.google.com/gke-tpu-topology":"4x4"}}}})"
        "\n";
    char size[16];
    std::snprintf(size, sizeof size, "%zx\r\n", event.size());
    return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + (size + event) + "\r\n";
  }

  std::string Answer(const ScriptedRequest& request) {
    const std::lock_guard lock(mutex_);
    if (!request.Has("Authorization: Bearer a-token")) return HttpStatus(401, "{}");
    const std::size_t from = request.head.find(' ') + 1;
    const kube::ObjectPath path{
        request.head.substr(from, request.head.find_first_of(" ?", from) - from)};
    if (path.text == "/api/v1/nodes") return Nodes(request.head);
    const bool merge = request.Has("Content-Type: application/merge-patch+json");
    const kube::Answer answer =
        request.head.starts_with("GET ")
            ? api_.Get(path)
            : api_.Patch(path, merge ? kube::PatchKind::kMerge : kube::PatchKind::kJson,
                         request.body);
    return HttpStatus(static_cast<int>(answer.status), answer.body);
  }

  const pki::KeyPair pair_ = MakeCertificate();
  TempDir files_;
  std::mutex mutex_;
  MemoryApi api_;
  ScriptedServer server_;
};

bool Eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 1500; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return false;
}

HttpAnswer Page(const Serving& controller, const std::string& path) {
  HttpClient client(controller.metrics_port(), HttpClient::Transport::kPlain);
  return client.Exchange("GET " + path + " HTTP/1.1\r\nHost: test\r\n\r\n").value_or(HttpAnswer{});
}

TEST(Controller, KeepsTheRecordOfNodesAndEndsInTheMiddleOfAWatch) {
  ApiServer api;
  std::vector<std::string> flags = api.Flags();
  flags.insert(flags.end(), {"--node-record", "record"});
  Serving controller(flags, "controller");
  ASSERT_TRUE(controller.started()) << controller.Log();
  const auto record = [&] {
    return api.Get(kRecord).value(MemoryApi::Json::json_pointer("/data/nodes.yaml"), "");
  };
  EXPECT_TRUE(Eventually([&] { return record().find("topology: \"4x4\"") != std::string::npos; }))
      << record() << controller.Log();
  EXPECT_THAT(record(), HasSubstr("autoscaler: false"));
  const auto start = std::chrono::steady_clock::now();
  controller.Signal(SIGHUP);  // ends nothing
  controller.Signal(SIGTERM);
  EXPECT_EQ(controller.WaitForEnd(milliseconds(15'000)), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  EXPECT_THAT(controller.Log(), Not(HasSubstr("watching the nodes"))) << "no error was met";
}

TEST(Controller, FillsRepairsCountsAndGivesTheLeadUp) {
  ApiServer api;
  Serving controller(api.Flags(), "controller");
  ASSERT_TRUE(controller.started()) << controller.Log();
  ASSERT_TRUE(Eventually([&] { return !api.Bundle().empty(); })) << controller.Log();
  const auto served = DecodeBase64(api.Get(kSecret)["data"]["tls.crt"].get<std::string>());
  const Status verified =
      pki::Verify(*served, api.Bundle(), "webhook.tpu.svc", std::chrono::system_clock::now());
  EXPECT_TRUE(verified) << verified.error().message;

  api.Change(kConfiguration,
             [](auto& each) { each["webhooks"][0]["clientConfig"]["caBundle"] = ""; });
  EXPECT_TRUE(Eventually([&] { return !api.Bundle().empty(); }));
  EXPECT_TRUE(Eventually([&] { return Page(controller, "/readyz").status == 200; }));
  // A write is counted after the API server has it.
  const char* const writes =
      R"(tpu_admission_controller_ca_bundle_writes_total{configuration="validating"} 2)";
  EXPECT_TRUE(Eventually(
      [&] { return Page(controller, "/metrics").body.find(writes) != std::string::npos; }));
  const std::string metrics = Page(controller, "/metrics").body;
  for (const char* line :
       {"tpu_admission_controller_leader 1",
        R"(tpu_admission_controller_rotations_total{certificate="serving"} 1)",
        R"(tpu_admission_controller_rotations_total{certificate="ca"} 1)",
        R"(tpu_admission_controller_configuration_managed{configuration="validating"} 1)",
        R"(tpu_admission_controller_configuration_managed{configuration="mutating"} 0)",
        R"(tpu_admission_controller_errors_total{operation="write_secret"} 0)",
        R"(tpu_admission_controller_certificate_expiry_timestamp_seconds{certificate="ca"} 1)",
        "tpu_admission_controller_last_sync_success_timestamp_seconds 1"}) {
    EXPECT_THAT(metrics, HasSubstr(line));
  }

  EXPECT_TRUE(api.Get(kLease)["spec"].contains("holderIdentity"));
  controller.Signal(SIGTERM);
  EXPECT_EQ(controller.WaitForEnd(milliseconds(15'000)), 0);
  EXPECT_FALSE(api.Get(kLease)["spec"].contains("holderIdentity"));
  EXPECT_THAT(controller.Log(), HasSubstr("\"msg\":\"stopped\""));
  for (const char* secret : {"a-token", "PRIVATE KEY"}) {
    EXPECT_THAT(controller.Log(), Not(HasSubstr(secret)));
  }
}

TEST(Controller, LeadsWithoutALeaseAndSaysSoOnce) {
  ApiServer api;
  std::vector<std::string> flags = api.Flags();
  flags.insert(flags.end(), {"--lease-name", "another", "--leader-elect-lease-duration", "3s",
                             "--leader-elect-renew-deadline", "2500ms"});
  Serving controller(flags, "controller");
  ASSERT_TRUE(controller.WaitForLog("there is no Lease")) << controller.Log();
  EXPECT_TRUE(Eventually([&] { return !api.Bundle().empty(); })) << controller.Log();
  EXPECT_TRUE(Eventually([&] { return Page(controller, "/readyz").status == 200; }));
  std::this_thread::sleep_for(milliseconds(1'000));  // ten more looks for the Lease
  const std::string log = controller.Log();
  EXPECT_EQ(log.find("there is no Lease"), log.rfind("there is no Lease")) << log;
}

TEST(Controller, IsNotReadyAndSaysWhyIfItMayNotReadItsLease) {
  ApiServer api;
  const TempDir files;
  WriteText(files / "token", "not-the-token");
  std::vector<std::string> flags = api.Flags();
  flags.insert(flags.end(), {"--token-file", files / "token"});
  Serving controller(flags, "controller");
  ASSERT_TRUE(controller.WaitForLog("leases/lease: HTTP 401"));
  EXPECT_EQ(Page(controller, "/livez").status, 200U);
  EXPECT_EQ(Page(controller, "/readyz").status, 503U);
  EXPECT_THAT(Page(controller, "/readyz").body, HasSubstr("no contact with the Lease lease"));
  EXPECT_TRUE(api.Bundle().empty());
  controller.Signal(SIGTERM);
  EXPECT_EQ(controller.WaitForEnd(milliseconds(15'000)), 0);
}

}  // namespace
}  // namespace tpu_admission::support::controller_test
