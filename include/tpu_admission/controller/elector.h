// Leader election by a Lease that exists, as client-go does it: whoever holds the Lease renews it;
// others take it when it has not changed for its duration, by their own clock. Some tools that
// install manifests leave Leases out (Argo CD): where none has been there for that long, whoever
// asks leads. That is safe with two as well, since every write names the version that it was made
// for.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>

#include "tpu_admission/base/clock.h"
#include "tpu_admission/base/lifetime.h"
#include "tpu_admission/controller/observer.h"
#include "tpu_admission/kube/api.h"

namespace tpu_admission::controller {

struct ElectionTimes {
  std::chrono::milliseconds lease_duration{15'000};
  // A leader that could not renew for so long stops leading; less than lease_duration, so that two
  // never lead at once however their clocks run (drift aside).
  std::chrono::milliseconds renew_deadline{10'000};
};

class Elector {
 public:
  // `identity` must be unique among all candidates.
  Elector(kube::Api& api TPU_ADMISSION_LIFETIME_BOUND, kube::ObjectPath lease, std::string identity,
          ElectionTimes times, const Clock& clock TPU_ADMISSION_LIFETIME_BOUND,
          Observer& observer TPU_ADMISSION_LIFETIME_BOUND);

  // Tries to become or stay the leader; to be called every retry period. One thread.
  void Step();
  // Gives the Lease up, so that another candidate need not wait. The same thread as Step().
  void Release();

  // Whether writing is allowed at this moment. Any thread.
  bool leading() const;
  // Whether the Lease could be read or written at all within the renew deadline. Any thread.
  bool in_contact() const;

 private:
  struct Lease {
    std::string version;  // metadata.resourceVersion
    std::string spec;     // as it was read, to see changes
    std::string holder;
    int transitions = 0;
    std::chrono::milliseconds duration{0};
  };

  bool Read();
  void LeadWithoutLease(Clock::Mono now);
  bool MayTake() const;
  bool Write(bool release);
  void Observe(const std::string& body);
  void Tell();

  kube::Api& api_;
  const kube::ObjectPath path_;
  const std::string identity_;
  const ElectionTimes times_;
  const Clock& clock_;
  Observer& observer_;

  Lease seen_;
  Clock::Mono seen_since_{};                  // when seen_.spec changed, by our clock
  std::optional<Clock::Mono> missing_since_;  // no Lease since then
  bool told_ = false;                         // what the observer was told last
  std::atomic<Clock::Mono> leading_until_{Clock::Mono::min()};
  std::atomic<Clock::Mono> in_contact_until_{Clock::Mono::min()};
};

}  // namespace tpu_admission::controller
