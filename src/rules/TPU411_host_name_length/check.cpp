#include <fmt/core.h>
#include <algorithm>

#include "rules/engine/host_names.h"
#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace tpu411 {

using workload::Counting;

// A DNS label (RFC 1035), and a Kubernetes label value.
constexpr std::size_t kLongestName = 63;
// The controllers add "-" and five letters to the names of pods with an index.
// https://github.com/kubernetes-sigs/jobset pkg/webhooks/jobset_webhook.go
constexpr std::size_t kRandomSuffix = 6;
// "-" and the minutes since 1970, which the CronJob controller adds to the names of its Jobs.
constexpr std::size_t kCronSuffix = 9;
// What KubeRay's ray-operator/controllers/ray/utils/constant.go allows.
constexpr std::size_t kLongestRayCluster = 53;
constexpr std::size_t kLongestRayParent = 47;

std::size_t IndexLength(std::int64_t count) { return 1 + std::to_string(count - 1).size(); }

// What follows the object's own name in the longest name made of it.
struct Longest {
  std::size_t added = 0;
  std::size_t limit = kLongestName;
  std::size_t reserved = 0;  // for what the controller adds to the names of pods alone
  std::string example = {};  // "-worker-1-3"
  bool surely = true;
  bool of_services = false;  // each pod has a Service of its own name
};

std::string Index(std::int64_t count) { return fmt::format("-{}", count - 1); }

std::optional<Longest> OfJob(const Subject& subject) {
  const workload::Scale& scale = subject.pods.scale;
  const std::int64_t pods =
      (scale.completions.written ? scale.completions.value : scale.pods.value).value_or(0);
  const std::int64_t jobs = scale.slices.value.value_or(0);
  if (!scale.indexed || pods < 1 || jobs < 1) return std::nullopt;
  if (subject.pods.row->always_indexed) {
    const std::string_view name = subject.pods.name;
    return Longest{.added = 1 + name.size() + IndexLength(jobs) + IndexLength(pods),
                   .reserved = kRandomSuffix,
                   .example = fmt::format("-{}{}{}", Printable(name), Index(jobs), Index(pods))};
  }
  if (subject.workload.kind->name != "CronJob") {
    return Longest{.added = IndexLength(pods), .example = Index(pods)};
  }
  return Longest{.added = kCronSuffix + IndexLength(pods),
                 .example = fmt::format("-29000000{}", Index(pods)),
                 .surely = false};
}

// The first pod set speaks for an object whose name is too long for any.
bool IsFirst(const Subject& subject) { return &subject.pods == &subject.workload.pod_sets[0]; }

// <job>-<type>-<index>, of pods and of their Services. An MPIJob has one Service, but its pods have
// host names; its launcher is another matter.
// https://github.com/kubeflow/training-operator pkg/core/utils.go, GenGeneralName
std::optional<Longest> OfKubeflow(const Subject& subject) {
  const bool mpi = subject.workload.kind->name == "MPIJob";
  std::optional<Longest> longest;
  for (const workload::PodSet& pods : subject.workload.pod_sets) {
    const std::int64_t count = pods.scale.pods.value.value_or(0);
    const std::string_view at = pods.scale.pointer;
    const std::string type = LowerCase(at.substr(at.rfind('/') + 1));
    if (count < 1 || workload::IsPlaceholder(type) || (mpi && type != "worker")) continue;
    const std::string example = fmt::format("-{}{}", Printable(type), Index(count));
    if (longest && longest->example.size() >= example.size()) continue;
    longest =
        Longest{.added = example.size(), .example = example, .surely = false, .of_services = !mpi};
  }
  return longest;
}

