// The contract with kube-apiserver, point by point, bytes in and bytes out.
#include <gtest/gtest.h>

#include "support/asker.h"
#include "support/case_name.h"
#include "support/rule_page.h"
#include "support/yaml_json.h"

namespace tpu_admission::admission::wire_contract_test {
namespace {

using nlohmann::json;

const json kWrongPod =
    With(TpuPod(), "/spec/nodeSelector/cloud.google.com~1gke-tpu-topology", "3x3");

struct Passed {
  std::string name;
  Review review;
};

class PassedOver : public testing::TestWithParam<Passed> {};

// Each is about a pod with a fault, and none is ours to judge: allowed, with nothing else said.
TEST_P(PassedOver, IsAllowedWithoutALook) {
  Asker asker;
  for (const Endpoint endpoint : {Endpoint::kMutate, Endpoint::kValidate}) {
    const Answer answer = asker.Ask(endpoint, GetParam().review.Text());
    ASSERT_TRUE(answer.valid()) << answer.text;
    EXPECT_EQ(answer.response(),
              (json{{"uid", GetParam().review.whole()["request"]["uid"]}, {"allowed", true}}));
    EXPECT_EQ(answer.record.outcome, Outcome::kIgnored);
  }
}

json OfKind(const std::string& api_version, const std::string& kind) {
  return With(With(kWrongPod, "/apiVersion", api_version), "/kind", kind);
}

INSTANTIATE_TEST_SUITE_P(
    Contract, PassedOver,
    testing::Values(Passed{"Delete", Review(kWrongPod).Delete()},
                    Passed{"DeleteCollection", Review(kWrongPod).Delete().Remove("/request/name")},
                    Passed{"DeleteWithoutOldObject",
                           Review(kWrongPod).Delete().Set("/request/oldObject", nullptr)},
                    Passed{"Exec", Review(kWrongPod).Connect("exec")},
                    Passed{"UnknownOperation", Review(kWrongPod).Operation("MEND")},
                    Passed{"NoOperation", Review(kWrongPod).Remove("/request/operation")},
                    Passed{"EphemeralContainers",
                           Review(kWrongPod).Update(TpuPod()).SubResource("ephemeralcontainers")},
                    Passed{"Status", Review(kWrongPod).Update(TpuPod()).SubResource("status")},
                    Passed{"Resize", Review(kWrongPod).Update(TpuPod()).SubResource("resize")},
                    Passed{"Scale", Review(OfKind("autoscaling/v1", "Scale")).SubResource("scale")},
                    Passed{"UnknownKind", Review(OfKind("v1", "Endpoints"))},
                    Passed{"PodOfAnotherGroup", Review(OfKind("example.com/v1", "Pod"))},
                    Passed{"NoTpu",
                           Review(With(kWrongPod, "/spec", {{"containers", {{{"name", "web"}}}}}))},
                    Passed{"BeingDeleted", Review(With(kWrongPod, "/metadata/deletionTimestamp",
                                                       "2026-01-01T00:00:00Z"))
                                               .Update(TpuPod())}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    Case26, PassedOver,
    testing::Values(
        Passed{"PodThatIsABinding",
               Review(With(OfKind("v1", "Binding"), "/target", {{"kind", "Node"}}))
                   .SubResource("binding")
                   .Set("/request/resource/resource", "pods")},
        Passed{"KindPodSubResourceBinding", Review(kWrongPod).SubResource("binding")},
        Passed{"Eviction", Review(OfKind("policy/v1", "Eviction")).SubResource("eviction")},
        Passed{"ConfigMapCalledPod",
               Review(json{{"kind", "Pod"}, {"data", {{"spec", "x"}}}}).Operation("CREATE")}),
    CaseName());

TEST(WireContract, KindOfTheRequestDecidesNotThatOfTheObject) {
  Asker asker;
  const json odd = OfKind("v1", "ConfigMap");
  EXPECT_FALSE(asker.Validate(Review(odd).Set("/request/kind/kind", "Pod")).allowed());
}

TEST(WireContract, UnknownFieldsChangeNothing) {
  Asker asker;
  json pod = kWrongPod;
  pod["spec"]["newIn150"] = {{"a", {1, 2}}};
  pod["spec"]["containers"][0]["newToo"] = 7;
  pod["metadata"]["managedFields"] = json::array({{{"manager", "kubectl"}}});
  pod["status"] = {{"phase", "Pending"}};
  const Review review = Review(pod).Set("/request/newField", {{"x", 1}}).Set("/more", true);
  EXPECT_EQ(asker.Validate(review).text, asker.Validate(Review(kWrongPod)).text);
}

TEST(WireContract, Case48MissingNamesAreNoFault) {
  Asker asker;
  json pod = kWrongPod;
  pod["metadata"] = {{"generateName", "w-"}};
  const Answer answer =
      asker.Validate(Review(pod).Remove("/request/name").Remove("/request/namespace"));
  EXPECT_FALSE(answer.allowed());
  EXPECT_TRUE(answer.message().starts_with("Pod \"w-*\" cannot run on TPUs as written: "));
  pod.erase("metadata");
  EXPECT_TRUE(asker.Validate(Review(pod)).message().starts_with("Pod cannot run"));
}

TEST(WireContract, OnlyCreationOfV1PodsIsPatched) {
  Asker asker;
  const json bare = Without(TpuPod(), "/spec/tolerations");
  EXPECT_FALSE(asker.Mutate(Review(bare)).patch().is_null());
  json job = TpuJob();
  job["spec"]["template"]["spec"].erase("tolerations");
  EXPECT_TRUE(asker.Mutate(Review(job)).patch().is_null());
  const Answer update = asker.Mutate(Review(bare).Update(bare));
  EXPECT_TRUE(update.patch().is_null());
  EXPECT_TRUE(asker.Mutate(Review(With(bare, "/apiVersion", "v2"))).patch().is_null());
}

TEST(WireContract, MutateNeverDenies) {
  Asker asker({.policy = "children: deny\n", .docs_url = "", .cluster = {}});
  for (const rules::Rule* rule : rules::AllRules()) {
    const auto documents = ParseYaml(rules::ManifestOf(*rule, "Wrong"));
    ASSERT_TRUE(documents.ok());
    const json object = json::parse(documents->front().json);
    const Answer answer = asker.Mutate(Review(object));
    ASSERT_TRUE(answer.valid());
    EXPECT_TRUE(answer.allowed()) << rule->id;
    EXPECT_TRUE(answer.warnings().empty()) << rule->id;
  }
}

TEST(WireContract, AnswerIsTheSameEveryTimeAndForEveryHandler) {
  Asker used;
  for (const json& pod : {TpuPod(), kWrongPod, TpuJob()}) (void)used.Validate(Review(pod));
  (void)used.Ask(Endpoint::kValidate, "{");
  Asker fresh;
  EXPECT_EQ(used.Validate(Review(kWrongPod)).text, fresh.Validate(Review(kWrongPod)).text);
}

TEST(WireContract, AppendsToWhatIsInTheBuffer) {
  const auto settings = std::make_shared<Settings>(
      Settings{rules::Engine(BuiltInCatalog(), {}), Policy::Load("", "p").value(), ""});
  const SnapshotCell<Settings> cell{std::shared_ptr<const Settings>(settings)};
  Handler handler(cell);
  std::string out = "head";
  handler.Handle(Endpoint::kValidate, Review(TpuPod()).Text(), Day(), out);
  EXPECT_TRUE(out.starts_with("head{"));
}

TEST(WireContract, NewSettingsHoldForTheNextReview) {
  const auto with = [](const std::string& policy) {
    return std::make_shared<const Settings>(
        Settings{rules::Engine(BuiltInCatalog(), {}), Policy::Load(policy, "p").value(), ""});
  };
  SnapshotCell<Settings> cell(with(""));
  Handler handler(cell);
  std::string out;
  EXPECT_EQ(handler.Handle(Endpoint::kValidate, Review(kWrongPod).Text(), Day(), out).outcome,
            Outcome::kDenied);
  cell.Set(with("rules: {TPU203: warn}"));
  EXPECT_EQ(handler.Handle(Endpoint::kValidate, Review(kWrongPod).Text(), Day(), out).outcome,
            Outcome::kWarned);
}

TEST(WireContract, RecordSaysWhatHappened) {
  Asker asker;
  const Answer denied = asker.Validate(Review(kWrongPod).Namespace("team"));
  EXPECT_EQ(denied.record.outcome, Outcome::kDenied);
  EXPECT_EQ(denied.record.kind, "Pod");
  EXPECT_EQ(denied.record.request.namespace_name, "team");
  EXPECT_FALSE(denied.record.findings.empty());
  EXPECT_EQ(asker.Validate(Review(OfKind("x/v1", "Whatever"))).record.kind, "other");
  EXPECT_EQ(asker.Ask(Endpoint::kMutate, "").record.kind, "other");
  EXPECT_EQ(asker.Validate(Review(TpuPod())).record.outcome, Outcome::kAllowed);
}

}  // namespace
}  // namespace tpu_admission::admission::wire_contract_test
