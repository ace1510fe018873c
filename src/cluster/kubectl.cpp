#include "tpu_admission/cluster/kubectl.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <system_error>
#include <thread>

#include "tpu_admission/base/text.h"

namespace tpu_admission::cluster {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kMostComplaint = 2048;  // bytes of what it says on stderr
constexpr milliseconds kLook{50};             // how often to look whether it has ended
constexpr milliseconds kOnItsWay{1000};       // from one piece to the next, after its end

Error SystemError(const std::string& what, int code) {
  return Error{what + ": " + std::generic_category().message(code), static_cast<std::errc>(code)};
}

// Both ends are closed at the end, and in the child unless it was given one.
class Pipe {
 public:
  Pipe() { error_ = ::pipe2(ends_.data(), O_CLOEXEC) == 0 ? 0 : errno; }
  ~Pipe() {
    CloseWriter();
    CloseReader();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int error() const { return error_; }
  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void CloseReader() { Close(ends_[0]); }
  void CloseWriter() { Close(ends_[1]); }

 private:
  static void Close(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
  std::array<int, 2> ends_ = {-1, -1};
  int error_ = 0;
};

// In a new process, that of `parent`: what it was made for. Ends with what cannot be done, by
// `fault`.
[[noreturn]] void Become(char* const* arguments, const char* program, const Pipe& out,
                         const Pipe& err, pid_t parent, int fault) {
  // It ends with us, however we end. We may have ended already.
  const bool ends_with_us = ::prctl(PR_SET_PDEATHSIG, SIGTERM) == 0;
  if (ends_with_us && ::getppid() != parent) ::_exit(1);
  const bool has_output =
      ::dup2(out.writer(), STDOUT_FILENO) >= 0 && ::dup2(err.writer(), STDERR_FILENO) >= 0;
  if (has_output) ::execvp(program, arguments);
  const int code = errno;
  [[maybe_unused]] const ssize_t told = ::write(fault, &code, sizeof code);
  ::_exit(127);
}

// A started process; killed if nobody waited for it, or if the thread that started it ends.
class Child {
 public:
  Child(const std::string& program, std::vector<std::string> arguments, const Pipe& out,
        const Pipe& err) {
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    Pipe fault;  // closed by a program that begins
    if ((error_ = fault.error()) != 0) return;
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0) Become(pointers.data(), program.c_str(), out, err, parent, fault.writer());
    if (pid_ < 0) error_ = errno;
    fault.CloseWriter();
    if (error_ != 0) return;
    ssize_t bytes = 0;
    while ((bytes = ::read(fault.reader(), &error_, sizeof error_)) < 0 && errno == EINTR) {
    }
    if (bytes > 0) Wait(0);
  }
  ~Child() {
    if (error_ == 0 && !ended_) {
      ::kill(pid_, SIGKILL);
      Wait(0);
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int error() const { return error_; }
  bool HasEnded() { return Wait(WNOHANG); }
  // Its exit code; nullopt: it does not end, though it has closed its output.
  std::optional<int> WaitUntil(steady_clock::time_point end) {
    while (!HasEnded()) {
      if (steady_clock::now() >= end) return std::nullopt;
      std::this_thread::sleep_for(milliseconds(5));
    }
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  }

 private:
  bool Wait(int options) {
    if (ended_) return true;
    pid_t waited = 0;
    while ((waited = ::waitpid(pid_, &status_, options)) < 0 && errno == EINTR) {
    }
    ended_ = waited != 0;
    return ended_;
  }

  int status_ = 0;
  pid_t pid_ = -1;
  int error_ = 0;
  bool ended_ = false;
};

Error TimedOut() { return Error{"", std::errc::timed_out}; }

// Reads both pipes until both end, the time is up, or `take` has had enough. What the child has
// started may keep them open: once it has ended, nobody waits for more than is on its way.
class Reading {
 public:
  Reading(Child& child, Pipe& out, Pipe& err, const Kubectl::Take& take)
      : child_(child), out_(out), err_(err), take_(take) {}

  Status Read(steady_clock::time_point end) {
    auto last = steady_clock::time_point::max();  // piece of output; or the end of the child
    while (out_.reader() >= 0 || err_.reader() >= 0) {
      const auto now = steady_clock::now();
      if (now >= end) return TimedOut();
      if (child_.HasEnded()) last = std::min(last, now);
      if (now - kOnItsWay > last) return OkStatus();
      std::array<pollfd, 2> waits = {pollfd{out_.reader(), POLLIN, 0},
                                     pollfd{err_.reader(), POLLIN, 0}};
      const auto wait =
          std::chrono::ceil<milliseconds>(std::min<steady_clock::duration>(end - now, kLook));
      if (::poll(waits.data(), waits.size(), int(wait.count())) <= 0) continue;
      if (waits[0].revents != 0) {
        last = steady_clock::time_point::max();
        TPU_ADMISSION_TRY_STATUS(Next(out_, take_));
      }
      if (waits[1].revents != 0) {
        TPU_ADMISSION_TRY_STATUS(Next(err_, [this](std::string_view piece) {
          complaint_ += piece.substr(0, kMostComplaint - complaint_.size());
          return OkStatus();
        }));
      }
    }
    return OkStatus();
  }
  const std::string& complaint() const { return complaint_; }

 private:
  Status Next(Pipe& pipe, const Kubectl::Take& take) {
    const ssize_t bytes = ::read(pipe.reader(), block_.data(), block_.size());
    if (bytes > 0) return take({block_.data(), std::size_t(bytes)});
    if (bytes == 0 || errno != EINTR) pipe.CloseReader();
    return OkStatus();
  }

  Child& child_;
  Pipe& out_;
  Pipe& err_;
  const Kubectl::Take& take_;
  std::array<char, 64 << 10> block_;
  std::string complaint_;
};

// "Error from server (NotFound): jobs.batch "train" not found", or a kind that is not served.
bool SaysNotFound(std::string_view complaint) {
  return complaint.find("(NotFound)") != complaint.npos ||
         complaint.find("doesn't have a resource type") != complaint.npos;
}

// A line of its log: "E1122 06:19:37.828407 ...". What is for people stands below.
bool IsLog(std::string_view line) {
  return line.size() > 5 && std::string_view("EWIF").find(line[0]) != line.npos &&
         std::all_of(line.begin() + 1, line.begin() + 5,
                     [](char c) { return '0' <= c && c <= '9'; });
}

// What it says to people, in one line; all it says if that is nothing.
std::string ForPeople(std::string_view complaint) {
  std::string said;
  for (std::string_view rest = complaint; !rest.empty();) {
    const std::string_view line = TakeUntil(rest, '\n');
    if (line.empty() || IsLog(line)) continue;
    said.append(said.empty() ? "" : " ").append(line);
  }
  return Printable(said.empty() ? complaint : said, kMostComplaint);
}

}  // namespace

Status KubectlProgram::Run(const std::vector<std::string>& arguments, const Take& take) {
  std::vector<std::string> all = {options_.program};
  all.insert(all.end(), options_.arguments.begin(), options_.arguments.end());
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::string title = options_.program;
  for (const std::string& argument : arguments) title += " " + argument;
  title = Printable(title, 200);
  Pipe out;
  Pipe err;
  if (out.error() != 0 || err.error() != 0) return SystemError(title, EMFILE);
  Child child(options_.program, all, out, err);
  if (child.error() != 0) {
    Error error = SystemError(options_.program, child.error());
    error.message += "; install kubectl, or name it by --kubectl";
    error.code = {};
    return error;
  }
  out.CloseWriter();
  err.CloseWriter();
  Reading reading(child, out, err, take);
  const auto end = steady_clock::now() + options_.timeout;
  Status status = reading.Read(end);
  if (!status && status.error().code != std::errc::timed_out) return status;
  const std::optional<int> code = status ? child.WaitUntil(end) : std::nullopt;
  if (!code) {
    const std::string said = ForPeople(reading.complaint());
    return Error{title + ": has not ended in time (--timeout)" + (said.empty() ? "" : ": " + said),
                 std::errc::timed_out};
  }
  if (*code != 0) {
    std::string complaint = ForPeople(reading.complaint());
    if (complaint.empty()) complaint = "ended with " + std::to_string(*code);
    return Error{title + ": " + complaint,
                 SaysNotFound(complaint) ? std::errc::no_such_file_or_directory : std::errc{}};
  }
  return OkStatus();
}

Result<std::string> Output(Kubectl& kubectl, const std::vector<std::string>& arguments,
                           std::size_t max_bytes) {
  std::string output;
  TPU_ADMISSION_TRY_STATUS(kubectl.Run(arguments, [&](std::string_view piece) -> Status {
    if (output.size() + piece.size() > max_bytes) {
      return Error{"kubectl prints more than " + std::to_string(max_bytes >> 20) + " MiB",
                   std::errc::file_too_large};
    }
    output += piece;
    return OkStatus();
  }));
  return output;
}

}  // namespace tpu_admission::cluster
