#include "tpu_admission/base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "tpu_admission/base/text.h"

namespace tpu_admission {
namespace {

// An open file; closed at the end, unless it is standard input.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ > STDERR_FILENO) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }

 private:
  int number_;
};

Error SystemError(const std::string& path, int code) {
  return Error{ShownPath(path) + ": " + std::generic_category().message(code),
               static_cast<std::errc>(code)};
}

Error TooLarge(const std::string& path, std::size_t max_bytes) {
  constexpr std::size_t kMib = 1 << 20;
  const std::string limit = max_bytes % kMib == 0 ? std::to_string(max_bytes / kMib) + " MiB"
                                                  : std::to_string(max_bytes) + " bytes";
  return Error{ShownPath(path) + ": is larger than " + limit, std::errc::file_too_large};
}

// The rest of what `file` is open on.
Result<std::string> ReadToEnd(const Descriptor& file, const std::string& path,
                              std::size_t max_bytes) {
  constexpr std::size_t kBlock = 64 << 10;
  std::string text;
  for (std::size_t size = 0;;) {
    text.resize(std::min(size + kBlock, max_bytes + 1));
    const ssize_t bytes = ::read(file.number(), text.data() + size, text.size() - size);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) return SystemError(path, errno);
    size += static_cast<std::size_t>(bytes);
    if (size > max_bytes) return TooLarge(path, max_bytes);
    if (bytes > 0) continue;
    text.resize(size);
    return text;
  }
}

// Whether it is a pipe with a name of its own, which may have no writer, so that opening it would
// wait for ever. Those of the shell, `<(...)`, and standard input are in /dev or /proc, and have
// one.
bool IsNamedPipe(const std::string& path) {
  struct stat status {};
  return !path.starts_with("/dev/") && !path.starts_with("/proc/") &&
         ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

Result<std::string> ReadPath(const std::string& path, std::size_t max_bytes, bool only_regular) {
  if (!only_regular && IsNamedPipe(path)) {
    return Error{ShownPath(path) +
                     ": is a pipe, wanted a file; to read it, give it to standard "
                     "input (-)",
                 std::errc::invalid_argument};
  }
  // O_NONBLOCK: opening a pipe that nobody writes to must not wait.
  const int wait = only_regular ? O_NONBLOCK : 0;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | wait));
  if (file.number() < 0) return SystemError(path, errno);
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return SystemError(path, errno);
  if (S_ISDIR(status.st_mode)) {
    return Error{ShownPath(path) + ": is a folder, wanted a file", std::errc::is_a_directory};
  }
  const bool regular = S_ISREG(status.st_mode);
  if (only_regular && !regular) {
    return Error{ShownPath(path) + ": is a pipe or device, wanted a file",
                 std::errc::invalid_argument};
  }
  if (regular && static_cast<std::size_t>(status.st_size) > max_bytes) {
    return TooLarge(path, max_bytes);
  }
  return ReadToEnd(file, path, max_bytes);
}

}  // namespace

Result<std::string> DiskFiles::Read(const std::string& path, std::size_t max_bytes) const {
  return ReadPath(path, max_bytes, true);
}

Result<std::string> DiskFiles::ReadInput(const std::string& path, std::size_t max_bytes) const {
  if (path != "-") return ReadPath(path, max_bytes, false);
  return ReadToEnd(Descriptor(STDIN_FILENO), "standard input", max_bytes);
}

}  // namespace tpu_admission
