#include "tpu_admission/observability/log.h"

#include <poll.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tpu_admission/base/json_string.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::observability {
namespace {

constexpr std::size_t kMaxWaiting = 1 << 20;
constexpr std::chrono::milliseconds kFlushEvery{50};
constexpr std::chrono::milliseconds kLastFlush{1000};
constexpr std::size_t kMaxValueBytes = 512;

spdlog::level::level_enum SpdlogLevel(Level level) {
  static constexpr std::array kLevels = {spdlog::level::debug, spdlog::level::info,
                                         spdlog::level::warn, spdlog::level::err};
  return kLevels[static_cast<std::size_t>(level)];
}

std::string_view Name(Level level) {
  static constexpr std::array<std::string_view, 4> kNames = {"debug", "info", "warning", "error"};
  return kNames[static_cast<std::size_t>(level)];
}

void AppendDigits(std::string& line, unsigned number, int width) {
  const std::size_t start = line.size();
  line.append(static_cast<std::size_t>(width), '0');
  for (std::size_t i = line.size(); i > start; number /= 10) {
    line[--i] = static_cast<char>('0' + number % 10);
  }
}

// RFC 3339 in UTC with milliseconds. By hand: strftime costs as much as the rest of the line.
void AppendTime(std::string& line) {
  using namespace std::chrono;
  const auto now = floor<milliseconds>(system_clock::now());
  const auto day = floor<days>(now);
  const year_month_day date(day);
  const hh_mm_ss time(now - day);
  const std::pair<unsigned, char> parts[] = {{unsigned(int(date.year())), '-'},
                                             {unsigned(date.month()), '-'},
                                             {unsigned(date.day()), 'T'},
                                             {unsigned(time.hours().count()), ':'},
                                             {unsigned(time.minutes().count()), ':'},
                                             {unsigned(time.seconds().count()), '.'}};
  for (const auto& [number, after] : parts) {
    AppendDigits(line, number, after == '-' && number > 99 ? 4 : 2);
    line += after;
  }
  AppendDigits(line, unsigned(time.subseconds().count()), 3);
  line += 'Z';
}

void AppendField(std::string& line, std::string_view name, std::string_view value) {
  line.append(",\"").append(name).append("\":");
  if (value.size() <= kMaxValueBytes) {
    AppendJsonString(line, value);
  } else {
    AppendJsonString(line, Cut(value, kMaxValueBytes));
  }
}

std::string Begin(Level level, std::string_view message) {
  std::string line;
  line.reserve(512);
  line += "{\"time\":\"";
  AppendTime(line);
  line.append("\",\"level\":\"").append(Name(level)).append("\",\"msg\":");
  AppendJsonString(line, message);
  return line;
}

// `"rules":["<id>=deny"]`
void AppendRules(std::string& line, const std::vector<admission::JudgedFinding>& findings) {
  line += ",\"rules\":[";
  for (std::size_t i = 0; i < findings.size(); ++i) {
    line.append(i > 0 ? ",\"" : "\"").append(findings[i].finding.rule->id).append("=");
    line.append(rules::Name(findings[i].mode)).append("\"");
  }
  line += ']';
}

// `"ignored":["<id>=our zone is new"]`, if there is any.
void AppendIgnored(std::string& line, const std::vector<admission::JudgedFinding>& findings) {
  constexpr std::size_t kReasonBytes = 200;
  bool first = true;
  for (const admission::JudgedFinding& judged : findings) {
    if (judged.ignored_because.empty()) continue;
    line += first ? ",\"ignored\":[" : ",";
    first = false;
    AppendJsonString(line, std::string(judged.finding.rule->id) + "=" +
                               Cut(judged.ignored_because, kReasonBytes));
  }
  if (!first) line += ']';
}

}  // namespace

