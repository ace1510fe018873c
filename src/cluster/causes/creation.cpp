// Events of controllers that could not make pods, or the objects that make them.
#include <algorithm>

#include "cluster/causes/causes.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::cluster {
namespace {

// FailedCreate of the controllers of Kubernetes and LeaderWorkerSet, JobCreationFailed of JobSet,
// FailedToCreateHeadPod and the like of KubeRay.
bool IsFailure(const EventFacts& event) {
  return event.reason == "FailedCreate" || Has(event.reason, "CreationFailed") ||
         Has(event.reason, "FailedToCreate");
}

// JobSet refuses the pods of a slice until their leader has a place, and makes them then.
bool WaitsForLeader(const EventFacts& event) { return Has(event.message, "leader pod not yet"); }

bool MissesPods(const Snapshot& s) {
  const auto workers = s.workers();
  const auto there = std::count_if(workers.begin(), workers.end(), [](const PodFacts* pod) {
    return !pod->being_deleted && !pod->done();
  });
  const std::int64_t wanted = s.wanted_pods();
  return wanted > 0 ? there + s.ended_workers() < wanted : there == 0;
}

// The last failure, if it has these words and its controller has made nothing since.
const EventFacts* Failure(const Snapshot& s, const std::vector<std::string_view>& words) {
  if (!MissesPods(s) || s.object.kind == "Pod") return nullptr;
  const EventFacts* last = LastEvent(
      s, [](const EventFacts& event) { return IsFailure(event) && !WaitsForLeader(event); });
  if (last == nullptr || !std::all_of(words.begin(), words.end(), [&](std::string_view word) {
        return Has(last->message, word);
      })) {
    return nullptr;
  }
  const EventFacts* made = LastEvent(s, [&](const EventFacts& event) {
    return event.uid == last->uid && event.reason == "SuccessfulCreate";
  });
  return made == nullptr || made->last <= last->last ? last : nullptr;
}

std::optional<Found> Refused(const Snapshot& s, const std::vector<std::string_view>& words,
                             const std::string& text) {
  const EventFacts* event = Failure(s, words);
  if (event == nullptr) return std::nullopt;
  return Found{text, {Say(*event)}};
}

// The text between the first two double quotes.
std::string FirstQuoted(const std::string& text) {
  const std::size_t begin = text.find('"');
  const std::size_t end = begin == text.npos ? text.npos : text.find('"', begin + 1);
  return end == text.npos ? "" : text.substr(begin + 1, end - begin - 1);
}

}  // namespace

std::optional<Found> FindWebhookRefusal(const Snapshot& s) {
  const EventFacts* event = Failure(s, {"admission webhook", "denied the request"});
  if (event == nullptr) return std::nullopt;
  const std::size_t at = event->message.find("admission webhook");
  return Found{"the admission webhook " + Quoted(FirstQuoted(event->message.substr(at)), 253) +
                   " refuses its pods",
               {Say(*event)}};
}

std::optional<Found> FindResourceQuota(const Snapshot& s) {
  return Refused(s, {"exceeded quota"}, "a ResourceQuota of its namespace refuses its pods");
}

std::optional<Found> FindPodSecurity(const Snapshot& s) {
  return Refused(s, {"violates PodSecurity"},
                 "the Pod Security level of its namespace refuses its pods");
}

std::optional<Found> FindServiceAccount(const Snapshot& s) {
  return Refused(s, {"serviceaccount", "not found"}, "its service account does not exist");
}

std::optional<Found> FindPodsRefused(const Snapshot& s) {
  return Refused(s, {}, "the API server refuses what its controller wants to make");
}

std::optional<Found> FindNoController(const Snapshot& s) {
  const bool whole = s.pods_known && s.events_known && s.left_out == 0;
  const bool waits = s.suspended || s.paused || !s.managed_by.empty() || s.object.RunsBySchedule();
  if (!whole || waits || s.object.kind == "Pod") return std::nullopt;
  if (s.owners.size() > 1 || !s.pods.empty() || !s.events.empty()) return std::nullopt;
  if (!s.conditions.empty() || !s.outcome.empty()) return std::nullopt;
  return Found{"nobody has made its pods: the controller of " + s.object.kind +
                   " does not run, or has not seen it yet",
               {s.object.Title() + " has no pods, no events and no conditions"}};
}

}  // namespace tpu_admission::cluster
