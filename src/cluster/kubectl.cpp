#include "tpu_admission/cluster/kubectl.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
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

using std::chrono::steady_clock;

constexpr std::size_t kMostComplaint = 2048;  // bytes of what it says on stderr

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

// A started process; killed if nobody waited for it.
class Child {
 public:
  Child(const std::string& program, std::vector<std::string> arguments, const Pipe& out,
        const Pipe& err) {
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, out.writer(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, err.writer(), STDERR_FILENO);
    error_ = ::posix_spawnp(&pid_, program.c_str(), &files, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&files);
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
  // Its exit code; nullopt: it does not end, though it has closed its output.
  std::optional<int> WaitUntil(steady_clock::time_point end) {
    while (!Wait(WNOHANG)) {
      if (steady_clock::now() >= end) return std::nullopt;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  }

 private:
  bool Wait(int options) {
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

// Reads both pipes until both end, the time is up, or `take` has had enough.
class Reading {
 public:
  Reading(Pipe& out, Pipe& err, const Kubectl::Take& take) : out_(out), err_(err), take_(take) {}

  Status Read(steady_clock::time_point end) {
    while (out_.reader() >= 0 || err_.reader() >= 0) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(end - steady_clock::now());
      if (left.count() <= 0) return TimedOut();
      std::array<pollfd, 2> waits = {pollfd{out_.reader(), POLLIN, 0},
                                     pollfd{err_.reader(), POLLIN, 0}};
      const int wait = int(std::min<long long>(left.count(), 1000));
      if (::poll(waits.data(), waits.size(), wait) <= 0) continue;
      if (waits[0].revents != 0) TPU_ADMISSION_TRY_STATUS(Next(out_, take_));
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
  Reading reading(out, err, take);
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
