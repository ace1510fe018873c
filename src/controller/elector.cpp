#include "tpu_admission/controller/elector.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <utility>

#include "controller/json.h"

namespace tpu_admission::controller {
namespace {

using kube::Outcome;
using std::chrono::milliseconds;

// A MicroTime of the API: RFC 3339 with six digits of a second.
std::string MicroTime(Clock::Wall time) {
  const auto since = std::chrono::floor<std::chrono::microseconds>(time.time_since_epoch());
  std::array<char, 16> fraction;
  std::snprintf(fraction.data(), fraction.size(), ".%06dZ",
                static_cast<int>((since % std::chrono::seconds(1)).count()));
  std::string text = UtcText(time);
  text.pop_back();
  return text + fraction.data();
}

// A count of the API (32 bits, not negative), of which there can be one more; what is none is 0.
int CountAt(const Json& object, std::string_view pointer) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() - 1;
  const Json& value = At(object, pointer);
  return value.is_number_integer()
             ? static_cast<int>(std::clamp<std::int64_t>(value.get<std::int64_t>(), 0, kMost))
             : 0;
}

}  // namespace

Elector::Elector(kube::Api& api, kube::ObjectPath lease, std::string identity, ElectionTimes times,
                 const Clock& clock, Observer& observer)
    : api_(api),
      path_(std::move(lease)),
      identity_(std::move(identity)),
      times_(times),
      clock_(clock),
      observer_(observer) {}

bool Elector::leading() const { return clock_.Elapsed() < leading_until_.load(); }
bool Elector::in_contact() const { return clock_.Elapsed() < in_contact_until_.load(); }

void Elector::Step() {
  // Who leads renews what it wrote last, without reading first; anybody else's change is a
  // conflict.
  const bool renewed = leading() && seen_.holder == identity_ && Write(/*release=*/false);
  if (!renewed && Read() && MayTake()) Write(/*release=*/false);
  Tell();
}

void Elector::Release() {
  if (seen_.holder == identity_ && Read() && seen_.holder == identity_) Write(/*release=*/true);
  leading_until_ = Clock::Mono::min();
  Tell();
}

bool Elector::Read() {
  const Clock::Mono start = clock_.Elapsed();
  const kube::Answer answer = api_.Get(path_);
  if (answer.outcome == Outcome::kNotFound) {
    LeadWithoutLease(start);
    return false;
  }
  if (!answer.ok()) {
    observer_.OnError(Operation::kElect, answer.error);
    return false;
  }
  missing_since_.reset();
  in_contact_until_ = start + times_.renew_deadline;
  Observe(answer.body);
  return true;
}

// Not at once: the one who led by it must have stopped, and it may be about to be made.
void Elector::LeadWithoutLease(Clock::Mono now) {
  seen_ = {};
  in_contact_until_ = now + times_.renew_deadline;
  if (!missing_since_) missing_since_ = now;
  if (now - *missing_since_ < times_.lease_duration) return;
  leading_until_ = now + times_.renew_deadline;
  if (!told_) observer_.OnNote("there is no Lease to be elected by: leading without one");
}

bool Elector::MayTake() const {
  if (seen_.holder.empty() || seen_.holder == identity_) return true;
  const milliseconds duration = std::max(seen_.duration, times_.lease_duration);
  return clock_.Elapsed() - seen_since_ >= duration;
}

// False if the Lease is another one by now, or could not be written.
bool Elector::Write(bool release) {
  const Clock::Mono start = clock_.Elapsed();
  const std::string now = MicroTime(clock_.Now());
  const bool taken_over = !release && seen_.holder != identity_;
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(times_.lease_duration).count();
  Json spec = {{"renewTime", now}, {"leaseDurationSeconds", release ? 1 : seconds}};
  spec["holderIdentity"] = release ? Json() : Json(identity_);
  if (taken_over) spec["acquireTime"] = now;
  if (taken_over) spec["leaseTransitions"] = seen_.transitions + 1;
  const kube::Answer answer = api_.Patch(
      path_, kube::PatchKind::kMerge,
      Dumped(Json({{"metadata", {{"resourceVersion", seen_.version}}}, {"spec", spec}})));
  if (!answer.ok()) {
    if (answer.outcome != Outcome::kConflict) observer_.OnError(Operation::kElect, answer.error);
    return false;
  }
  in_contact_until_ = start + times_.renew_deadline;
  Observe(answer.body);
  if (!release) leading_until_ = start + times_.renew_deadline;
  return true;
}

// A holder is alive as long as what it writes changes; when that was is told by our clock, since
// its own may be wrong.
void Elector::Observe(const std::string& body) {
  const Json object = ParseJson(body);
  const std::string spec = Dumped(At(object, "/spec"));
  if (spec != seen_.spec || seen_.version.empty()) seen_since_ = clock_.Elapsed();
  seen_ = {.version = TextAt(object, "/metadata/resourceVersion"),
           .spec = spec,
           .holder = TextAt(object, "/spec/holderIdentity"),
           .transitions = CountAt(object, "/spec/leaseTransitions"),
           .duration = std::chrono::seconds(CountAt(object, "/spec/leaseDurationSeconds"))};
  if (seen_.holder != identity_) leading_until_ = Clock::Mono::min();
}

void Elector::Tell() {
  if (const bool now = leading(); now != told_) {
    told_ = now;
    observer_.OnLeadership(now);
  }
}

}  // namespace tpu_admission::controller
