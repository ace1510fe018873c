// `scan` in the formats of `check` that CI reads: an object of the cluster stands for a file.
#pragma once

#include <string>

#include "tpu_admission/cluster/scan.h"

namespace tpu_admission::app {

// Prints in one of offline::FormatNames(). The "file" of an object is NAMESPACE/KIND/NAME, its
// place the first line.
void PrintAsCheckDoes(const cluster::ScanReport& report, const std::string& format);

}  // namespace tpu_admission::app
