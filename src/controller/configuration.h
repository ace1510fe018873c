// The caBundle of one webhook configuration. Nothing else of it is ever touched: no webhook is
// added, none that points elsewhere is changed, and a configuration that is gone stays gone.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tpu_admission/controller/observer.h"
#include "tpu_admission/kube/api.h"

namespace tpu_admission::controller {

inline constexpr int kAttempts = 3;  // where somebody else writes the same object at the same time

struct WantedBundle {
  std::string service_namespace;  // only webhooks that call this Service are ours
  std::string service_name;
  std::string text;  // what caBundle is to be, PEM
  std::string next;  // the certificate that must be in every caBundle before it signs; "" if none
};

struct Published {
  ConfigurationState state = ConfigurationState::kFailed;
  std::string why;            // one line; empty for kCurrent
  bool carries_next = false;  // every webhook of ours in it trusts `next`, or there is none
  Operation failed_operation = Operation::kReadConfiguration;  // of kFailed
};

// Reads the configuration and writes its caBundle if it is another one and may be written.
Published Publish(kube::Api& api, const kube::ObjectPath& path, const WantedBundle& wanted,
                  const std::function<bool()>& may_write);

}  // namespace tpu_admission::controller
