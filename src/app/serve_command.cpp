// `tpu-admission serve`: builds everything, hands references down, and waits for signals.
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "app/admission_endpoint.h"
#include "app/command_line.h"
#include "app/commands.h"
#include "app/log_level.h"
#include "app/settings_loader.h"
#include "app/signals.h"
#include "app/start_memory.h"
#include "tpu_admission/base/files.h"
#include "tpu_admission/base/version.h"
#include "tpu_admission/net/descriptors.h"
#include "tpu_admission/net/health.h"
#include "tpu_admission/net/processors.h"
#include "tpu_admission/tpu/seen_shapes.h"

namespace tpu_admission::app {
namespace {

using observability::Level;
using std::chrono::milliseconds;

constexpr milliseconds kDrainLimit{15'000};
constexpr milliseconds kFilePoll{10'000};
constexpr int kMaxThreads = 4;

// Large blocks go back to the system when they are freed. By itself glibc takes the largest that
// was freed for the usual size from then on, and keeps what a few large reviews took.
void GiveLargeBlocksBack() {
  constexpr int kLarge = 256 << 10;
  mallopt(M_MMAP_THRESHOLD, kLarge);
  mallopt(M_TRIM_THRESHOLD, 2 * kLarge);
}

int ThreadsOf(const ServeOptions& options) {
  if (options.threads > 0) return options.threads;
  return std::min(kMaxThreads, net::UsableProcessors(DiskFiles(), net::AllowedProcessors()));
}

net::ServerOptions ServerOptionsOf(const ServeOptions& options) {
  net::ServerOptions server;
  server.bind_address = options.bind_address;
  server.port = options.secure_port;
  server.threads = ThreadsOf(options);
  server.tls.certificate = options.tls_cert_file;
  server.tls.private_key = options.tls_private_key_file;
  server.tls.allow_tls12 = options.tls_min_version == "1.2";
  return server;
}

class Service {
 public:
  Service(const ServeOptions& options, SettingsLoader& loader,
          const std::shared_ptr<const admission::Settings>& settings)
      : options_(options),
        loader_(loader),
        log_(1, LevelOf(options.log_level)),
        settings_(settings),
        journal_(log_),
        server_(
            ServerOptionsOf(options), [this] { return NewEndpoint(); }, journal_),
        health_(options.bind_address, options.metrics_port,
                {[this] { return NotReady(); }, [this] { return journal_.MetricsText(); },
                 [this] { return server_.NotLive(); }}) {
    Announce(*settings);
  }

  Status Start() {
    if (Status started = health_.Start(); !started) return started;
    if (Status started = server_.Start(); !started) return started;
    listening_ = true;
    log_.Write(Level::kInfo, "listening",
               {{"version", Version()},
                {"address", options_.bind_address},
                {"threads", std::to_string(ThreadsOf(options_))},
                {"secure_port", std::to_string(server_.port())},
                {"metrics_port", std::to_string(health_.port())}});
    return OkStatus();
  }

  // Until a signal asks to stop.
  void Run(const Signals& signals) {
    while (!signals.Wait(kFilePoll)) Reload();
    draining_ = true;
    log_.Write(Level::kInfo, "shutting down",
               {{"shutdown_delay_ms", std::to_string(options_.shutdown_delay.count())}});
    server_.BeginDrain();
    signals.Wait(options_.shutdown_delay);  // a second signal ends the delay
    if (!server_.FinishDrain(kDrainLimit)) EndWithoutThreads();
    log_.Write(Level::kInfo, "stopped");
  }

 private:
  std::unique_ptr<net::RequestHandler> NewEndpoint() {
    return std::make_unique<AdmissionEndpoint>(settings_, clock_, journal_);
  }

  // A handler hangs, and may use all that is here as long as the process lives.
  [[noreturn]] void EndWithoutThreads() {
    log_.Write(Level::kError, "a request hangs: ending without its answer");
    std::this_thread::sleep_for(milliseconds(200));  // the log is written every 50 ms
    std::_Exit(kCannotRun);
  }

  std::optional<std::string> NotReady() const {
    if (draining_) return "shutting down";
    if (!listening_) return "not listening yet";
    if (server_.has_certificate()) return std::nullopt;
    return "no certificate yet: waiting for " + options_.tls_cert_file + " and " +
           options_.tls_private_key_file;
  }

  void Announce(const admission::Settings& settings) {
    journal_.OnSettings(settings.engine.catalog(), clock_.Now());
    for (const std::string& warning : loader_.warnings()) log_.Write(Level::kWarning, warning);
  }

  void AnnounceNodes(const admission::Settings& settings) {
    const auto& shapes = settings.engine.cluster().shapes;
    for (const std::string& warning : loader_.warnings()) log_.Write(Level::kWarning, warning);
    log_.Write(Level::kInfo, "the TPU nodes of the cluster are others",
               {{"shapes", shapes ? std::to_string(shapes->shapes.size()) : "not known"}});
  }

  void Reload() {
    auto changed = loader_.LoadIfChanged();
    if (!changed) return;
    if (!*changed) return journal_.OnSettingsError(changed->error().message);
    settings_.Set(**changed);
    if (loader_.only_nodes_changed()) return AnnounceNodes(***changed);
    Announce(***changed);
  }

  const ServeOptions& options_;
  SettingsLoader& loader_;
  SystemClock clock_;
  observability::Log log_;
  SnapshotCell<admission::Settings> settings_;
  observability::ServerJournal journal_;
  std::atomic<bool> listening_{false};
  std::atomic<bool> draining_{false};
  net::Server server_;
  net::HealthServer health_;
};

}  // namespace

int Serve(const ServeOptions& options) {
  GiveLargeBlocksBack();
  const Signals signals;
  net::RaiseDescriptorLimit();
  const DiskFiles files;
  SettingsLoader loader(options.engine, files, options.docs_url);
  auto settings = loader.Load();
  if (!settings) return CannotRun(settings.error());
  Service service(options, loader, *settings);
  if (Status started = service.Start(); !started) return CannotRun(started.error());
  GiveBackWhatTheStartTook(files);
  service.Run(signals);
  return kDone;
}

}  // namespace tpu_admission::app
