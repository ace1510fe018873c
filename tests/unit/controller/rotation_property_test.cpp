// The promise of the whole design, held against random lives of a cluster: at every moment, every
// certificate that may be served verifies against every caBundle that an API server may use.
//
// "May be served": any tls.crt that was ever in the Secret and has not expired, since a kubelet may
// deliver late. "May be used": what a configuration holds, or held within the propagation delay,
// since an API server may see late; left out is what a person put there.
#include <random>

#include "unit/controller/cluster.h"

namespace tpu_admission::controller::rotation_property_test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

struct Crash {};

constexpr minutes kPoll{40};
constexpr minutes kDelay{100};

ReconcilerOptions BriefOptions() {
  ReconcilerOptions options = TestOptions();
  options.certificate_lifetime = hours(6);
  options.authority_lifetime = hours(18);
  options.propagation_delay = kDelay;
  return options;
}

// Two controllers that lead by turns; both may crash at any write.
class Life {
 public:
  explicit Life(unsigned seed) : random_(seed) {
    cluster_.api.before_write = [this](const kube::ObjectPath&) {
      MaybeCrash();
      MaybeInterrupt();
    };
    cluster_.api.after_write = [this](const kube::ObjectPath& path) {
      ++writes_;
      Note(path);
      Check();
      MaybeCrash();
    };
    StartAgain();
  }

  // Crashes after the n-th write, and never otherwise.
  void CrashOnceAfter(int n) { crash_after_ = n; }
  void CrashWith(double probability) { crash_probability_ = probability; }
  void MeddleWith(double probability) { meddle_probability_ = probability; }
  // Both lead at once: one makes a whole pass while the other is about to write.
  void InterruptWith(double probability) { interrupt_probability_ = probability; }

  void Run(hours time) {
    const Clock::Wall end = cluster_.clock.Now() + time;
    while (cluster_.clock.Now() < end) {
      cluster_.clock.Advance(kPoll);
      Meddle();
      cluster_.api.lose_next_answer = Chance(crash_probability_ / 2);
      try {
        const bool change = Chance(interrupt_probability_ > 0 ? 0.5 : 0.05);
        controllers_[change ? leader_ ^= 1 : leader_]->Sync();
      } catch (const Crash&) {
        StartAgain();
      }
      Check();
    }
  }

  // At the end of a life without meddling and crashes all is in order.
  void ExpectOrder() {
    EXPECT_EQ(cluster_.Refusal(cluster_.bundle(kMutatingPath)), "");
    EXPECT_EQ(cluster_.Refusal(cluster_.bundle(kValidatingPath)), "");
    EXPECT_GE(authorities_seen_.size(), 3U) << "the authority was replaced more than once";
    EXPECT_LE(pki::ReadBundle(cluster_.value("ca.crt")).size(), 3U);
  }
  int writes() const { return writes_; }

 private:
  struct Served {
    std::string pem;
    pki::Validity validity;
  };
  struct Used {
    std::string bundle;
    Clock::Wall until;  // of the last moment it was there
    bool ours;
  };

  bool Chance(double probability) {
    return std::uniform_real_distribution<double>(0, 1)(random_) < probability;
  }

  void MaybeCrash() {
    if (crash_after_ == writes_ && writes_ > 0) {
      crash_after_ = -1;
      throw Crash{};
    }
    if (Chance(crash_probability_)) throw Crash{};
  }

  void MaybeInterrupt() {
    if (interrupting_ || !Chance(interrupt_probability_)) return;
    interrupting_ = true;
    controllers_[leader_ ^ 1]->Sync();
    interrupting_ = false;
  }

  void StartAgain() {
    for (auto& controller : controllers_) {
      controller = std::make_unique<Reconciler>(
          cluster_.api, BriefOptions(), cluster_.clock, [] { return true; }, seen_);
    }
  }

