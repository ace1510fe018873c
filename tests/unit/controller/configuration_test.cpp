// caBundle is filled and repaired; nothing else is touched, and a kill switch is never fought.
#include "unit/controller/cluster.h"

namespace tpu_admission::controller::configuration_test {
namespace {

using State = ConfigurationState;
using Kind = ConfigurationKind;
using ::testing::HasSubstr;

class ConfigurationTest : public ReconcilerTest {
 protected:
  ConfigurationTest() { Sync(); }
};

TEST_F(ConfigurationTest, IsRepairedWhenEmptiedOrChanged) {
  const std::string good = cluster_.bundle(kMutatingPath);
  for (const std::string& wrong : {std::string(), std::string("garbage"), good + good}) {
    cluster_.SetBundle(kMutatingPath, wrong);
    cluster_.SetBundle(kValidatingPath, wrong);
    EXPECT_TRUE(Sync());
    EXPECT_EQ(cluster_.bundle(kMutatingPath), good);
    EXPECT_EQ(cluster_.bundle(kValidatingPath, 0), good);
    EXPECT_EQ(cluster_.bundle(kValidatingPath, 1), good);
    EXPECT_EQ(seen_.states[Kind::kValidating], State::kWritten);
    EXPECT_THAT(seen_.reasons[Kind::kValidating], HasSubstr("in 2 webhooks"));
  }
  Sync();
  EXPECT_EQ(seen_.states[Kind::kValidating], State::kCurrent);
}

TEST_F(ConfigurationTest, IsFilledWhenItComesBackOrGetsAnotherWebhook) {
  const std::string good = cluster_.bundle(kMutatingPath);
  cluster_.api.Put(kMutatingPath, ConfigurationOf({WebhookOf("a"), WebhookOf("b")}));
  Sync();
  EXPECT_EQ(cluster_.bundle(kMutatingPath, 0), good);
  EXPECT_EQ(cluster_.bundle(kMutatingPath, 1), good);
}

TEST_F(ConfigurationTest, ThatIsGoneStaysGoneAndIsNoError) {
  cluster_.api.Remove(kMutatingPath);
  EXPECT_TRUE(Sync());
  EXPECT_FALSE(cluster_.api.Has(kMutatingPath));
  EXPECT_EQ(seen_.states[Kind::kMutating], State::kAbsent);
  EXPECT_TRUE(seen_.errors.empty());
}

TEST_F(ConfigurationTest, WithoutWebhooksStaysSo) {
  for (const auto& webhooks : {MemoryApi::Json::array(), MemoryApi::Json()}) {
    cluster_.api.Change(kMutatingPath, [&](auto& each) { each["webhooks"] = webhooks; });
    const auto before = cluster_.api.object(kMutatingPath);
    EXPECT_TRUE(Sync());
    EXPECT_EQ(cluster_.api.object(kMutatingPath), before);
    EXPECT_EQ(seen_.states[Kind::kMutating], State::kAbsent);
  }
}

TEST_F(ConfigurationTest, IsLeftAloneWhereItSaysSo) {
  const std::pair<const char*, const char*> switches[] = {
      {kManagedAnnotation, "false"},
      {"cert-manager.io/inject-ca-from", "tpu/certificate"},
      {"cert-manager.io/inject-ca-from-secret", "tpu/secret"},
      {"cert-manager.io/inject-apiserver-ca", "true"}};
  for (const auto& [name, value] : switches) {
    cluster_.api.Put(kMutatingPath, ConfigurationOf({WebhookOf("mutate.tpu-admission.io")}));
    cluster_.Annotate(kMutatingPath, name, value);
    const auto before = cluster_.api.object(kMutatingPath);
    EXPECT_TRUE(Sync());
    EXPECT_EQ(cluster_.api.object(kMutatingPath), before) << name;
    EXPECT_EQ(seen_.states[Kind::kMutating], State::kUnmanaged);
    EXPECT_THAT(seen_.reasons[Kind::kMutating], HasSubstr(name));
  }
  cluster_.Annotate(kMutatingPath, kManagedAnnotation, "true");
  cluster_.api.Change(kMutatingPath, [](auto& each) {
    each["metadata"]["annotations"].erase("cert-manager.io/inject-apiserver-ca");
  });
  Sync();
  EXPECT_EQ(cluster_.Refusal(cluster_.bundle(kMutatingPath)), "");
}

TEST_F(ConfigurationTest, ASwitchThatIsThrownWhileWeWriteWins) {
  cluster_.SetBundle(kMutatingPath, "");
  cluster_.api.before_write = [&](const kube::ObjectPath& path) {
    cluster_.Annotate(path, kManagedAnnotation, "false");
  };
  EXPECT_TRUE(Sync());
  EXPECT_EQ(cluster_.bundle(kMutatingPath), "");
  EXPECT_EQ(seen_.states[Kind::kMutating], State::kUnmanaged);
}

TEST_F(ConfigurationTest, WebhooksThatCallAnotherServiceAreNotOurs) {
  auto by_url = WebhookOf("url.example.com");
  by_url["clientConfig"] = {{"url", "https://example.com"}};
  cluster_.api.Put(kMutatingPath, ConfigurationOf({WebhookOf("other.example.com", "other"),
                                                   WebhookOf("mutate.tpu-admission.io"), by_url}));
  EXPECT_TRUE(Sync());
  EXPECT_EQ(cluster_.bundle(kMutatingPath, 0), "");
  EXPECT_EQ(cluster_.Refusal(cluster_.bundle(kMutatingPath, 1)), "");
  EXPECT_EQ(cluster_.bundle(kMutatingPath, 2), "");
}

TEST_F(ConfigurationTest, AFailurePolicyOfSomebodyElseStays) {
  cluster_.api.Change(kValidatingPath, [](auto& each) {
    each["webhooks"][0]["failurePolicy"] = "Fail";
    each["webhooks"][0]["clientConfig"].erase("caBundle");
    each["webhooks"][0]["rules"] = MemoryApi::Json::array();
  });
  Sync();
  const auto& webhook = cluster_.api.object(kValidatingPath)["webhooks"][0];
  EXPECT_EQ(webhook["failurePolicy"], "Fail");
  EXPECT_TRUE(webhook["rules"].empty());
  EXPECT_EQ(cluster_.Refusal(cluster_.bundle(kValidatingPath)), "");
}

TEST(Configuration, WithoutANameIsNotAskedFor) {
  Cluster cluster;
  Recorder seen;
  ReconcilerOptions options = TestOptions();
  options.mutating_configuration = "";
  Reconciler reconciler(
      cluster.api, options, cluster.clock, [] { return true; }, seen);
  EXPECT_TRUE(reconciler.Sync());
  EXPECT_EQ(cluster.bundle(kMutatingPath), "");
  EXPECT_EQ(cluster.Refusal(cluster.bundle(kValidatingPath)), "");
}

}  // namespace
}  // namespace tpu_admission::controller::configuration_test
