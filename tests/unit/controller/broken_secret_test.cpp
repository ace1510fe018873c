// Whatever a person, a crash or a bad restore leaves in the Secret, one pass makes it good again,
// and keeps what still is.
#include <bit>

#include "unit/controller/cluster.h"

namespace tpu_admission::controller::broken_secret_test {
namespace {

using std::chrono::hours;

constexpr const char* kKeys[] = {"ca.crt", "ca.key", "tls.crt", "tls.key", "next-ca.key"};

struct Damage {
  const char* name;
  std::string (*apply)(const std::string& good);
};

const Damage kDamages[] = {
    {"empty", [](const std::string&) { return std::string(); }},
    {"garbage", [](const std::string&) { return std::string("\x01\xff garbage"); }},
    {"cut", [](const std::string& good) { return good.substr(0, good.size() / 2); }},
    {"zeros", [](const std::string& good) { return std::string(good.size(), '\0'); }},
    {"changed",
     [](const std::string& good) {
       std::string text = good;
       if (text.size() > 80) text[80] = text[80] == 'A' ? 'B' : 'A';
       return text;
     }},
    {"stranger's certificate",
     [](const std::string&) {
       const auto other =
           pki::MakeAuthority("x", {FakeClock().Now(), FakeClock().Now() + hours(9)});
       return other->certificate;
     }},
    {"stranger's key",
     [](const std::string&) {
       const auto other =
           pki::MakeAuthority("x", {FakeClock().Now(), FakeClock().Now() + hours(9)});
       return other->private_key;
     }},
};

class BrokenSecret : public ReconcilerTest {
 protected:
  BrokenSecret() { Sync(); }

  void SetDamaged(const std::string& key, const Damage& damage) {
    cluster_.SetValue(key, damage.apply(cluster_.value(key)));
  }
};

// Each key, each two and all, damaged in every way.
TEST_F(BrokenSecret, IsGoodAgainAfterOnePassAndQuietAfterAFew) {
  for (const Damage& damage : kDamages) {
    for (unsigned set = 1; set < 32; ++set) {
      if (std::popcount(set) > 2 && set != 31) continue;
      for (unsigned key = 0; key < 5; ++key) {
        if ((set >> key & 1) != 0) SetDamaged(kKeys[key], damage);
      }
      EXPECT_TRUE(Sync());
      ExpectSound();
      Run(std::chrono::seconds(240), std::chrono::seconds(120));
      ExpectSound();
      const int writes = cluster_.api.writes();
      Sync();
      EXPECT_EQ(cluster_.api.writes(), writes) << damage.name << " in " << set;
      EXPECT_TRUE(pki::BelongTogether(cluster_.value("ca.crt"), cluster_.value("ca.key")) ||
                  pki::ReadBundle(cluster_.value("ca.crt")).size() > 1)
          << damage.name << " in " << set;
      ASSERT_FALSE(HasFailure()) << damage.name << " in " << set;
    }
  }
  EXPECT_TRUE(seen_.errors.empty()) << seen_.last_error;
}

TEST_F(BrokenSecret, WithoutTheAuthoritysKeyTheCertificateServesOnUntilANewOneIsKnown) {
  const std::string serving = cluster_.value("tls.crt");
  cluster_.SetValue("ca.key", "garbage");
  Sync();
  EXPECT_EQ(cluster_.value("tls.crt"), serving);
  Run(std::chrono::seconds(100));
  EXPECT_EQ(cluster_.value("tls.crt"), serving);
  Run(std::chrono::seconds(30));
  EXPECT_NE(cluster_.value("tls.crt"), serving);
  EXPECT_TRUE(pki::Verify(serving, cluster_.bundle(kMutatingPath), "webhook", cluster_.clock.Now()))
      << "pods may use it on";
  ExpectSound();
}

TEST_F(BrokenSecret, WithoutTheServingKeyTheAuthorityStays) {
  const std::string authority = cluster_.value("ca.crt");
  cluster_.SetValue("tls.key", "");
  Sync();
  EXPECT_EQ(cluster_.value("ca.crt"), authority);
  ExpectSound();
}

// The documented way after a theft of the keys.
TEST_F(BrokenSecret, EmptiedByAPersonTrustsNothingOld) {
  const std::string serving = cluster_.value("tls.crt");
  cluster_.api.Change(kSecret, [](auto& secret) { secret.erase("data"); });
  Sync();
  ExpectSound();
  EXPECT_FALSE(
      pki::Verify(serving, cluster_.bundle(kMutatingPath), "webhook", cluster_.clock.Now()));
}

TEST_F(BrokenSecret, LongForgottenIsMadeAnew) {
  cluster_.clock.Advance(hours(24 * 4000));
  Sync();
  ExpectSound();
  EXPECT_EQ(pki::ReadBundle(cluster_.value("ca.crt")).size(), 1U);
}

TEST_F(BrokenSecret, OfOddJsonIsMadeAnew) {
  for (const char* data : {"[]", "7", R"({"ca.crt": 7, "tls.crt": "?"})", "null"}) {
    cluster_.api.Change(kSecret,
                        [&](auto& secret) { secret["data"] = MemoryApi::Json::parse(data); });
    EXPECT_TRUE(Sync()) << data;
    ExpectSound();
  }
}

}  // namespace
}  // namespace tpu_admission::controller::broken_secret_test
