#include "tpu_admission/workload/pathways.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "tpu_admission/base/json_pointer.h"

namespace tpu_admission::workload {
namespace {

using k8s::JsonView;

constexpr std::string_view kManager = "--node_type=resource_manager";
constexpr std::string_view kSlices = "--instance_count=";
constexpr std::string_view kType = "--instance_type=";
// Of a JobSet, of the containers of a pod, and of the words of one; nobody writes more.
constexpr std::size_t kMostJobs = 20;
constexpr std::size_t kMostWords = 50;

std::string_view WordAt(JsonView args, std::size_t index) {
  return args.Element(index).StringOr("");
}

bool IsManager(JsonView args) {
  for (std::size_t i = 0; i < std::min(args.size(), kMostWords); ++i) {
    if (WordAt(args, i) == kManager) return true;
  }
  return false;
}

void TakeWords(JsonView args, const std::string& pointer, std::vector<PathwaysWord>& words) {
  for (std::size_t i = 0; i < std::min(args.size(), kMostWords); ++i) {
    const std::string_view word = WordAt(args, i);
    const bool is_slices = word.starts_with(kSlices);
    if (!is_slices && !word.starts_with(kType)) continue;
    const std::string_view flag = is_slices ? kSlices : kType;
    words.push_back({is_slices ? PathwaysWord::Kind::kSlices : PathwaysWord::Kind::kType,
                     PointerBelow(pointer, i), flag, word.substr(flag.size())});
  }
}

}  // namespace

std::vector<PathwaysWord> WordsToPathways(JsonView job_set) {
  std::vector<PathwaysWord> words;
  const JsonView jobs = job_set["spec"]["replicatedJobs"];
  for (std::size_t i = 0; i < std::min(jobs.size(), kMostJobs); ++i) {
    const JsonView pod = jobs.Element(i)["template"]["spec"]["template"]["spec"];
    for (const std::string_view list : {"initContainers", "containers"}) {
      const JsonView containers = pod[list];
      for (std::size_t c = 0; c < std::min(containers.size(), kMostJobs); ++c) {
        const JsonView args = containers.Element(c)["args"];
        if (!IsManager(args)) continue;
        std::string pointer = PointerBelow("/spec/replicatedJobs", i);
        pointer.append("/template/spec/template/spec/").append(list);
        TakeWords(args, PointerBelow(std::move(pointer), c) + "/args", words);
        return words;
      }
    }
  }
  return words;
}

}  // namespace tpu_admission::workload
