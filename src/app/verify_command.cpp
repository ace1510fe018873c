// `tpu-admission verify`: is the webhook at work? Asks the API server by dry run for a wrong Pod
// and for a sound one, and looks at what comes back. Both ask for a sign of life, which tells that
// we were asked, whatever the policy makes of them. `helm test` runs it.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/label_selector.h"
#include "app/verify_answer.h"
#include "tpu_admission/admission/handler.h"
#include "tpu_admission/base/json_tree.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/kube/json_bounds.h"
#include "tpu_admission/workload/chips.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::app {
namespace {

using nlohmann::json;
using Mono = std::chrono::steady_clock;

constexpr std::chrono::seconds kPause{2};
constexpr std::chrono::seconds kLeast{1};  // that a question has, however late it is

// Of all that it could lack nothing is missing, and Pod Security lets it in at every level. A host
// of this topology has 4 chips, and a container takes all of them.
std::string Pod(const char* chips) {
  const std::string tpu(workload::kTpuResource);
  const json container = {
      {"name", "main"},
      {"image", "none"},
      {"resources",
       {{"requests", {{"cpu", "1"}, {"memory", "1Gi"}, {tpu, chips}}}, {"limits", {{tpu, chips}}}}},
      {"securityContext",
       {{"allowPrivilegeEscalation", false}, {"capabilities", {{"drop", json::array({"ALL"})}}}}}};
  const json toleration = {{"key", tpu}, {"operator", "Exists"}, {"effect", "NoSchedule"}};
  const json pod = {
      {"apiVersion", "v1"},
      {"kind", "Pod"},
      {"metadata",
       {{"generateName", "tpu-admission-verify-"},
        {"annotations", {{std::string(admission::kVerifyAnnotation), "true"}}}}},
      {"spec",
       {{"nodeSelector",
         {{workload::kGkeTpuAccelerator, "tpu-v6e-slice"}, {workload::kGkeTpuTopology, "2x2"}}},
        {"tolerations", json::array({toleration})},
        {"securityContext",
         {{"runAsNonRoot", true}, {"seccompProfile", {{"type", "RuntimeDefault"}}}}},
        {"containers", json::array({container})}}}};
  return pod.dump();
}

// Why nothing can be tested in the namespace; empty if something can.
std::string Obstacle(kube::Client& client, const VerifyOptions& options) {
  const std::string name = "the namespace " + options.namespace_name;
  if (!options.mutating && !options.validating) return "both webhooks are turned off";
  const kube::Answer answer = client.Get(kube::NamespacePath(options.namespace_name));
  if (answer.outcome == kube::Outcome::kNotFound) return name + " does not exist";
  const bool is_there = answer.outcome != kube::Outcome::kUnreachable || answer.status != 0;
  if (!is_there) return answer.error;
  if (options.namespace_selector.empty()) return "";  // who may not look at it can try all the same
  if (!answer.ok()) return answer.error;
  const json found = kube::ParseJson<json>(answer.body);
  const Result<bool> selected = Selects(options.namespace_selector, At(found, "/metadata/labels"));
  if (!selected) return selected.error().message;
  return *selected ? ""
                   : "the webhooks leave " + name +
                         " alone, by their namespaceSelector: name another one (in the chart: "
                         "test.namespace)";
}

// Of what says yes and is none, nothing can be learned about the webhook.
constexpr const char* kNoApiServer =
    "what answers is no API server: it takes a Pod and gives none back. Is the address right, and "
    "no proxy before it?";

bool IsFromApiServer(const kube::Answer& answer) {
  if (!answer.ok()) return true;
  return TextAt(kube::ParseJson<json>(answer.body), "/kind") == "Pod";
}

std::string FaultOfLife(bool wanted, bool answered, const char* webhook,
                        const kube::Answer& answer) {
  if (!wanted || answered) return "";
  const std::string what = std::string(webhook) + ".tpu-admission.io does not answer: ";
  return what + (answer.ok() ? "the API server took the Pod without it. Is a server ready, and the "
                               "caBundle of the webhook configuration filled?"
                             : answer.error);
}

// What is wrong with the answer to the wrong Pod; empty if nothing is.
std::string Fault(const VerifyOptions& options, const Evidence& evidence,
                  const kube::Answer& answer) {
  if (!IsFromApiServer(answer)) return kNoApiServer;
  std::string fault = FaultOfLife(options.mutating, evidence.mutating, "mutate", answer);
  if (fault.empty()) {
    fault = FaultOfLife(options.validating, evidence.validating, "validate", answer);
  }
  if (!fault.empty()) return fault;
  const bool soft = (options.expect == "denial" && evidence.verdict != Verdict::kDenial) ||
                    (options.expect == "warning" && evidence.verdict == Verdict::kSilence);
  return soft ? "a " + options.expect + " was expected of the Pod that asks for 3 of 4 chips" : "";
}

// What became of a Pod, as far as it is our doing.
std::string OutcomeOf(const kube::Answer& answer) {
  switch (EvidenceIn(answer).verdict) {
    case Verdict::kDenial:
      return "denied";
    case Verdict::kWarning:
      return "let in, with our warning";
    case Verdict::kSilence:
      break;
  }
  return answer.ok() ? "let in, and nothing is said"
                     : "refused for another reason: " + answer.error;
}

int Report(bool good, const std::string& line) {
  std::cout << (good ? "ok    " : "FAIL  ") << ShownLines(line) << std::endl;
  return good ? kDone : kFaultsFound;
}

kube::Answer Ask(kube::Client& client, const VerifyOptions& options, Mono::time_point deadline,
                 const char* chips) {
  client.EndBy(std::max(deadline, Mono::now() + kLeast));
  return client.DryRunCreate("/api/v1/namespaces/" + options.namespace_name + "/pods", Pod(chips));
}

// Asks again until the answer is right or the time is over: after an installation it takes a
// moment.
int TryBothPods(kube::Client& client, const VerifyOptions& options, Mono::time_point deadline) {
  kube::Answer answer = Ask(client, options, deadline, "3");
  std::string fault = Fault(options, EvidenceIn(answer), answer);
  while (!fault.empty() && Mono::now() + kPause < deadline) {
    std::this_thread::sleep_for(kPause);
    answer = Ask(client, options, deadline, "3");
    fault = Fault(options, EvidenceIn(answer), answer);
  }
  if (!fault.empty()) return Report(false, fault);
  const auto alive = [](admission::Endpoint endpoint) {
    Report(true, std::string(admission::SignOfLife(endpoint)));
  };
  if (options.mutating) alive(admission::Endpoint::kMutate);
  if (!options.validating) return kDone;
  alive(admission::Endpoint::kValidate);
  Report(true, "a Pod that asks for 3 of the 4 chips of its host: " + OutcomeOf(answer));
  const kube::Answer sound = Ask(client, options, deadline, "4");
  if (!IsFromApiServer(sound)) return Report(false, kNoApiServer);
  return Report(EvidenceIn(sound).verdict == Verdict::kSilence,
                "the same Pod with 4 chips: " + OutcomeOf(sound));
}

}  // namespace

int Verify(const VerifyOptions& options) {
  auto client_options =
      kube::InCluster(options.api_server.client, options.api_server.service_account_dir);
  if (!client_options) return CannotRun(client_options.error());
  auto client = kube::Client::Make(std::move(*client_options));
  if (!client) return CannotRun(client.error());
  const auto deadline = Mono::now() + options.timeout;
  (*client)->EndBy(std::max(deadline, Mono::now() + kLeast));
  const std::string obstacle = Obstacle(**client, options);
  if (!obstacle.empty()) return CannotRun(Error{"nothing was tested: " + obstacle});
  return TryBothPods(**client, options, deadline);
}

}  // namespace tpu_admission::app
