// The two paths of the admission port: HTTP around admission::Handler, and the books of it.
#pragma once

#include "tpu_admission/admission/handler.h"
#include "tpu_admission/base/clock.h"
#include "tpu_admission/net/http.h"
#include "tpu_admission/observability/server_journal.h"

namespace tpu_admission::app {

// POST /mutate and POST /validate; else 404, 405, 415. One per thread.
class AdmissionEndpoint final : public net::RequestHandler {
 public:
  AdmissionEndpoint(const SnapshotCell<admission::Settings>& settings, const Clock& clock,
                    observability::ServerJournal& journal)
      : handler_(settings), clock_(clock), journal_(journal) {}

  void Handle(const net::HttpRequest& request, net::HttpResponse& response) override;

 private:
  admission::Handler handler_;
  const Clock& clock_;
  observability::ServerJournal& journal_;
};

}  // namespace tpu_admission::app
