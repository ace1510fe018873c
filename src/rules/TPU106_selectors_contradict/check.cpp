#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace {

void Check(const Subject& subject, Report& report) {
  const workload::NodeSelection& nodes = subject.pods.nodes;
  if (!nodes.contradiction || nodes.one_value.empty()) return;
  const std::string key(Key(nodes.contradicting));
  const std::string one = Quoted(nodes.one_value);
  const std::string other = Quoted(nodes.other_value);
  report.Add({.pointer = subject.AtSpec("/affinity/nodeAffinity"),
              .summary = fmt::format("{} must be {} and {} at once", key, one, other),
              .problem = fmt::format("asks for {} {} where {} is asked for as well. A node has one "
                                     "value of a label, so no node can ever match.",
                                     key, other, one),
              .change = fmt::format("keep one of the two values of {}", key)});
}

}  // namespace

const Rule kTPU106 = {
    .id = "TPU106",
    .name = "selectors-contradict",
    .mode = Mode::kDeny,
    .check = Check,
    .audience = kNodeSelectors,
};

}  // namespace tpu_admission::rules
