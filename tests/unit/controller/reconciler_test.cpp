// The life of the certificates: from an empty Secret through renewals and new authorities.
#include "unit/controller/cluster.h"

namespace tpu_admission::controller::reconciler_test {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr hours kDay{24};
constexpr hours kCertificate = 90 * kDay;
constexpr hours kAuthority = 365 * kDay;

std::size_t AuthoritiesIn(const std::string& bundle) { return pki::ReadBundle(bundle).size(); }

TEST_F(ReconcilerTest, FillsWhatTheChartLeavesEmpty) {
  EXPECT_TRUE(Sync());
  ExpectSound();
  const auto serving = pki::ReadCertificate(cluster_.value("tls.crt"));
  ASSERT_TRUE(serving);
  EXPECT_THAT(serving->dns_names, ElementsAre("webhook.tpu.svc", "webhook", "webhook.tpu",
                                              "webhook.tpu.svc.cluster.local"));
  EXPECT_EQ(serving->validity.not_after, cluster_.clock.Now() + kCertificate);
  EXPECT_EQ(cluster_.bundle(kMutatingPath), cluster_.value("ca.crt"));
  EXPECT_EQ(cluster_.value("next-ca.key"), "");
  EXPECT_EQ(seen_.issued[CertificateKind::kServing], 1);
  EXPECT_EQ(seen_.issued[CertificateKind::kAuthority], 1);
  EXPECT_EQ(seen_.expiry[CertificateKind::kServing], cluster_.clock.Now() + kCertificate);
  EXPECT_EQ(seen_.expiry[CertificateKind::kAuthority], cluster_.clock.Now() + kAuthority);
  EXPECT_EQ(seen_.states[ConfigurationKind::kMutating], ConfigurationState::kWritten);
  EXPECT_EQ(seen_.synced, 1);
}

TEST_F(ReconcilerTest, TouchesNothingElse) {
  cluster_.api.Change(kSecret, [](auto& secret) {
    secret["data"]["theirs"] = "eA==";
    secret["metadata"]["labels"]["app"] = "x";
  });
  const auto before = cluster_.api.object(kValidatingPath);
  EXPECT_TRUE(Sync());
  EXPECT_EQ(cluster_.value("theirs"), "x");
  EXPECT_EQ(cluster_.api.object(kSecret)["metadata"]["labels"]["app"], "x");
  auto after = cluster_.api.object(kValidatingPath);
  for (auto& webhook : after["webhooks"]) webhook["clientConfig"].erase("caBundle");
  after["metadata"]["resourceVersion"] = before["metadata"]["resourceVersion"];
  EXPECT_EQ(after, before);
}

TEST_F(ReconcilerTest, NeedsOnlyGetAndPatchOfThreeObjects) {
  Run(seconds(60));
  EXPECT_THAT(cluster_.api.calls(),
              UnorderedElementsAre("GET " + kMutatingPath.text, "GET " + kValidatingPath.text,
                                   "GET " + kSecret.text, "PATCH " + kMutatingPath.text,
                                   "PATCH " + kValidatingPath.text, "PATCH " + kSecret.text));
}

TEST_F(ReconcilerTest, WritesNothingWhileAllIsWell) {
  Sync();
  const int writes = cluster_.api.writes();
  Run(hours(2), seconds(60));
  EXPECT_EQ(cluster_.api.writes(), writes);
}

TEST_F(ReconcilerTest, RenewsTheCertificateAtTwoThirdsOfItsLife) {
  Sync();
  const std::string first = cluster_.value("tls.crt"), authority = cluster_.value("ca.crt");
  cluster_.clock.Advance(kCertificate * 2 / 3 - hours(1));
  Sync();
  EXPECT_EQ(cluster_.value("tls.crt"), first);
  cluster_.clock.Advance(hours(2));
  const int writes = cluster_.api.writes();
  Sync();
  EXPECT_NE(cluster_.value("tls.crt"), first);
  EXPECT_EQ(cluster_.value("ca.crt"), authority);
  EXPECT_EQ(cluster_.api.writes(), writes + 1) << "the configurations stay as they are";
  EXPECT_THAT(seen_.last_issued, HasSubstr("two thirds"));
  ExpectSound();
}

TEST_F(ReconcilerTest, ReplacesTheAuthorityInThreeStepsThatOverlap) {
  Sync();
  const std::string old_authority = cluster_.value("ca.crt");
  const std::string old_serving = cluster_.value("tls.crt");
  const std::string old_key = cluster_.value("ca.key");
  // Two thirds of its life, less a renewal that is not of interest here.
  cluster_.clock.Advance(kAuthority * 2 / 3);
  Sync();  // the old serving certificate has expired: renewed first
  const std::string serving = cluster_.value("tls.crt");
  EXPECT_NE(serving, old_serving);
  cluster_.clock.Advance(hours(1));

  Sync();  // 1: published, signs nothing
  EXPECT_EQ(AuthoritiesIn(cluster_.value("ca.crt")), 2U);
  EXPECT_THAT(cluster_.value("ca.crt"), HasSubstr(old_authority));
  EXPECT_EQ(cluster_.bundle(kMutatingPath), cluster_.value("ca.crt"));
  EXPECT_EQ(cluster_.value("tls.crt"), serving);
  EXPECT_EQ(cluster_.value("ca.key"), old_key);
  EXPECT_NE(cluster_.value("next-ca.key"), "");

  Run(seconds(110));  // known everywhere only after two minutes
  EXPECT_EQ(cluster_.value("tls.crt"), serving);
  Run(seconds(20));  // 2: signs
  EXPECT_NE(cluster_.value("tls.crt"), serving);
  EXPECT_NE(cluster_.value("ca.key"), old_key);
  EXPECT_EQ(cluster_.value("next-ca.key"), "");
  EXPECT_EQ(AuthoritiesIn(cluster_.value("ca.crt")), 2U) << "the old one is trusted on";
  EXPECT_EQ(
      pki::Verify(serving, cluster_.bundle(kMutatingPath), "webhook", cluster_.clock.Now()).ok(),
      true);
  ExpectSound();

  Run(kAuthority / 3, kDay);  // 3: the old one has expired
  EXPECT_EQ(AuthoritiesIn(cluster_.value("ca.crt")), 1U);
  EXPECT_EQ(cluster_.bundle(kValidatingPath, 1), cluster_.value("ca.crt"));
  ExpectSound();
}

class NextAuthority : public ReconcilerTest {
 protected:
  NextAuthority() {
    Sync();
    cluster_.clock.Advance(kAuthority * 2 / 3 + hours(1));
    Sync();  // renews the serving certificate
  }
  bool Promoted() const {
    return cluster_.value("next-ca.key").empty() && AuthoritiesIn(cluster_.value("ca.crt")) == 2;
  }
};

TEST_F(NextAuthority, WaitsAnewWhenAConfigurationLosesIt) {
  Run(seconds(100));
  cluster_.SetBundle(kValidatingPath, "");
  Run(seconds(110));
  EXPECT_FALSE(Promoted());
  Run(seconds(40));
  EXPECT_TRUE(Promoted());
}

TEST_F(NextAuthority, WaitsWhenAConfigurationLosesItAtTheLastMoment) {
  Run(seconds(120));
  EXPECT_FALSE(Promoted());
  cluster_.SetBundle(kMutatingPath, "");
  Run(seconds(10));
  EXPECT_FALSE(Promoted());
  EXPECT_EQ(cluster_.bundle(kMutatingPath), cluster_.value("ca.crt"));
}

TEST_F(NextAuthority, WaitsForAConfigurationThatCannotBeRead) {
  cluster_.api.fail = [](const std::string&, const kube::ObjectPath& path) {
    return path == kValidatingPath ? kube::Outcome::kRefused : kube::Outcome::kOk;
  };
  Run(hours(1), seconds(60));
  EXPECT_FALSE(Promoted());
  cluster_.api.fail = nullptr;
  Run(seconds(150));
  EXPECT_TRUE(Promoted());
}

TEST_F(NextAuthority, WaitsForAnUnmanagedConfigurationAsLongAsTheOldOneLasts) {
  cluster_.Annotate(kMutatingPath, kManagedAnnotation, "false");
  const std::string kept = cluster_.bundle(kMutatingPath);
  Run(90 * kDay, kDay);
  EXPECT_FALSE(Promoted());
  ExpectSound();
  Run(32 * kDay, hours(6));
  EXPECT_EQ(cluster_.value("next-ca.key"), "") << "the managed one must not suffer";
  EXPECT_EQ(cluster_.bundle(kMutatingPath), kept);
  EXPECT_EQ(cluster_.Refusal(cluster_.bundle(kValidatingPath)), "");
}

TEST_F(NextAuthority, GoesOnWhenAPersonGivesItToAnUnmanagedConfiguration) {
  cluster_.Annotate(kMutatingPath, kManagedAnnotation, "false");
  Run(hours(1), seconds(60));
  EXPECT_FALSE(Promoted());
  cluster_.SetBundle(kMutatingPath, cluster_.value("ca.crt") + "# by hand\n");
  Run(seconds(150));
  EXPECT_TRUE(Promoted());
}

TEST_F(NextAuthority, IsFinishedByAnotherController) {
  Run(seconds(100));
  Recorder seen;
  Reconciler other(
      cluster_.api, TestOptions(), cluster_.clock, [] { return true; }, seen);
  for (int i = 0; i < 20; ++i) {
    other.Sync();
    cluster_.clock.Advance(seconds(10));
  }
  EXPECT_TRUE(Promoted());
  EXPECT_EQ(seen.issued[CertificateKind::kAuthority], 0) << "no third authority";
}

TEST_F(ReconcilerTest, FollowsTheClockOfTheApiServer) {
  Sync();
  const int writes = cluster_.api.writes();
  FakeClock wrong;
  for (const hours jump : {hours(24 * 3650), hours(-24 * 3650)}) {
    wrong.SetWrong(jump);
    Reconciler lost(
        cluster_.api, TestOptions(), wrong, [] { return true; }, seen_);
    EXPECT_TRUE(lost.Sync());
  }
  EXPECT_EQ(cluster_.api.writes(), writes);
}

TEST_F(ReconcilerTest, RecoversWhenTheApiServersClockWasWrong) {
  Sync();
  cluster_.clock.SetWrong(hours(24 * 3650));
  Sync();
  ExpectSound();
  cluster_.clock.SetWrong(-hours(24 * 3650));
  Sync();
  ExpectSound();
}

TEST_F(ReconcilerTest, MakesAnotherCertificateForOtherNames) {
  Sync();
  ReconcilerOptions options = TestOptions();
  options.cluster_domain = "corp.example";
  Reconciler other(
      cluster_.api, options, cluster_.clock, [] { return true; }, seen_);
  other.Sync();
  EXPECT_THAT(pki::ReadCertificate(cluster_.value("tls.crt"))->dns_names,
              ::testing::Contains("webhook.tpu.svc.corp.example"));
  EXPECT_THAT(seen_.last_issued, HasSubstr("is not for webhook.tpu.svc.corp.example"));
  EXPECT_EQ(AuthoritiesIn(cluster_.value("ca.crt")), 1U);
}

TEST_F(ReconcilerTest, WritesNothingWithoutTheLead) {
  leading_ = false;
  EXPECT_FALSE(Sync());
  EXPECT_EQ(cluster_.api.writes(), 0);
  leading_ = true;
  Sync();
  cluster_.SetBundle(kMutatingPath, "");
  leading_ = false;
  Sync();
  EXPECT_EQ(cluster_.bundle(kMutatingPath), "");
}

TEST_F(ReconcilerTest, ReadsAgainAfterAConflict) {
  int left = 2;
  cluster_.api.before_write = [&](const kube::ObjectPath& path) {
    if (left-- > 0) cluster_.api.Change(path, [](auto& each) { each["metadata"]["x"] = "y"; });
  };
  EXPECT_TRUE(Sync());
  ExpectSound();
  EXPECT_EQ(seen_.issued[CertificateKind::kServing], 1);
  EXPECT_TRUE(seen_.errors.empty());
}

TEST_F(ReconcilerTest, GivesUpAPassWhenSomebodyWritesAllTheTime) {
  cluster_.api.before_write = [&](const kube::ObjectPath& path) {
    cluster_.api.Change(path, [](auto& each) { each["metadata"]["x"] = "y"; });
  };
  EXPECT_FALSE(Sync());
  EXPECT_EQ(seen_.errors[Operation::kWriteSecret], 1);
  EXPECT_THAT(seen_.last_error, HasSubstr("again and again"));
}

TEST_F(ReconcilerTest, TellsWhatFailed) {
  struct Case {
    std::string verb;
    kube::ObjectPath path;
    Operation operation;
  };
  const Case cases[] = {{"GET", kSecret, Operation::kReadSecret},
                        {"PATCH", kSecret, Operation::kWriteSecret},
                        {"GET", kMutatingPath, Operation::kReadConfiguration},
                        {"PATCH", kValidatingPath, Operation::kWriteConfiguration}};
  for (const Case& each : cases) {
    cluster_.api.fail = [&](const std::string& verb, const kube::ObjectPath& path) {
      return verb == each.verb && path == each.path ? kube::Outcome::kRefused : kube::Outcome::kOk;
    };
    cluster_.SetBundle(kValidatingPath, "");
    EXPECT_FALSE(Sync());
    EXPECT_EQ(seen_.errors[each.operation], 1) << each.verb << each.path.text;
    EXPECT_EQ(seen_.synced, 0);
  }
  cluster_.api.fail = nullptr;
  EXPECT_TRUE(Sync());
  ExpectSound();
}

TEST_F(ReconcilerTest, OneConfigurationThatFailsDoesNotHarmTheOther) {
  cluster_.api.fail = [](const std::string&, const kube::ObjectPath& path) {
    return path == kMutatingPath ? kube::Outcome::kUnreachable : kube::Outcome::kOk;
  };
  EXPECT_FALSE(Sync());
  EXPECT_EQ(cluster_.Refusal(cluster_.bundle(kValidatingPath)), "");
}

TEST_F(ReconcilerTest, WaitsForASecretThatIsNotThere) {
  const auto secret = cluster_.api.object(kSecret);
  cluster_.api.Remove(kSecret);
  EXPECT_FALSE(Sync());
  EXPECT_EQ(seen_.errors[Operation::kReadSecret], 1);
  EXPECT_EQ(cluster_.bundle(kMutatingPath), "");
  cluster_.api.Put(kSecret, secret);
  EXPECT_TRUE(Sync());
  ExpectSound();
}

}  // namespace
}  // namespace tpu_admission::controller::reconciler_test
