// What all threads of one listening port share.
#pragma once

#include <atomic>

#include "net/byte_budget.h"
#include "net/certificate_watcher.h"
#include "net/connection_gate.h"
#include "tpu_admission/net/server.h"

namespace tpu_admission::net {

struct EndpointState {
  EndpointState(const ServerLimits& bounds, ServerObserver& watcher,
                const CertificateWatcher* certificate_source)
      : limits(bounds),
        observer(watcher),
        certificates(certificate_source),
        bytes(bounds.bytes_in_flight),
        gate(bounds.connections, watcher) {}

  const ServerLimits limits;
  ServerObserver& observer;
  const CertificateWatcher* const certificates;  // null: plain HTTP
  ByteBudget bytes;
  ConnectionGate gate;
  std::atomic<bool> draining{false};
};

}  // namespace tpu_admission::net
