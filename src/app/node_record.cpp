#include "app/node_record.h"

#include <utility>

#include "tpu_admission/base/text.h"

namespace tpu_admission::app {
namespace {

constexpr std::size_t kMaxBytes = 1 << 20;  // no ConfigMap is larger

// Whether rules would say another thing.
bool Differ(const tpu::SeenShapes* a, const tpu::SeenShapes* b) {
  if (a == nullptr || b == nullptr) return a != b;
  return a->autoscaler != b->autoscaler || a->shapes != b->shapes;
}

}  // namespace

Status CheckNodeRecord(const std::string& path, const Files& files) {
  TPU_ADMISSION_TRY(const std::string text, files.Read(path, kMaxBytes));
  if (text.empty()) return Error{ShownPath(path) + ": is empty"};
  const Result<tpu::SeenShapes> seen = tpu::SeenShapes::Load(text, path);
  return seen ? OkStatus() : Status(seen.error());
}

bool NodeRecord::Refresh(Clock::Wall now) {
  if (path_.empty()) return false;
  const std::string fault_before = std::exchange(fault_, "");
  auto known = Known(now);
  const bool changed = Differ(known.get(), shapes_.get()) || fault_ != fault_before;
  if (changed) shapes_ = std::move(known);
  return changed;
}

// Until the controller writes its first record there is no file, or an empty ConfigMap.
std::shared_ptr<const tpu::SeenShapes> NodeRecord::Known(Clock::Wall now) {
  const Result<std::string> text = files_.Read(path_, kMaxBytes);
  if (!text) {
    if (text.error().code != std::errc::no_such_file_or_directory) fault_ = text.error().message;
    return nullptr;
  }
  Result<tpu::SeenShapes> seen = tpu::SeenShapes::Load(*text, path_);
  const std::int64_t seconds = std::chrono::system_clock::to_time_t(now);
  if (!seen) {
    fault_ = seen.error().message;
  } else if (!seen->IsCurrent(seconds)) {
    fault_ = path_ +
             ": the controller has not brought it up to date for 20 minutes, or a clock is wrong";
  } else if (seen->IsSettled(seconds)) {
    return std::make_shared<const tpu::SeenShapes>(*std::move(seen));
  }
  return nullptr;
}

}  // namespace tpu_admission::app
