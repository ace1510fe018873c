// `scan --output openreports`: what other tools show of policies, from our findings.
#pragma once

#include "tpu_admission/base/clock.h"
#include "tpu_admission/cluster/scan.h"

namespace tpu_admission::app {

// Prints a List of openreports.io/v1alpha1, for `kubectl apply -f -`: a Report for each workload
// with findings (a ClusterReport where it is of the cluster), which goes with it. Denied is `fail`,
// warned `warn`, what is only recorded `skip`. https://github.com/openreports/reports-api v0.2.1.
void PrintOpenReports(const cluster::ScanReport& report, Clock::Wall now);

}  // namespace tpu_admission::app
