// The Secret as the API server shows it.
#pragma once

#include <optional>
#include <string>

#include "controller/material.h"
#include "tpu_admission/base/clock.h"
#include "tpu_admission/kube/api.h"

namespace tpu_admission::controller {

struct Secret {
  std::string version;  // metadata.resourceVersion
  SecretData data;      // decoded
};

// Of the body of an answer; what is no base64 reads as "".
Secret ReadSecret(const std::string& body);

// The merge patch that makes `wanted` of `secret`, or is refused if the Secret has changed. Empty
// values of `wanted` remove their key.
std::string SecretPatch(const Secret& secret, const SecretData& wanted);

}  // namespace tpu_admission::controller
