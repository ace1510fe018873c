// A review's line of the log, from the bytes of the request to those on the descriptor.
#include "tpu_admission/observability/log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "support/asker.h"
#include "support/temp_dir.h"

namespace tpu_admission::observability::log_test {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

const json kWrongPod =
    With(TpuPod(), "/spec/nodeSelector/cloud.google.com~1gke-tpu-topology", "3x3");

using admission::Endpoint;

// A pipe, of which a log writes into one end.
class Pipe {
 public:
  Pipe() { EXPECT_EQ(pipe2(ends_.data(), O_CLOEXEC), 0); }
  ~Pipe() { CloseReader(), CloseWriter(); }
  int writer() const { return ends_[1]; }
  void CloseReader() { Close(ends_[0]); }
  void CloseWriter() { Close(ends_[1]); }
  // All that was written, to its end.
  std::string Read() {
    CloseWriter();
    return ReadToEnd();
  }
  std::string ReadToEnd() const {
    std::string text;
    std::array<char, 4096> piece;
    ssize_t bytes;
    while ((bytes = read(ends_[0], piece.data(), piece.size())) > 0) {
      text.append(piece.data(), static_cast<std::size_t>(bytes));
    }
    return text;
  }

 private:
  static void Close(int& end) {
    if (end >= 0) close(end);
    end = -1;
  }
  std::array<int, 2> ends_{-1, -1};
};

bool Soon(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!holds() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return holds();
}

// What a log writes of the calls, each about the same review.
std::string Written(std::initializer_list<Log::Call> calls,
                    const Review& review = Review(kWrongPod), const std::string& policy = {}) {
  Pipe pipe;
  Asker asker({.policy = policy, .docs_url = {}, .cluster = {}});
  const Answer answer = asker.Validate(review);
  {
    Log log(pipe.writer(), Level::kInfo);
    for (const Log::Call& call : calls) log.WriteDecision(answer.record, call);
  }
  return pipe.Read();
}

TEST(DecisionLine, NamesTheTraceOfTheCall) {
  const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const json line =
      json::parse(Written({{Endpoint::kValidate, trace, std::chrono::microseconds(88)}}));
  EXPECT_EQ(line["trace_id"], trace);
  EXPECT_EQ(line["endpoint"], "/validate");
  EXPECT_EQ(line["decision"], "denied");
  EXPECT_EQ(line["duration_us"], 88);
}

TEST(DecisionLine, WithoutATraceHasNoSuchField) {
  const json line =
      json::parse(Written({{Endpoint::kValidate, "", std::chrono::microseconds(88)}}));
  EXPECT_FALSE(line.contains("trace_id")) << line;
  EXPECT_EQ(line["decision"], "denied");
}

TEST(DecisionLine, IsOneLineEach) {
  const std::string text = Written({{Endpoint::kMutate, "", {}}, {Endpoint::kValidate, "", {}}});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
}

constexpr Log::Call kCall = {Endpoint::kValidate, "", {}};

TEST(DecisionLine, TellsWhatWouldBeDenied) {
  const json sound = json::parse(Written({kCall}, Review(TpuPod()), "default: audit"));
  EXPECT_EQ(sound["decision"], "allowed");
  EXPECT_FALSE(sound.contains("would_be")) << sound;
  const json wrong = json::parse(Written({kCall}, Review(kWrongPod), "default: audit"));
  EXPECT_EQ(wrong["decision"], "would_be_denied");
  EXPECT_THAT(wrong["rules"], Contains("TPU203=audit"));
  EXPECT_THAT(wrong["would_be"], Contains("TPU203=deny"));
  const json denied = json::parse(Written({kCall}, Review(kWrongPod)));
  EXPECT_FALSE(denied.contains("would_be")) << "it is: " << denied;
}

// One object with as many faults as may be, each with a reason to ignore it.
TEST(DecisionLine, IsBounded) {
  Asker asker;
  Answer answer = asker.Validate(Review(kWrongPod));
  ASSERT_FALSE(answer.record.findings.empty());
  const std::string name(10'000, '"');
  const std::string reason(5'000, '\x01');
  answer.record.request.name = answer.record.request.uid = name;
  answer.record.request.namespace_name = answer.record.request.kind.kind = name;
  answer.record.error = name;
  answer.record.findings.resize(5'000, answer.record.findings.front());
  for (auto& judged : answer.record.findings) judged.ignored_because = reason;
  Pipe pipe;
  {
    Log log(pipe.writer(), Level::kInfo);
    log.WriteDecision(answer.record, {Endpoint::kValidate, name, {}});
  }
  const std::string text = pipe.Read();
  EXPECT_LE(text.size(), 16U * 1024);
  const json line = json::parse(text);
  ASSERT_GT(line["rules"].size(), 100U);
  EXPECT_EQ(line["rules"].back(), std::to_string(5'001 - line["rules"].size()) + " more");
  EXPECT_EQ(line["ignored"].back(), std::to_string(5'001 - line["ignored"].size()) + " more");
  EXPECT_TRUE(line.contains("error"));
}

// A terminal or a viewer of logs must not be coloured, nor its text be turned round.
TEST(DecisionLine, HasNoRawControls) {
  const json pod =
      With(With(kWrongPod, "/metadata/name", "a\u202Eb\u2028c\u0085d\u061Ce\u001b[31mf"),
           "/metadata/annotations/tpu-admission.io~1ignore", "TPU203=r\u202Er\u009Br");
  Review review(pod);
  review.Set("/request/name", "a\u202Eb\u2028c\u0085d\u061Ce\u001b[31mf");
  const std::string text = Written({kCall}, review, "ignore: true");
  for (const char* raw : {"\u202E", "\u2028", "\u0085", "\u061C", "\u009B", "\x1b"}) {
    EXPECT_THAT(text, Not(HasSubstr(raw)));
  }
  EXPECT_EQ(json::parse(text)["ignored"].size(), 1U) << text;
}

// How often the threads of this process have gone to sleep.
std::size_t TimesAsleep() {
  std::size_t times = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);) {
      constexpr std::string_view kField = "voluntary_ctxt_switches:";
      if (line.starts_with(kField)) times += std::stoul(line.substr(kField.size()));
    }
  }
  return times;
}

TEST(LogLines, NobodyWakesUpToWriteNone) {
  Pipe pipe;
  const Log log(pipe.writer(), Level::kInfo);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const std::size_t before = TimesAsleep();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_LT(TimesAsleep() - before, 8U);  // ThreadSanitizer has a thread that wakes up five times
}

TEST(LogLines, ThatNobodyCanReadAnyMoreAreCounted) {
  std::signal(SIGPIPE, SIG_IGN);
  Pipe pipe;
  pipe.CloseReader();
  Log log(pipe.writer(), Level::kInfo);
  for (int i = 0; i < 3; ++i) log.Write(Level::kInfo, "lost");
  EXPECT_TRUE(Soon([&] { return log.lines_dropped() == 3; })) << log.lines_dropped();
}

TEST(LogLines, ForWhichThereIsNoSpaceAreCounted) {
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  {
    Log log(full, Level::kInfo);
    log.Write(Level::kDebug, "not at this level");
    for (int i = 0; i < 3; ++i) log.Write(Level::kInfo, "lost");
    EXPECT_TRUE(Soon([&] { return log.lines_dropped() == 3; })) << log.lines_dropped();
  }
  close(full);
}

TEST(LogLines, AStuckPipeLosesNothingButWhatIsCounted) {
  Pipe pipe;
  std::string text;
  std::size_t dropped = 0;
  std::thread reader;
  {
    Log log(pipe.writer(), Level::kInfo);
    const std::string value(500, 'x');
    for (int i = 0; i < 6'000; ++i) log.Write(Level::kInfo, "line", {{"value", value}});
    dropped = log.lines_dropped();
    reader = std::thread([&] { text = pipe.ReadToEnd(); });
  }
  pipe.CloseWriter();
  reader.join();
  EXPECT_GT(dropped, 1'000U);
  EXPECT_EQ(std::size_t(std::count(text.begin(), text.end(), '\n')) + dropped, 6'000U);
}

// A disk that was full and has space again.
TEST(LogLines, ATornLineEndsBeforeTheNextBegins) {
  std::signal(SIGXFSZ, SIG_IGN);
  const support::TempDir folder;
  const std::string path = folder / "log";
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{100, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  {
    Log log(file, Level::kInfo);
    log.Write(Level::kInfo, "torn", {{"value", std::string(200, 'x')}});
    EXPECT_TRUE(Soon([&] { return log.lines_dropped() == 1; }));
    setrlimit(RLIMIT_FSIZE, &before);
    log.Write(Level::kInfo, "whole");
  }
  close(file);
  std::stringstream written;
  written << std::ifstream(path).rdbuf();
  const std::string text = written.str();
  ASSERT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
  EXPECT_EQ(json::parse(text.substr(text.find('\n')))["msg"], "whole");
}

}  // namespace
}  // namespace tpu_admission::observability::log_test
