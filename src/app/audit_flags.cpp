#include "app/audit_flags.h"

#include "app/flags.h"

namespace tpu_admission::app {

void AddAuditFlags(CLI::App& command, AuditOptions& options) {
  AddFlag(command, "--bind-address", options.bind_address,
          "address that the metrics port listens on");
  AddMetricsPort(command, options.metrics_port);
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
  AddApiServer(command, options.api_server, "where token and ca.crt of the service account are");
  AddTokenAndCa(command, options.api_server);
  AddLogLevel(command, options.log_level);
}

}  // namespace tpu_admission::app
