#include "app/controller_flags.h"

#include "app/flags.h"
#include "tpu_admission/base/files.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/kube/api.h"

namespace tpu_admission::app {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

void AddNames(CLI::App& command, ControllerOptions& options) {
  AddFlag(command, "--namespace", options.namespace_name,
          "namespace of Service, Secret and Lease; that of the pod if not given");
  AddFlag(command, "--service-name", options.service_name, "Service that the API server calls");
  AddFlag(command, "--secret-name", options.secret_name,
          "Secret that holds the certificates; must exist, may be empty");
  AddFlag(command, "--lease-name", options.lease_name,
          "Lease that elects the leader; may be empty. Without one, whoever asks leads");
  AddFlag(command, "--mutating-webhook-configuration", options.mutating_webhook_configuration,
          "name of the configuration to keep; none if not given");
  AddFlag(command, "--validating-webhook-configuration", options.validating_webhook_configuration,
          "name of the configuration to keep; none if not given");
  AddFlag(command, "--node-record", options.node_record,
          "ConfigMap to keep what TPU nodes the cluster has; nodes are not watched if not given");
  AddFlag(command, "--cluster-domain", options.cluster_domain, "DNS domain of the cluster");
}

void AddTimes(CLI::App& command, ControllerOptions& options) {
  AddDuration(command, "--certificate-lifetime", options.certificate_lifetime,
              "life of a serving certificate; renewed when a third is left");
  AddDuration(command, "--ca-lifetime", options.ca_lifetime,
              "life of a certificate authority, at least three times the former");
  AddDuration(command, "--propagation-delay", options.propagation_delay,
              "how long a new authority is published before it signs");
  AddDuration(command, "--poll-interval", options.poll_interval,
              "how often Secret and configurations are looked at");
  AddFlag(command, "--leader-elect", options.leader_elect,
          "true or false; false only where there is one controller")
      ->default_str(options.leader_elect ? "true" : "false");
  AddDuration(command, "--leader-elect-lease-duration", options.leader_elect_lease_duration,
              "how long others wait for a leader that is silent");
  AddDuration(command, "--leader-elect-renew-deadline", options.leader_elect_renew_deadline,
              "when a leader that cannot renew stops leading");
  AddDuration(command, "--leader-elect-retry-period", options.leader_elect_retry_period,
              "how often the Lease is renewed or asked for");
}

void Require(bool good, const std::string& flag, const std::string& what) {
  if (!good) throw CLI::ValidationError(flag, what);
}

void RequireName(const std::string& flag, const std::string& name, bool may_be_empty = false) {
  Require((may_be_empty && name.empty()) || kube::IsObjectName(name), flag,
          "\"" + name + "\" is no name of an object: letters a-z, digits, - and .");
}

std::string NamespaceOfPod(const std::string& service_account_dir) {
  constexpr std::size_t kMaxBytes = 1024;  // far more than a name has
  Result<std::string> text = DiskFiles().Read(service_account_dir + "/namespace", kMaxBytes);
  Require(text.ok(), "--namespace", "is not given, and there is no file that tells it");
  return std::string(Trimmed(*text));
}

void CheckTimes(const ControllerOptions& options) {
  Require(options.certificate_lifetime >= seconds(10), "--certificate-lifetime",
          "must be at least 10s");
  Require(options.ca_lifetime >= 3 * options.certificate_lifetime, "--ca-lifetime",
          "must be at least three times --certificate-lifetime, which is " +
              FormatDuration(options.certificate_lifetime));
  Require(options.poll_interval >= milliseconds(100), "--poll-interval", "must be at least 100ms");
  Require(options.leader_elect_retry_period >= milliseconds(100), "--leader-elect-retry-period",
          "must be at least 100ms");
  Require(options.leader_elect_renew_deadline > options.leader_elect_retry_period,
          "--leader-elect-renew-deadline", "must be longer than --leader-elect-retry-period");
  Require(options.leader_elect_lease_duration > options.leader_elect_renew_deadline,
          "--leader-elect-lease-duration", "must be longer than --leader-elect-renew-deadline");
}

}  // namespace

void AddControllerFlags(CLI::App& command, ControllerOptions& options) {
  AddNames(command, options);
  AddFlag(command, "--bind-address", options.bind_address,
          "address that the metrics port listens on");
  AddMetricsPort(command, options.metrics_port);
  AddTimes(command, options);
  AddApiServer(command, options.api_server,
               "where token, ca.crt and namespace of the service account are");
  AddTokenAndCa(command, options.api_server);
  AddLogLevel(command, options.log_level);
}

void CheckController(ControllerOptions& options) {
  if (options.namespace_name.empty()) {
    options.namespace_name = NamespaceOfPod(options.api_server.service_account_dir);
  }
  RequireName("--namespace", options.namespace_name);
  RequireName("--service-name", options.service_name);
  RequireName("--secret-name", options.secret_name);
  RequireName("--lease-name", options.lease_name);
  RequireName("--node-record", options.node_record, true);
  RequireName("--cluster-domain", options.cluster_domain);
  RequireName("--mutating-webhook-configuration", options.mutating_webhook_configuration, true);
  RequireName("--validating-webhook-configuration", options.validating_webhook_configuration, true);
  CheckTimes(options);
}

}  // namespace tpu_admission::app
