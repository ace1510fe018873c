// How many connections the process has file descriptors for.
#pragma once

#include <cstddef>

namespace tpu_admission::net {

// Of a listening port: `wanted`, or what the limit on descriptors leaves when the rest of the
// process (the other port, files) has its share; at least 16.
std::size_t FitToDescriptors(std::size_t wanted);

// Lifts this process's soft limit on file descriptors to the hard one; before servers are made,
// since they take no more connections than the limit allows.
void RaiseDescriptorLimit();

}  // namespace tpu_admission::net
