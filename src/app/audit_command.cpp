// `tpu-admission audit`: the scan of the cluster that it runs in, again and again.
#include <atomic>
#include <condition_variable>
#include <iostream>
#include <stop_token>
#include <thread>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/log_level.h"
#include "app/settings_loader.h"
#include "app/signals.h"
#include "tpu_admission/audit/auditor.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/base/thread_annotations.h"
#include "tpu_admission/base/version.h"
#include "tpu_admission/net/health.h"
#include "tpu_admission/observability/audit_journal.h"

namespace tpu_admission::app {
namespace {

using observability::Level;
using std::chrono::milliseconds;
using SettingsPtr = std::shared_ptr<const admission::Settings>;

constexpr milliseconds kFilePoll{10'000};
constexpr milliseconds kAfterFailure{300'000};

Result<std::unique_ptr<kube::Client>> MakeClient(const AuditOptions& options) {
  kube::ClientOptions client = options.api_server.client;
  client.user_agent = "tpu-admission/" + std::string(Version()) + " (audit)";
  client.field_manager = "tpu-admission-audit";
  client.deadline = milliseconds(60'000);
  client.attempt_deadline = milliseconds(30'000);
  client.body_bytes = audit::kMostPageBytes;
  TPU_ADMISSION_TRY(client,
                    kube::InCluster(std::move(client), options.api_server.service_account_dir));
  return kube::Client::Make(std::move(client));
}

std::chrono::seconds PatienceOf(const AuditOptions& options) {
  return std::chrono::duration_cast<std::chrono::seconds>(options.gang_patience);
}

class AuditService {
 public:
  AuditService(const AuditOptions& options, kube::Client& client, SettingsLoader& loader,
               SettingsPtr settings)
      : options_(options),
        client_(client),
        loader_(loader),
        settings_(std::move(settings)),
        log_(1, LevelOf(options.log_level)),
        journal_(log_, clock_),
        health_(options.bind_address, options.metrics_port,
                {[this] { return NotReady(); }, [this] { return journal_.MetricsText(); }}) {}

  Status Start() {
    if (Status started = health_.Start(); !started) return started;
    log_.Write(Level::kInfo, "audit started",
               {{"version", Version()}, {"metrics_port", std::to_string(health_.port())}});
    return OkStatus();
  }

  // Until a signal asks to stop. A pass under way is broken off: the next one finds what it left.
  void Run(const Signals& signals) {
    std::jthread passes([this](const std::stop_token& stop) { Passes(stop); });
    while (!signals.Wait(kFilePoll)) {
      if (auto changed = loader_.LoadIfChanged()) Take(*changed);
    }
    stopping_ = true;
    log_.Write(Level::kInfo, "shutting down");
    passes.request_stop();
    client_.Interrupt();
    passes.join();
    log_.Write(Level::kInfo, "stopped");
  }

 private:
  std::optional<std::string> NotReady() const {
    return stopping_ ? std::optional<std::string>("shutting down") : std::nullopt;
  }

  void Take(const Result<SettingsPtr>& changed) {
    if (!changed) return journal_.OnSettingsError(changed.error().message);
    const MutexLock lock(mutex_);
    settings_ = *changed;
    news_ = true;
    wake_.notify_all();
  }

  void Passes(const std::stop_token& stop) {
    audit::Auditor auditor(client_, clock_, PatienceOf(options_));
    while (!stop.stop_requested()) {
      const Clock::Mono begun = clock_.Elapsed();
      const audit::Outcome outcome = auditor.Pass(*Settings());
      if (stop.stop_requested()) return;
      journal_.OnPass(outcome, begun);
      const milliseconds wait =
          outcome.ok() ? options_.interval : std::min(options_.interval, kAfterFailure);
      MutexLock lock(mutex_);
      wake_.wait_for(lock, stop, wait, [this]() TPU_ADMISSION_REQUIRES(mutex_) { return news_; });
    }
  }

  SettingsPtr Settings() {
    const MutexLock lock(mutex_);
    news_ = false;
    return settings_;
  }

  const AuditOptions& options_;
  kube::Client& client_;
  SettingsLoader& loader_;
  Mutex mutex_;
  std::condition_variable_any wake_;
  SettingsPtr settings_ TPU_ADMISSION_GUARDED_BY(mutex_);
  bool news_ TPU_ADMISSION_GUARDED_BY(mutex_) = false;  // settings_ have not been audited by
  SystemClock clock_;
  observability::Log log_;
  observability::AuditJournal journal_;
  std::atomic<bool> stopping_{false};
  net::HealthServer health_;
};

int Tell(const audit::Outcome& outcome) {
  std::cout << outcome.objects << " objects read, " << outcome.workloads << " TPU workloads, "
            << outcome.capacity.chips << " chips\n";
  for (const auto& found : outcome.capacity.found) {
    std::cout << cluster::Word(found.waste) << ": " << found.text << '\n';
  }
  std::cout << "reports: " << (outcome.reports.empty() ? "none" : outcome.reports) << ", "
            << outcome.written << " written, " << outcome.deleted << " deleted\n";
  for (const std::string& what : outcome.unread)
    std::cout << "not judged: " << ShownLines(what) << '\n';
  for (const std::string& error : outcome.errors)
    std::cerr << "tpu-admission: " << ShownLines(error) << '\n';
  return outcome.ok() ? kDone : kCannotRun;
}

}  // namespace

int Audit(const AuditOptions& options) {
  if (options.interval < std::chrono::seconds(5)) {
    return CannotRun(Error{"--interval must be at least 5s"});
  }
  const DiskFiles files;
  SettingsLoader loader(options.engine, files);
  auto settings = loader.Load();
  if (!settings) return CannotRun(settings.error());
  auto client = MakeClient(options);
  if (!client) return CannotRun(client.error());
  const SystemClock clock;
  if (options.clean) return Tell(audit::Auditor(**client, clock).Clean());
  if (options.once)
    return Tell(audit::Auditor(**client, clock, PatienceOf(options)).Pass(**settings));
  const Signals signals;
  AuditService service(options, **client, loader, *std::move(settings));
  if (Status started = service.Start(); !started) return CannotRun(started.error());
  service.Run(signals);
  return kDone;
}

}  // namespace tpu_admission::app
