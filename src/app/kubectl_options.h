// Flags -> the user's kubectl.
#pragma once

#include "app/options.h"
#include "tpu_admission/cluster/kubectl.h"

namespace tpu_admission::app {

inline cluster::KubectlProgram::Options ToProgram(const KubectlOptions& options) {
  cluster::KubectlProgram::Options program{options.program, {}, options.timeout};
  // kubectl waits for a single answer of the API server without an end. A login by a person counts.
  program.arguments.emplace_back("--request-timeout=2m");
  if (!options.context.empty()) program.arguments.push_back("--context=" + options.context);
  if (!options.kubeconfig.empty()) {
    program.arguments.push_back("--kubeconfig=" + options.kubeconfig);
  }
  return program;
}

}  // namespace tpu_admission::app
