// `tpu-admission controller`: keeps certificates and caBundle in order while it leads.
#include <unistd.h>

#include <array>
#include <atomic>
#include <iostream>
#include <random>
#include <stop_token>
#include <thread>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/log_level.h"
#include "app/node_watcher.h"
#include "app/signals.h"
#include "app/sleeper.h"
#include "tpu_admission/base/version.h"
#include "tpu_admission/controller/elector.h"
#include "tpu_admission/controller/reconciler.h"
#include "tpu_admission/net/health.h"
#include "tpu_admission/observability/controller_journal.h"

namespace tpu_admission::app {
namespace {

using observability::Level;
using std::chrono::milliseconds;
using std::chrono::seconds;

// One attempt each: the next Step() is the repetition.
kube::ClientOptions ElectionClientOptions(kube::ClientOptions client,
                                          const ControllerOptions& options) {
  client.attempts = 1;
  client.deadline = client.attempt_deadline =
      std::min(milliseconds(3'000), options.leader_elect_renew_deadline / 3);
  return client;
}

controller::ReconcilerOptions ReconcilerOptionsOf(const ControllerOptions& options) {
  using std::chrono::duration_cast;
  controller::ReconcilerOptions reconciler;
  reconciler.namespace_name = options.namespace_name;
  reconciler.service_name = options.service_name;
  reconciler.secret_name = options.secret_name;
  reconciler.cluster_domain = options.cluster_domain;
  reconciler.mutating_configuration = options.mutating_webhook_configuration;
  reconciler.validating_configuration = options.validating_webhook_configuration;
  reconciler.certificate_lifetime = duration_cast<seconds>(options.certificate_lifetime);
  reconciler.authority_lifetime = duration_cast<seconds>(options.ca_lifetime);
  reconciler.propagation_delay = options.propagation_delay;
  return reconciler;
}

// The pod's name and something random, as two containers may have one name.
std::string Identity() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::array<char, 16> suffix{};
  std::snprintf(suffix.data(), suffix.size(), "_%08x", std::random_device{}());
  return std::string(host.data()) + suffix.data();
}

class ControllerService {
 public:
  // `nodes`: how to reach the API server for the record of nodes.
  ControllerService(const ControllerOptions& options, kube::Client& client,
                    kube::Client& election_client, NodeClients* nodes)
      : options_(options),
        client_(client),
        log_(1, LevelOf(options.log_level)),
        journal_(log_, clock_, [this] { sync_sleeper_.Wake(); }),
        elector_(election_client, kube::LeasePath(options.namespace_name, options.lease_name),
                 Identity(),
                 {options.leader_elect_lease_duration, options.leader_elect_renew_deadline}, clock_,
                 journal_),
        reconciler_(
            client, ReconcilerOptionsOf(options), clock_, [this] { return Leading(); }, journal_),
        health_(options.bind_address, options.metrics_port,
                {[this] { return NotReady(); }, [this] { return journal_.MetricsText(); }}) {
    if (nodes == nullptr) return;
    node_watcher_.emplace(
        *nodes, kube::ConfigMapPath(options.namespace_name, options.node_record), clock_,
        [this] { return Leading(); }, journal_);
  }

  Status Start() {
    if (Status started = health_.Start(); !started) return started;
    log_.Write(Level::kInfo, "controller started",
               {{"version", Version()},
                {"api_server", options_.api_server.client.server},
                {"metrics_port", std::to_string(health_.port())}});
    if (!options_.leader_elect) journal_.OnLeadership(true);
    return OkStatus();
  }

  // Until a signal asks to stop. A call under way is ended: every write stands or falls as a whole.
  void Run(const Signals& signals) {
    std::jthread election;
    if (options_.leader_elect) election = std::jthread([this](const auto& stop) { Elect(stop); });
    std::jthread reconciliation([this](const auto& stop) { Reconcile(stop); });
    if (node_watcher_) node_watcher_->Start();
    while (!signals.Wait(seconds(60))) {
    }
    stopping_ = true;
    log_.Write(Level::kInfo, "shutting down");
    if (node_watcher_) node_watcher_->Stop();
    reconciliation.request_stop();
    client_.Interrupt();
    reconciliation.join();
    if (election.joinable()) {
      election.request_stop();
      election.join();
      elector_.Release();  // nothing is written any more: another may go on at once
    }
    log_.Write(Level::kInfo, "stopped");
  }

 private:
  bool Leading() const { return !stopping_ && (!options_.leader_elect || elector_.leading()); }

  void Elect(const std::stop_token& stop) {
    do {
      elector_.Step();
    } while (election_sleeper_.Sleep(stop, options_.leader_elect_retry_period));
  }

  void Reconcile(const std::stop_token& stop) {
    do {
      if (Leading()) {
        last_pass_ = reconciler_.Sync() ? Pass::kGood : Pass::kFailed;
      } else {
        reconciler_.Forget();
        journal_.OnStandby();
        last_pass_ = Pass::kNone;
      }
    } while (sync_sleeper_.Sleep(stop, options_.poll_interval));
  }

  std::optional<std::string> NotReady() const {
    if (stopping_) return "shutting down";
    if (options_.leader_elect && !elector_.in_contact()) {
      return "no contact with the Lease " + options_.lease_name + ", see the log";
    }
    if (Leading() && last_pass_ == Pass::kFailed) return "the last pass failed, see the log";
    if (!options_.leader_elect && last_pass_ == Pass::kNone) return "no pass has ended yet";
    return std::nullopt;
  }

  enum class Pass { kNone, kGood, kFailed };

  const ControllerOptions& options_;
  kube::Client& client_;  // of reconciler_
  SystemClock clock_;
  observability::Log log_;
  Sleeper sync_sleeper_;
  Sleeper election_sleeper_;
  observability::ControllerJournal journal_;
  controller::Elector elector_;
  controller::Reconciler reconciler_;
  std::atomic<Pass> last_pass_{Pass::kNone};
  std::atomic<bool> stopping_{false};
  net::HealthServer health_;
  std::optional<NodeWatcher> node_watcher_;
};

}  // namespace

int RunController(const ControllerOptions& flags) {
  const Signals signals;
  ControllerOptions options = flags;
  options.api_server.client.user_agent =
      "tpu-admission/" + std::string(Version()) + " (controller)";
  auto client_options =
      kube::InCluster(options.api_server.client, options.api_server.service_account_dir);
  if (!client_options) return CannotRun(client_options.error());
  options.api_server.client.server = client_options->server;
  auto client = kube::Client::Make(*client_options);
  if (!client) return CannotRun(client.error());
  auto election_client = kube::Client::Make(ElectionClientOptions(*client_options, options));
  if (!election_client) return CannotRun(election_client.error());
  Result<std::unique_ptr<NodeClients>> nodes = std::unique_ptr<NodeClients>();
  if (!options.node_record.empty()) nodes = NodeClients::Make(*client_options);
  if (!nodes) return CannotRun(nodes.error());
  ControllerService service(options, **client, **election_client, nodes->get());
  if (Status started = service.Start(); !started) return CannotRun(started.error());
  service.Run(signals);
  return kDone;
}

}  // namespace tpu_admission::app
