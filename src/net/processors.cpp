#include "tpu_admission/net/processors.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tpu_admission/base/text.h"

namespace tpu_admission::net {
namespace {

constexpr std::size_t kMaxTextBytes = 64 << 10;
constexpr std::string_view kMount = "/sys/fs/cgroup";

std::string FirstLine(const Files& files, const std::string& path) {
  const Result<std::string> text = files.Read(path, kMaxTextBytes);
  return text ? text->substr(0, text->find('\n')) : "";
}

// "max", "-1" and what is no number are no limit.
std::optional<std::int64_t> Positive(std::string_view text) {
  const auto number = WholeNumber(text);
  return number.value_or(0) > 0 ? number : std::nullopt;
}

std::int64_t Whole(std::string_view quota_text, std::string_view period_text, std::int64_t most) {
  const auto quota = Positive(quota_text);
  const auto period = Positive(period_text);
  return quota && period ? std::min(most, (*quota - 1) / *period + 1) : most;
}

// "50000 100000"
std::int64_t ByVersion2(const Files& files, const std::string& group, std::int64_t most) {
  const std::string line = FirstLine(files, group + "/cpu.max");
  std::string_view rest = line;
  const std::string_view quota = TakeUntil(rest, ' ');
  return Whole(quota, rest, most);
}

std::int64_t ByVersion1(const Files& files, const std::string& group, std::int64_t most) {
  return Whole(FirstLine(files, group + "/cpu.cfs_quota_us"),
               FirstLine(files, group + "/cpu.cfs_period_us"), most);
}

bool Names(std::string_view controllers, std::string_view wanted) {
  while (!controllers.empty()) {
    if (TakeUntil(controllers, ',') == wanted) return true;
  }
  return false;
}

using ByGroup = std::int64_t (*)(const Files&, const std::string&, std::int64_t);

// The least of `path` below `mount` and of all groups around it. In a container the path may be
// that of the host, where the mount shows the container's own group: then that is what is found.
std::int64_t Least(const Files& files, const std::string& mount, std::string_view path, ByGroup by,
                   std::int64_t most) {
  while (path.size() > 1) {
    most = by(files, mount + std::string(path), most);
    path = path.substr(0, std::min(path.rfind('/'), path.size() - 1));
  }
  return by(files, mount, most);
}

// A line of /proc/self/cgroup: "0::/a/b", or "4:cpu,cpuacct:/a/b".
std::int64_t ByLine(const Files& files, std::string_view line, std::int64_t most) {
  TakeUntil(line, ':');
  const std::string_view controllers = TakeUntil(line, ':');
  const std::string mount(kMount);
  if (controllers.empty()) {
    most = Least(files, mount + "/unified", line, ByVersion2, most);
    return Least(files, mount, line, ByVersion2, most);
  }
  if (!Names(controllers, "cpu")) return most;
  most = Least(files, mount + "/cpu", line, ByVersion1, most);
  return Least(files, mount + "/" + std::string(controllers), line, ByVersion1, most);
}

}  // namespace

int AllowedProcessors() {
  constexpr std::size_t kMost = 8192;  // of Linux
  std::array<cpu_set_t, kMost / CPU_SETSIZE> set{};
  if (sched_getaffinity(0, sizeof set, set.data()) != 0) return 1;
  return std::max(1, CPU_COUNT_S(sizeof set, set.data()));
}

int UsableProcessors(const Files& files, int allowed) {
  std::int64_t usable = allowed;
  const Result<std::string> groups = files.Read("/proc/self/cgroup", kMaxTextBytes);
  std::string_view rest = groups ? std::string_view(*groups) : std::string_view();
  while (!rest.empty()) usable = ByLine(files, TakeUntil(rest, '\n'), usable);
  return static_cast<int>(std::max<std::int64_t>(1, usable));
}

}  // namespace tpu_admission::net
