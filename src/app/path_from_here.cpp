#include "app/path_from_here.h"

#include <filesystem>

namespace tpu_admission::app {
namespace {

namespace fs = std::filesystem;

bool LeadsAbove(const fs::path& path) { return !path.empty() && *path.begin() == ".."; }

}  // namespace

std::string PathFromHere(const std::string& path) {
  if (path == "-" || path.empty()) return path;
  std::error_code error;
  const fs::path here = fs::current_path(error);
  const fs::path below = (here / path).lexically_normal().lexically_relative(here);
  const bool is_below = !error && !here.empty() && !below.empty() && !LeadsAbove(below);
  std::string plain = (is_below ? below : fs::path(path).lexically_normal()).string();
  if (plain == path) return path;
  const bool is_there = fs::exists(path, error);
  return is_there && !fs::equivalent(path, plain, error) ? path : plain;
}

std::string PathInDiff(const std::string& path) {
  const fs::path plain = PathFromHere(path);
  if (plain.is_relative() && !LeadsAbove(plain)) return plain.string();
  std::error_code error;
  return fs::absolute(plain, error).lexically_normal().relative_path().string();
}

}  // namespace tpu_admission::app