  void Note(const kube::ObjectPath& path) {
    if (path == kSecret) {
      const std::string pem = cluster_.value("tls.crt");
      if (served_.empty() || served_.back().pem != pem) {
        served_.push_back({pem, pki::ReadCertificate(pem)->validity});
      }
      for (const auto& each : pki::ReadBundle(cluster_.value("ca.crt"))) {
        authorities_seen_.insert(each.pem);
      }
    } else {
      Uses(path, true);
    }
  }

  void Uses(const kube::ObjectPath& path, bool ours) {
    auto& history = used_[path.text];
    if (!history.empty()) history.back().until = cluster_.clock.Now();
    history.push_back({cluster_.bundle(path), Clock::Wall::max(), ours});
  }

  // A person empties a configuration, or changes it, or makes it anew.
  void Meddle() {
    if (!Chance(meddle_probability_)) return;
    const kube::ObjectPath& path = Chance(0.5) ? kMutatingPath : kValidatingPath;
    if (Chance(0.3)) {
      cluster_.api.Put(path, ConfigurationOf({WebhookOf("anew")}));
    } else {
      cluster_.SetBundle(path, Chance(0.5) ? "" : "something else");
    }
    Uses(path, false);
  }

  void Check() {
    const Clock::Wall now = cluster_.clock.Now();
    std::erase_if(served_, [&](const Served& each) { return each.validity.not_after <= now; });
    ASSERT_TRUE(writes_ == 0 || !served_.empty()) << "nothing valid to serve";
    for (const auto& [path, history] : used_) {
      for (const Used& used : history) {
        if (!used.ours || (used.until != Clock::Wall::max() && used.until + kDelay <= now))
          continue;
        for (const Served& served : served_) ExpectTrusted(served, used.bundle, now);
      }
    }
  }

  // Remembers what was verified: a pair goes on verifying while its authority lives.
  void ExpectTrusted(const Served& served, const std::string& bundle, Clock::Wall now) {
    if (!verified_.insert(served.pem + bundle).second) return;
    for (const Clock::Wall time : {now, served.validity.not_after - seconds(1)}) {
      const Status status = pki::Verify(served.pem, bundle, "webhook.tpu.svc", time);
      EXPECT_TRUE(status) << status.error().message << " after " << writes_ << " writes";
    }
  }

  std::minstd_rand random_;
  Cluster cluster_;
  Recorder seen_;
  std::unique_ptr<Reconciler> controllers_[2];
  int leader_ = 0;
  int writes_ = 0;
  int crash_after_ = -1;
  double crash_probability_ = 0;
  double meddle_probability_ = 0;
  double interrupt_probability_ = 0;
  bool interrupting_ = false;
  std::vector<Served> served_;
  std::map<std::string, std::vector<Used>> used_;
  std::set<std::string> authorities_seen_;
  std::set<std::string> verified_;
};

TEST(Rotation, ServesWhatIsTrustedThroughALongQuietLife) {
  Life life(1);
  life.Run(hours(100));
  life.ExpectOrder();
}

TEST(Rotation, SurvivesACrashAfterEveryWrite) {
  Life quiet(1);
  quiet.Run(hours(42));
  ASSERT_GT(quiet.writes(), 15);
  for (int write = 1; write <= quiet.writes(); ++write) {
    Life life(1);
    life.CrashOnceAfter(write);
    life.Run(hours(42));
    life.ExpectOrder();
    ASSERT_FALSE(::testing::Test::HasFailure()) << "crash after write " << write;
  }
}

TEST(Rotation, TwoThatLeadAtOnceDoNoHarm) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    Life life(seed);
    life.InterruptWith(0.3);
    life.Run(hours(60));
    life.InterruptWith(0);
    life.Run(hours(20));
    life.ExpectOrder();
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
}

TEST(Rotation, SurvivesRandomCrashesLostAnswersAndMeddling) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    Life life(seed);
    life.CrashWith(0.2);
    life.MeddleWith(0.02);
    life.Run(hours(60));
    life.CrashWith(0);
    life.MeddleWith(0);
    life.Run(hours(20));
    life.ExpectOrder();
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tpu_admission::controller::rotation_property_test
