// The plain HTTP port for kubelet probes and Prometheus: /livez, /readyz, /metrics; nothing else.
#pragma once

#include <cstddef>
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
  // The same as not_ready for /livez; without it, whoever can answer lives.
  std::function<std::optional<std::string>()> not_live = {};
};

// One thread of its own, so that probes and scrapes do not wait for admission requests. At most 64
// connections, at the cap the one that has done nothing for longest makes room; no bodies; 5 s for
// each request; 4 MiB of answers that wait to be read. The page functions are called on it.
class HealthServer {
 public:
  static std::size_t MemoryBound();  // what its limits add up to

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