std::optional<Longest> LongestOf(const Subject& subject) {
  const workload::Scale& scale = subject.pods.scale;
  const std::int64_t pods = scale.pods.value.value_or(0);
  if (subject.workload.kind->group == "kubeflow.org") {
    return IsFirst(subject) ? OfKubeflow(subject) : std::nullopt;
  }
  switch (scale.counting) {
    case Counting::kJob:
      return OfJob(subject);
    case Counting::kReplicas:
      if (pods < 1) return std::nullopt;
      return Longest{.added = IndexLength(pods), .example = Index(pods)};
    case Counting::kGroup: {
      const std::int64_t groups = scale.slices.value.value_or(0);
      if (pods < 1 || groups < 1) return std::nullopt;
      if (pods == 1) return Longest{.added = IndexLength(groups), .example = Index(groups)};
      return Longest{.added = IndexLength(groups) + IndexLength(pods),
                     .example = Index(groups) + Index(pods)};
    }
    case Counting::kPerSlice: {
      const bool cluster = subject.workload.kind->name == "RayCluster";
      return Longest{.limit = cluster ? kLongestRayCluster : kLongestRayParent, .surely = false};
    }
    default:
      return std::nullopt;
  }
}

// What to do: the longest name that leaves room for what is added, here and by revision-label.
std::string Change(const Subject& subject, const Longest& longest) {
  const std::size_t taken = longest.added + longest.reserved;
  if (taken >= longest.limit) return "use a shorter name for the replicated job";
  const std::size_t room = longest.limit - taken;
  return fmt::format("use a name of at most {} characters",
                     std::min(room, LongestNameBeforeRevision(subject).value_or(room)));
}

void ReportRay(const Subject& subject, const Longest& longest, Report& report) {
  const std::string found = fmt::format("{} characters", subject.workload.metadata.name.size());
  const std::string limit = std::to_string(longest.limit);
  report.Add({.pointer = "/metadata/name",
              .summary = fmt::format("the name has {}, KubeRay takes at most {}", found, limit),
              .problem = fmt::format("has {}, but KubeRay takes at most {}, because it makes the "
                                     "names of Services and pods from it.",
                                     found, limit),
              .change = Change(subject, longest),
              .decision = "which name it is to have",
              .milder = Mode::kWarn});
}

void ReportPods(const Subject& subject, const Longest& longest, Report& report) {
  const std::string_view name = subject.workload.metadata.name;
  const std::size_t length = name.size() + longest.added;
  const std::string found = fmt::format("{} characters", length);
  const std::string limit = std::to_string(longest.limit);
  const std::string made = Quoted(std::string(name) + longest.example, 90);
  const bool fits = length <= longest.limit;  // but for what is reserved
  const std::string more = std::to_string(longest.reserved);
  const std::string_view what = longest.of_services ? "Service" : "pod";
  report.Add(
      {.pointer = "/metadata/name",
       .summary = fmt::format("the name leads to {} names of {}{}{} are possible", what, found,
                              fits ? fmt::format(" and {} more, ", more) : ", ", limit),
       .problem = fmt::format(
           "leads to the {} name {} with {}{}{}: the {} is never created.", what, made, found,
           fits ? fmt::format(", and JobSet adds {} more, but a name has at most ", more)
                : ", but a host name has at most ",
           limit, what),
       .change = Change(subject, longest),
       .decision = "which name it is to have",
       .milder = longest.surely && !fits ? std::nullopt : std::optional(Mode::kWarn)});
}

void Check(const Subject& subject, Report& report) {
  const std::string_view name = subject.workload.metadata.name;
  // A shorter name leaves room for whatever anyone adds.
  if (name.size() + subject.pods.name.size() < 30) return;
  if (workload::IsPlaceholder(name) || workload::IsPlaceholder(subject.pods.name)) return;
  const std::optional<Longest> longest = LongestOf(subject);
  if (!longest || name.size() + longest->added + longest->reserved <= longest->limit) return;
  if (!longest->example.empty()) return ReportPods(subject, *longest, report);
  if (IsFirst(subject)) ReportRay(subject, *longest, report);
}

}  // namespace tpu411

const Rule kTPU411 = {
    .id = "TPU411",
    .name = "host-name-length",
    .mode = Mode::kDeny,
    .judges_counts = true,
    .check = tpu411::Check,
    .is_about_names = true,
};

}  // namespace tpu_admission::rules
