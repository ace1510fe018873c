// `tpu-admission webhooks`: what the API server is to send us. The chart's files/webhooks.yaml is
// this output, and a test holds the two against each other.
#include <iostream>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/settings_loader.h"
#include "tpu_admission/base/files.h"
#include "tpu_admission/webhooks/webhooks.h"

namespace tpu_admission::app {

int ShowWebhooks(const WebhooksOptions& options) {
  EngineOptions engine;
  engine.policy_file = options.policy_file;
  const auto settings = SettingsLoader(engine, DiskFiles()).Load();
  if (!settings) return CannotRun(settings.error());
  std::cout << webhooks::Configuration((*settings)->policy.kinds());
  return kDone;
}

}  // namespace tpu_admission::app