// spdlog's own asynchronous logger wakes a thread per line (5.9 us of CPU); this one does not.
class Log::BatchingSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit BatchingSink(int descriptor) : descriptor_(descriptor), writer_([this] { Run(); }) {}
  ~BatchingSink() override {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_one();
    writer_.join();
  }

  std::size_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (waiting_.size() + message.payload.size() > kMaxWaiting) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    waiting_.append(message.payload.data(), message.payload.size());
    waiting_ += '\n';
  }
  void flush_() override {}

 private:
  void Run() {
    std::string batch;
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      wake_.wait_for(lock, kFlushEvery);
      batch.swap(waiting_);
      lock.unlock();
      WriteOut(batch, kFlushEvery);
      lock.lock();
      if (!batch.empty()) waiting_.insert(0, batch);  // a stuck pipe: try again
      batch.clear();
    }
    WriteOut(waiting_, kLastFlush);
  }

  // Removes from `text` what could be written within `patience`.
  void WriteOut(std::string& text, std::chrono::milliseconds patience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    std::size_t done = 0;
    while (done < text.size() && WaitUntilWritable(deadline)) {
      // PIPE_BUF at a time: what poll() promises not to block.
      const std::size_t chunk = std::min<std::size_t>(text.size() - done, PIPE_BUF);
      const ssize_t written = write(descriptor_, text.data() + done, chunk);
      if (written > 0) {
        done += static_cast<std::size_t>(written);
      } else if (errno != EINTR && errno != EAGAIN) {
        done = text.size();  // nobody will ever read it
      }
    }
    text.erase(0, done);
  }

  bool WaitUntilWritable(std::chrono::steady_clock::time_point deadline) const {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd ready{descriptor_, POLLOUT, 0};
    return left.count() >= 0 && poll(&ready, 1, static_cast<int>(left.count())) > 0;
  }

  const int descriptor_;
  std::string waiting_;  // mutex_
  bool stopping_ = false;
  std::atomic<std::size_t> dropped_{0};
  std::condition_variable wake_;
  std::thread writer_;
};

struct Log::State {
  State(int descriptor, Level level)
      : sink(std::make_shared<BatchingSink>(descriptor)), logger("tpu-admission", sink) {
    logger.set_level(SpdlogLevel(level));
  }
  std::shared_ptr<BatchingSink> sink;
  spdlog::logger logger;
};

Log::Log(int descriptor, Level level) : state_(std::make_unique<State>(descriptor, level)) {}
Log::~Log() = default;

std::size_t Log::lines_dropped() const { return state_->sink->dropped(); }

void Log::Write(Level level, std::string_view message, Fields fields) {
  if (!state_->logger.should_log(SpdlogLevel(level))) return;
  std::string line = Begin(level, message);
  for (const auto& [name, value] : fields) AppendField(line, name, value);
  state_->logger.log(SpdlogLevel(level), spdlog::string_view_t(line + '}'));
}

void Log::WriteDecision(const admission::Record& record, const Call& call) {
  if (!state_->logger.should_log(spdlog::level::info)) return;
  const k8s::AdmissionRequest& request = record.request;
  std::string line = Begin(Level::kInfo, "decision");
  const bool mutates = call.endpoint == admission::Endpoint::kMutate;
  AppendField(line, "endpoint", mutates ? "/mutate" : "/validate");
  AppendField(line, "uid", request.uid);
  if (!call.trace_id.empty()) AppendField(line, "trace_id", call.trace_id);
  AppendField(line, "kind", request.kind.kind);
  AppendField(line, "namespace", request.namespace_name);
  AppendField(line, "name", request.name);
  if (request.name.empty()) {
    AppendField(line, "generate_name", request.object["metadata"]["generateName"].StringOr(""));
  }
  AppendField(line, "operation", Name(request.operation));
  AppendField(line, "decision", Name(record.outcome));
  AppendRules(line, record.findings);
  AppendIgnored(line, record.findings);
  line.append(",\"dry_run\":").append(request.dry_run ? "true" : "false");
  line.append(",\"duration_us\":").append(std::to_string(call.duration.count() / 1000));
  if (!record.error.empty()) AppendField(line, "error", record.error);
  line += '}';
  state_->logger.log(spdlog::level::info, spdlog::string_view_t(line));
}

}  // namespace tpu_admission::observability
