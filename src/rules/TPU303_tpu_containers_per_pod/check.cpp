#include <fmt/core.h>
#include <algorithm>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "rules/engine/worker.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace tpu303 {

// The containers together are at fault, whichever of them comes second.
constexpr std::string_view kTogether = "containers";

constexpr std::int64_t kMostChips = 1'000'000;  // more than any host, and sums never overflow

// Containers that hold chips at the same time: the first that stays, and one that runs beside it.
// Init containers hand their chips on, but a sidecar before them keeps its own.
struct Holders {
  const k8s::Container* first = nullptr;
  const k8s::Container* second = nullptr;
  std::int64_t most = 0;  // chips that are held at once
};

Holders FindHolders(const k8s::PodSpec& spec) {
  Holders holders;
  std::int64_t held = 0;
  for (const k8s::Container& container : spec.containers) {
    if (!workload::UsesTpu(container)) continue;
    const std::int64_t chips = std::min(ChipsOf(container).value_or(0), kMostChips);
    holders.most = std::max(holders.most, held + chips);
    if (holders.first != nullptr && holders.second == nullptr) holders.second = &container;
    if (!container.Stays()) continue;
    held += chips;
    if (holders.first == nullptr) holders.first = &container;
  }
  return holders;
}

// `"jax" and "eval"`: those that stay, and the one that runs beside them.
std::string Names(const k8s::PodSpec& spec, const Holders& holders) {
  std::string names;
  for (const k8s::Container& container : spec.containers) {
    const bool holds = container.Stays() || &container == holders.second;
    if (!holds || !workload::UsesTpu(container)) continue;
    names += names.empty() ? "" : " and ";
    names += Quoted(container.name.empty() ? PlaceOf(container) : std::string(container.name));
  }
  return names;
}

// "let one container ask for all 4 google.com/tpu, and the others for none"
std::string OneContainer(const Subject& subject) {
  const std::vector<std::int64_t> possible = PossibleChips(subject);
  const std::string all = possible.size() == 1 ? fmt::format("all {} ", possible.front()) : "";
  return fmt::format("let one container ask for {}google.com/tpu, and the others for none", all);
}

// The accelerator is not selected, or not known: only what no generation has is wrong. Of one
// container that asks for so much chips-per-host speaks.
void CheckWithoutGeneration(const Subject& subject, const Holders& holders, Report& report) {
  const std::int64_t most = MostOfItsHosts(subject);
  const auto containers = subject.pods.pod.spec.containers;
  const bool by_itself =
      std::any_of(containers.begin(), containers.end(), [&](const k8s::Container& container) {
        return IsMoreThanItsHost(subject, ChipsOf(container).value_or(0));
      });
  if (!IsMoreThanItsHost(subject, holders.most) || by_itself) return;
  const std::string asked = Counted(holders.most, "chip");
  report.Add(
      *holders.second,
      {.summary =
           fmt::format("containers ask for {} together, {}", asked, LimitOfItsHosts(subject)),
       .problem = fmt::format(
           "is one of the containers ({}) that together ask for {}, but {}, and a pod runs on one "
           "host.",
           Names(subject.pods.pod.spec, holders), asked, NoHostHasMore(subject)),
       .change = fmt::format("let the containers of the pod share the chips of one host, "
                             "at most {}",
                             most),
       .decision = "how the containers share the chips",
       .milder = UnlessMoreThanAny(subject, holders.most),
       .of_pod = kTogether});
}

// Of three chips on hosts of four, the last stays with nobody: a pod of the same slice wants three.
void CheckRest(const Subject& subject, const Holders& holders, Report& report) {
  const std::int64_t host = LargestHost(subject);
  const std::optional<Slice> slice = subject.MultiHostSlice();
  if (holders.most == 0 || host % holders.most == 0 || !slice) return;
  if (MayRunAlone(subject.pods.pod.spec)) return;
  const std::string asked = Counted(holders.most, "chip");
  const std::string topology = slice->topology.Text();
  report.Add(
      *holders.second,
      {.summary = fmt::format("containers ask for {} of a host's {}, a {} slice uses all", asked,
                              host, topology),
       .problem =
           fmt::format("is one of the containers ({}) that together ask for {}, but a host "
                       "has {}, and such pods never use all chips of {} slice, which the "
                       "TPU runtime waits for.",
                       Names(subject.pods.pod.spec, holders), asked, host, WithArticle(topology)),
       .change = fmt::format("let the containers of the pod share {}", Counted(host, "chip")),
       .decision = "how the containers share the chips",
       .milder = Mode::kWarn,
       .of_pod = kTogether});
}

void Check(const Subject& subject, Report& report) {
  const Holders holders = FindHolders(subject.pods.pod.spec);
  if (holders.second == nullptr) return;
  if (subject.shape.generation == nullptr) return CheckWithoutGeneration(subject, holders, report);
  const std::string names = Names(subject.pods.pod.spec, holders);
  const std::string& label = subject.shape.generation->label;
  if (!subject.shape.generation->node_can_be_split()) {
    report.Add(
        *holders.second,
        {.summary = fmt::format("containers {} both ask for chips of one host", Cut(names, 60)),
         .problem = fmt::format(
             "is one of several containers that ask for google.com/tpu ({}), but on {} one "
             "container takes all chips of its host, so nothing is left for another.",
             names, label),
         .change = OneContainer(subject),
         .decision = "which container is to have the chips",
         .milder = UnlessKnown(subject.shape),
         .of_pod = kTogether});
    return;
  }
  const std::int64_t asked = holders.most;
  const std::int64_t host = LargestHost(subject);
  if (host == 0) return;
  if (asked <= host) return CheckRest(subject, holders, report);
  report.Add(
      *holders.second,
      {.summary = fmt::format("containers ask for {} together, a host of {} has {}",
                              Counted(asked, "chip"), label, host),
       .problem = fmt::format("is one of the containers ({}) that together ask for {}, but a host "
                              "of {} has {}, and a pod runs on one host.",
                              names, Counted(asked, "chip"), label, host),
       .change = fmt::format("let the containers of the pod share {}", Counted(host, "chip")),
       .decision = "how the containers share the chips",
       .milder = UnlessKnown(subject.shape),
       .of_pod = kTogether});
}

}  // namespace tpu303

const Rule kTPU303 = {
    .id = "TPU303",
    .name = "tpu-containers-per-pod",
    .mode = Mode::kDeny,
    .check = tpu303::Check,
};

}  // namespace tpu_admission::rules
