#include "webhooks/paths.h"

#include <algorithm>

namespace tpu_admission::webhooks {
namespace {

constexpr std::string_view kIndent = "\n              ";

// The path of what is below a "[]" or "{}".
std::string_view Below(std::string_view path, std::size_t mark) {
  return mark + 3 <= path.size() ? path.substr(mark + 3) : std::string_view();
}

std::string InList(std::string_view holder, std::string_view below) {
  return ListOf(holder) + std::string(kIndent) + ".map(e, " +
         (below.empty() ? "optional.of(e)" : Steps("e", below)) + ")";
}

// CEL goes through the keys of a map, so what is at one is asked for again.
std::string InMap(std::string_view path, std::string_view holder, std::string_view below) {
  std::string plain = "object." + std::string(path);
  std::replace(plain.begin(), plain.end(), '/', '.');
  return "optional.ofNonZeroValue(" + std::string(holder) + ".orValue({})).orValue({})" +
         std::string(kIndent) + ".map(key, " + Steps(plain + "[key]", below) + ")";
}

}  // namespace

std::string Steps(std::string_view base, std::string_view path) {
  std::string steps(base);
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    steps.append(".?").append(path.substr(0, slash));
    path = slash == path.npos ? std::string_view() : path.substr(slash + 1);
  }
  return steps;
}

std::string ListOf(std::string_view optional_list) {
  return "optional.ofNonZeroValue(" + std::string(optional_list) + ".orValue([])).orValue([])";
}

Places PlacesAt(std::string_view path) {
  if (path.empty()) return {"optional.of(object)", ""};
  const std::size_t mark = path.find_first_of("[{");
  if (mark == path.npos) return {Steps("object", path), ""};
  const std::string_view before = path.substr(0, mark);
  const std::string holder = Steps("object", before);
  const std::string_view below = Below(path, mark);
  return {"", path[mark] == '[' ? InList(holder, below) : InMap(before, holder, below)};
}

}  // namespace tpu_admission::webhooks
