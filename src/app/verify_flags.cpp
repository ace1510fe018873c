#include "app/verify_flags.h"

#include "app/flags.h"

namespace tpu_admission::app {

void AddVerifyFlags(CLI::App& command, VerifyOptions& options) {
  AddFlag(command, "--namespace", options.namespace_name,
          "where to ask; nothing is created. Not one that the webhooks leave alone")
      ->check(IsName());
  AddFlag(command, "--namespace-selector", options.namespace_selector,
          "namespaceSelector of the webhooks, to find out whether they leave the namespace alone")
      ->type_name("JSON");
  AddFlag(command, "--mutating", options.mutating, "whether the mutating webhook must answer");
  AddFlag(command, "--validating", options.validating,
          "whether the validating webhook must answer");
  AddFlag(command, "--expect", options.expect, "least that must become of a wrong Pod")
      ->check(IsOneOf({"any", "warning", "denial"}));
  AddDuration(command, "--timeout", options.timeout, "how long to go on asking");
  AddApiServer(command, options.api_server, "where token and ca.crt of the service account are");
}

}  // namespace tpu_admission::app
