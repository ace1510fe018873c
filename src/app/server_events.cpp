#include "app/server_events.h"

#include <array>
#include <ctime>

namespace tpu_admission::app {

using observability::Level;

void ServerEvents::OnRequestFinished(unsigned status) {
  metrics_.AddInFlight(-1);
  metrics_.CountHttpStatus(status);
}

void ServerEvents::OnHandlerException(const char* what) {
  metrics_.CountHandlerException();
  log_.Write(Level::kError, "a request met a bug and was answered with 500", {{"what", what}});
}

void ServerEvents::OnCertificateLoaded(Clock::Wall not_after, const std::string& subject) {
  metrics_.SetCertificateExpiry(not_after);
  metrics_.CountCertificateLoad(true);
  const std::time_t time = std::chrono::system_clock::to_time_t(not_after);
  std::tm utc{};
  gmtime_r(&time, &utc);
  std::array<char, 32> text;
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  log_.Write(Level::kInfo, "certificate loaded",
             {{"subject", subject}, {"not_after", text.data()}});
}

void ServerEvents::OnCertificateError(const std::string& what) {
  metrics_.CountCertificateLoad(false);
  log_.Write(Level::kError, "certificate not loaded", {{"what", what}});
}

}  // namespace tpu_admission::app
