// The plain HTTP port for kubelet probes and Prometheus: /livez, /readyz, /metrics; nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tpu_admission/base/result.h"

namespace tpu_admission::net {

struct HealthPages {
  // nullopt: ready. Otherwise why not, one line; the page is then a 503 with that line.
  std::function<std::optional<std::string>()> not_ready;
  // The Prometheus text exposition of now.
  std::function<std::string()> metrics;
};

// One thread of its own, so that probes and scrapes never wait for admission requests. Bounded
// connections (64) and a 10 s deadline on each request. The page functions are called on it.
class HealthServer {
 public:
  HealthServer(std::string bind_address, std::uint16_t port, HealthPages pages);
  ~HealthServer();  // closes and joins
  HealthServer(const HealthServer&) = delete;
  HealthServer& operator=(const HealthServer&) = delete;

  Status Start();
  std::uint16_t port() const;  // the bound port, after Start()

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tpu_admission::net
