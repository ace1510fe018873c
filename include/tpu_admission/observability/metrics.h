// Every metric of the server, made once at start: on the way of a request there are only handles,
// and labels are closed sets (operations, kinds of the table, outcomes, rules). The one exception
// is the namespace of a denial, which is bounded in number. All members may be used from any
// thread.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/admission/handler.h"
#include "tpu_admission/base/clock.h"
#include "tpu_admission/net/server.h"
#include "tpu_admission/tpu/catalog.h"

namespace tpu_admission::observability {

class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // One review was answered.
  void Count(const admission::Record& record, std::chrono::nanoseconds duration);
  // The transport.
  void AddConnections(int delta);
  void AddInFlight(int delta);
  void Count(net::ServerObserver::HandshakeResult result);
  void Count(net::ServerObserver::Refusal refusal);
  void CountHttpStatus(unsigned status);
  void CountHandlerException();
  // Certificate and files.
  void SetCertificateExpiry(Clock::Wall not_after);
  void CountCertificateLoad(bool ok);
  void SetCatalog(const tpu::Catalog& catalog);
  void CountConfigLoad(bool ok, Clock::Wall now);
  void SetLogLinesDropped(std::size_t total);

  // The Prometheus text exposition of now.
  std::string Text() const;

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace tpu_admission::observability
