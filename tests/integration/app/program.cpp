#include "integration/app/program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "support/temp_dir.h"

namespace tpu_admission::support {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

const std::string kBinary = TPU_ADMISSION_BINARY_DIR "/tpu-admission";

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Starts the binary with the standard streams in files.
pid_t Start(std::vector<std::string> arguments, const Environment& environment,
            const std::string& in, const std::string& out, const std::string& err,
            const std::string& folder = "") {
  arguments.insert(arguments.begin(), kBinary);
  std::vector<std::string> variables = {"PATH=/usr/bin:/bin"};
  for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
  for (const char* kept : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"}) {
    if (const char* value = getenv(kept)) variables.push_back(std::string(kept) + "=" + value);
  }
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, in.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&files, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (!folder.empty()) posix_spawn_file_actions_addchdir_np(&files, folder.c_str());
  pid_t pid = -1;
  const int error = posix_spawn(&pid, kBinary.c_str(), &files, nullptr, Pointers(arguments).data(),
                                Pointers(variables).data());
  posix_spawn_file_actions_destroy(&files);
  EXPECT_EQ(error, 0) << "cannot start " << kBinary;
  return error == 0 ? pid : -1;
}

std::optional<int> Wait(pid_t pid, milliseconds limit) {
  const auto until = steady_clock::now() + limit;
  int status = 0;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (steady_clock::now() > until) return std::nullopt;
    std::this_thread::sleep_for(milliseconds(5));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::uint16_t PortIn(const std::string& log, const std::string& name) {
  const std::string key = "\"" + name + "\":\"";  // the value is a string of digits
  const std::size_t at = log.find(key);
  if (at == log.npos) return 0;
  return static_cast<std::uint16_t>(std::strtoul(log.c_str() + at + key.size(), nullptr, 10));
}

}  // namespace

Ended RunToEnd(const std::vector<std::string>& arguments, const Environment& environment,
               const std::string& input, const std::string& folder) {
  TempDir directory;
  const std::string in = directory / "in";
  const std::string out = directory / "out";
  const std::string err = directory / "err";
  std::ofstream(in) << input;
  const pid_t pid = Start(arguments, environment, in, out, err, folder);
  const std::optional<int> code = Wait(pid, milliseconds(20'000));
  if (!code) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  EXPECT_TRUE(code) << "it did not end";
  return {code.value_or(-1), ReadText(out), ReadText(err)};
}

Serving::Serving(std::vector<std::string> arguments, const std::string& command) {
  log_path_ = ::testing::TempDir() + "serving-" + std::to_string(getpid()) + "-" +
              std::to_string(steady_clock::now().time_since_epoch().count());
  std::vector<std::string> ports = {command, "--bind-address", "127.0.0.1", "--metrics-port", "0"};
  if (command == "serve") ports.insert(ports.end(), {"--secure-port", "0"});
  arguments.insert(arguments.begin(), ports.begin(), ports.end());
  pid_ = Start(arguments, {}, "/dev/null", log_path_, log_path_ + ".err");
  WaitForLog("\"metrics_port\"");
  secure_port_ = PortIn(Log(), "secure_port");
  metrics_port_ = PortIn(Log(), "metrics_port");
}

Serving::~Serving() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  std::filesystem::remove(log_path_);
  std::filesystem::remove(log_path_ + ".err");
}

void Serving::Signal(int signal) const { kill(pid_, signal); }

std::optional<int> Serving::WaitForEnd(milliseconds limit) {
  const std::optional<int> code = Wait(pid_, limit);
  if (code) pid_ = -1;
  return code;
}

std::string Serving::Log() const { return ReadText(log_path_); }

bool Serving::WaitForLog(const std::string& text) const {
  for (int i = 0; i < 1500; ++i) {
    if (Log().find(text) != std::string::npos) return true;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return false;
}

}  // namespace tpu_admission::support
