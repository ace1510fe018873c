// `tpu-admission verify`: is the webhook at work? Asks the API server by dry run for a wrong Pod,
// which must be denied, and for a sound one, which must be let in and patched. `helm test` runs it.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/command_line.h"
#include "app/commands.h"
#include "tpu_admission/kube/api.h"
#include "tpu_admission/kube/client.h"

namespace tpu_admission::app {
namespace {

using nlohmann::json;
using Mono = std::chrono::steady_clock;

constexpr std::chrono::seconds kPause{2};
constexpr std::string_view kWebhook = "validate.tpu-admission.io";
constexpr const char* kToleration = "google.com/tpu";

// A host of this topology has 4 chips, and a container takes all of them.
std::string Pod(const char* chips) {
  const json container = {
      {"name", "main"}, {"image", "none"}, {"resources", {{"limits", {{kToleration, chips}}}}}};
  const json selector = {{"cloud.google.com/gke-tpu-accelerator", "tpu-v6e-slice"},
                         {"cloud.google.com/gke-tpu-topology", "2x2"}};
  const json pod = {
      {"apiVersion", "v1"},
      {"kind", "Pod"},
      {"metadata", {{"generateName", "tpu-admission-verify-"}}},
      {"spec", {{"nodeSelector", selector}, {"containers", json::array({container})}}}};
  return pod.dump();
}

// What is wrong with an answer; empty if nothing is.
std::string FaultOfDenial(const kube::Answer& answer) {
  if (answer.ok()) return "a Pod that asks for 3 of 4 chips was let in: the webhook was not asked";
  const bool denied_by_us =
      answer.status == 403 && answer.error.find(kWebhook) != std::string::npos;
  return denied_by_us ? "" : answer.error;
}

std::string FaultOfPatch(const kube::Answer& answer, bool expect_patch) {
  if (!answer.ok()) return answer.error;
  if (!expect_patch) return "";
  const json pod = json::parse(answer.body, nullptr, /*allow_exceptions=*/false);
  const json tolerations = pod.is_object()
                               ? pod.value(json::json_pointer("/spec/tolerations"), json::array())
                               : json::array();
  const bool tolerates =
      std::any_of(tolerations.begin(), tolerations.end(), [](const json& toleration) {
        return toleration.is_object() && toleration.value("key", "") == kToleration;
      });
  return tolerates ? "" : "a sound Pod was let in without the toleration of TPU nodes";
}

// Asks again until the answer is right or the time is over: after an installation it takes a
// moment.
template <typename Ask>
bool Holds(const char* what, Mono::time_point deadline, const Ask& ask) {
  std::string fault = ask();
  while (!fault.empty() && Mono::now() + kPause < deadline) {
    std::this_thread::sleep_for(kPause);
    fault = ask();
  }
  if (fault.empty()) {
    std::cout << "ok    " << what << std::endl;
  } else {
    std::cout << "FAIL  " << what << "\n      " << fault << std::endl;
  }
  return fault.empty();
}

}  // namespace

int Verify(const VerifyOptions& options) {
  const auto fail = [](const std::string& why) {
    std::cerr << "tpu-admission: " << why << '\n';
    return kCannotRun;
  };
  if (!kube::IsObjectName(options.namespace_name)) return fail("--namespace is no name");
  kube::ClientOptions wanted;
  wanted.server = options.api_server;
  auto client_options = kube::InCluster(std::move(wanted), options.service_account_dir);
  if (!client_options) return fail(client_options.error().message);
  auto client = kube::Client::Make(std::move(*client_options));
  if (!client) return fail(client.error().message);

  const std::string pods = "/api/v1/namespaces/" + options.namespace_name + "/pods";
  const auto deadline = Mono::now() + options.timeout;
  bool good = true;
  if (options.expect_denial) {
    good &= Holds("a wrong Pod is denied", deadline,
                  [&] { return FaultOfDenial((*client)->DryRunCreate(pods, Pod("3"))); });
  }
  good &= Holds(
      options.expect_patch ? "a sound Pod is let in, and tolerates TPU nodes"
                           : "a sound Pod is let in",
      deadline,
      [&] { return FaultOfPatch((*client)->DryRunCreate(pods, Pod("4")), options.expect_patch); });
  return good ? kDone : kFaultsFound;
}

}  // namespace tpu_admission::app
