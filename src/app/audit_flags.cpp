#include "app/audit_flags.h"

#include "app/flags.h"

namespace tpu_admission::app {

void AddAuditFlags(CLI::App& command, AuditOptions& options) {
  AddFlag(command, "--bind-address", options.bind_address,
          "address that the metrics port listens on");
  AddFlag(command, "--metrics-port", options.metrics_port,
          "plain HTTP port of /livez, /readyz and /metrics; 0 takes a free one")
      ->check(IsPort());
  AddDuration(command, "--interval", options.interval,
              "how long after a pass the next one begins; a new policy or catalog begins one at "
              "once");
  AddDuration(
      command, "--gang-patience", options.gang_patience,
      "how long pods may be Pending before the chips that the others of their gang hold are "
      "told of");
  CLI::Option* const once =
      command.add_flag("--once", options.once, "make one pass, print what came of it, and end");
  command.add_flag("--clean", options.clean, "delete all reports of ours, and end")->excludes(once);
  AddFlag(command, "--api-server", options.api_server,
          "https://HOST:PORT of the API server; that of the pod's environment if not given");
  AddFlag(command, "--service-account-dir", options.service_account_dir,
          "where token and ca.crt of the service account are")
      ->type_name("DIR");
  AddFlag(command, "--token-file", options.token_file, "token to use instead of the account's")
      ->type_name("FILE");
  AddFlag(command, "--ca-file", options.ca_file, "CA of the API server instead of the account's")
      ->type_name("FILE");
  AddFlag(command, "--log-level", options.log_level, "least severe lines to log")
      ->check(IsOneOf({"debug", "info", "warning", "error"}));
}

}  // namespace tpu_admission::app
