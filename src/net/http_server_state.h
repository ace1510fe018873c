// What all threads of one listening port share.
#pragma once

#include <atomic>

#include "net/byte_budget.h"
#include "net/certificate_watcher.h"
#include "net/connection_gate.h"
#include "net/heartbeats.h"
#include "tpu_admission/base/lifetime.h"
#include "tpu_admission/net/descriptors.h"
#include "tpu_admission/net/server.h"

namespace tpu_admission::net {

struct HttpServerState {
  HttpServerState(const ServerLimits& bounds, std::size_t threads,
                  ServerObserver& watcher TPU_ADMISSION_LIFETIME_BOUND,
                  const CertificateWatcher* certificate_source TPU_ADMISSION_LIFETIME_BOUND)
      : limits(bounds),
        observer(watcher),
        certificates(certificate_source),
        bytes(bounds.bytes_in_flight),
        gate(FitToDescriptors(bounds.connections), watcher),
        heartbeats(threads) {}

  const ServerLimits limits;
  ServerObserver& observer;
  const CertificateWatcher* const certificates;  // null: plain HTTP
  ByteBudget bytes;
  ConnectionGate gate;
  Heartbeats heartbeats;
  std::atomic<bool> draining{false};
};

}  // namespace tpu_admission::net
