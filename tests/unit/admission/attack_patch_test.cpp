// Cases 31 to 38 of the attack list: a patch that does not apply is a 500 for the user whatever the
// failurePolicy says, so every shape of pod gets one that applies, or none.
#include <gtest/gtest.h>

#include "support/asker.h"
#include "support/case_name.h"

namespace tpu_admission::admission::attack_patch_test {
namespace {

using nlohmann::json;

// A pod without toleration and without requests of cpu and memory: both fixes are due.
json BarePod() {
  json pod = Without(TpuPod(), "/spec/tolerations");
  pod["spec"]["containers"][0]["resources"] = {{"limits", {{"google.com/tpu", "4"}}}};
  return pod;
}

const json kToleration =
    json::parse(R"({"key":"google.com/tpu","operator":"Exists","effect":"NoSchedule"})");
const json kBothRequests = {{"cpu", "143584m"}, {"memory", "563220Mi"}};

json Patched(const json& pod, const AskerOptions& options = {}) {
  Asker asker(options);
  const json patch = asker.Mutate(Review(pod)).patch();
  return patch.is_null() ? pod : pod.patch(patch);
}

struct Case {
  std::string name;
  std::string pointer;  // what is put where
  json value;
  std::string result_pointer;  // what stands where afterwards
  json result;
};

class Parents : public testing::TestWithParam<Case> {};

TEST_P(Parents, Case33MissingAndNullParentsAreMade) {
  const json patched = Patched(With(BarePod(), GetParam().pointer, GetParam().value));
  EXPECT_EQ(patched[json::json_pointer(GetParam().result_pointer)], GetParam().result);
}

const std::string kTolerations = "/spec/tolerations";
const std::string kResources = "/spec/containers/0/resources";
const std::string kRequests = kResources + "/requests";
const json kLimits = {{"google.com/tpu", "4"}};
const json kOther = {{"key", "dedicated"}, {"operator", "Exists"}};

INSTANTIATE_TEST_SUITE_P(
    Case33, Parents,
    testing::Values(
        Case{"NullTolerations", kTolerations, nullptr, kTolerations, json::array({kToleration})},
        Case{"EmptyTolerations", kTolerations, json::array(), kTolerations,
             json::array({kToleration})},
        Case{"OtherToleration", kTolerations, json::array({kOther}), kTolerations,
             json::array({kOther, kToleration})},
        Case{"NullRequests", kRequests, nullptr, kRequests, kBothRequests},
        Case{"EmptyRequests", kRequests, json::object(), kRequests, kBothRequests},
        Case{"NullCpu",
             kRequests,
             {{"cpu", nullptr}, {"memory", "1Gi"}},
             kRequests,
             {{"cpu", "143584m"}, {"memory", "1Gi"}}},
        Case{"NullAnnotations", "/metadata/annotations", nullptr, kRequests, kBothRequests}),
    CaseName());

struct Kept {
  std::string name;
  std::string pointer;
  json value;
  std::string untouched;  // what must stand as it stood
};

class UserValues : public testing::TestWithParam<Kept> {};

TEST_P(UserValues, Case35AreNeverOverwritten) {
  const json pod = With(BarePod(), GetParam().pointer, GetParam().value);
  const json patched = Patched(pod);
  const json::json_pointer where(GetParam().untouched);
  ASSERT_EQ(patched.contains(where), pod.contains(where));
  if (pod.contains(where)) {
    EXPECT_EQ(patched[where], pod[where]);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Case35, UserValues,
    testing::Values(
        Kept{"Cpu", kRequests + "/cpu", "1", kRequests + "/cpu"},
        Kept{"ZeroCpu", kRequests + "/cpu", 0, kRequests + "/cpu"},
        Kept{"CpuLimit", kResources + "/limits/cpu", "8", kRequests + "/cpu"},
        Kept{"MemoryLimit", kResources + "/limits/memory", "8Gi", kRequests + "/memory"},
        Kept{"PodLevelResources", "/spec/resources", {{"requests", {{"cpu", "8"}}}}, kResources},
        Kept{"Gated", "/spec/schedulingGates", json::array({{{"name", "g"}}}), kResources},
        Kept{"Queued", "/metadata/labels", {{"kueue.x-k8s.io/queue-name", "q"}}, kResources},
        Kept{"Toleration", kTolerations, json::array({kToleration}), kTolerations},
        Kept{"WrongToleration", kTolerations,
             json::array({{{"key", "google.com/tpu"}, {"value", "other"}}}), kTolerations},
        Kept{"TolerateAll", kTolerations, json::array({{{"operator", "Exists"}}}), kTolerations},
        Kept{"UnknownMachine", "/spec/nodeSelector/cloud.google.com~1gke-tpu-accelerator",
             "tpu-v9-slice", kResources}),
    CaseName());

TEST(Patches, Case31AppliesWhereOnlyOneIsMissing) {
  json pod = BarePod();
  pod["spec"]["containers"][0]["resources"]["requests"] = {{"memory", "1Gi"}};
  EXPECT_EQ(Patched(pod)["spec"]["containers"][0]["resources"]["requests"],
            (json{{"cpu", "143584m"}, {"memory", "1Gi"}}));
}

TEST(Patches, Case32KeysWithSlashAndTildeStayAsTheyAre) {
  json pod = BarePod();
  const json odd = {{"a/b", "1"}, {"a~b", "2"}, {"~1~0", "3"}, {"", "4"}, {"\"q\"", "5"}};
  pod["metadata"]["labels"] = odd;
  pod["metadata"]["annotations"] = odd;
  pod["spec"]["containers"][0]["resources"]["requests"] = {{"example.com/a~b", "1"}};
  const json patched = Patched(pod);
  EXPECT_EQ(patched["metadata"]["labels"], odd);
  EXPECT_EQ(patched["metadata"]["annotations"], odd);
  json requests = kBothRequests;
  requests["example.com/a~b"] = "1";
  EXPECT_EQ(patched["spec"]["containers"][0]["resources"]["requests"], requests);
}

TEST(Patches, Case34IndexesAreNumbersNotText) {
  for (const std::size_t before : {0U, 1U, 2U, 10U, 11U, 60U}) {
    json pod = BarePod();
    json& containers = pod["spec"]["containers"];
    for (std::size_t i = 0; i < before; ++i) {
      containers.insert(containers.begin(), json{{"name", "c" + std::to_string(i)}});
    }
    const json patched = Patched(pod);
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const json& container = patched["spec"]["containers"][i];
      EXPECT_EQ(container.contains("resources"), i == before);
      EXPECT_EQ(container["name"], containers[i]["name"]);
    }
    EXPECT_EQ(patched["spec"]["containers"][before]["resources"]["requests"], kBothRequests);
  }
}

TEST(Patches, Case34SidecarIsPatchedInItsOwnList) {
  json pod = BarePod();
  json sidecar = pod["spec"]["containers"][0];
  sidecar["restartPolicy"] = "Always";
  pod["spec"]["initContainers"] = json::array({{{"name", "once"}}, sidecar});
  pod["spec"]["containers"][0] = {{"name", "web"}};
  const json patched = Patched(pod);
  EXPECT_EQ(patched["spec"]["initContainers"][1]["resources"]["requests"], kBothRequests);
  EXPECT_FALSE(patched["spec"]["containers"][0].contains("resources"));
}

// Other webhooks add containers between our two calls (reinvocation); the second patch fits the
// pod as it is then, and what the first one set stays.
TEST(Patches, Case35ReinvocationAfterAnInjectedContainer) {
  json pod = Patched(BarePod());
  const json first = pod["spec"]["containers"][0];
  json& containers = pod["spec"]["containers"];
  const json istio = {{"name", "istio"}, {"resources", {{"requests", {{"cpu", "100m"}}}}}};
  containers.insert(containers.begin(), istio);
  EXPECT_EQ(Patched(pod), pod);
  EXPECT_EQ(pod["spec"]["containers"][1], first);
}

TEST(Patches, Case36OnUpdateThereIsNone) {
  Asker asker;
  const Answer answer = asker.Mutate(Review(BarePod()).Update(BarePod()));
  EXPECT_TRUE(answer.patch().is_null());
}

// `kubectl apply` sends the user's list again, without what was added at creation, and the API
// server forbids taking a toleration from a pod.
TEST(Patches, Case36OnUpdateALostTolerationIsGivenBack) {
  Asker asker;
  const json before = Patched(BarePod());
  const json after = Without(before, "/spec/tolerations");
  const json patch = asker.Mutate(Review(after).Update(before)).patch();
  EXPECT_EQ(after.patch(patch)["spec"]["tolerations"], json::array({kToleration}));
  ASSERT_EQ(patch.size(), 1U) << "nothing else is patched on UPDATE";
  EXPECT_TRUE(asker.Mutate(Review(before).Update(before)).patch().is_null());
  for (const char* const other :
       {R"({"key": "google.com/tpu", "value": "present", "effect": "NoSchedule"})",
        R"({"key": "google.com/tpu", "operator": "Exists", "effect": "NoExecute"})"}) {
    json users = after;
    users["spec"]["tolerations"] = json::array({json::parse(other)});
    EXPECT_TRUE(asker.Mutate(Review(after).Update(users)).patch().is_null())
        << "another one would not do in its place";
  }
}

TEST(Patches, Case37RequestsStayBelowLimitsAndSecurityIsUntouched) {
  json pod = BarePod();
  pod["spec"]["containers"][0]["resources"]["limits"]["cpu"] = "1";
  pod["spec"]["containers"][0]["securityContext"] = {{"runAsNonRoot", true}};
  pod["spec"]["serviceAccountName"] = "sa";
  const json patched = Patched(pod);
  const json& container = patched["spec"]["containers"][0];
  EXPECT_FALSE(container["resources"]["requests"].contains("cpu"))
      << "the API server takes the limit for the request";
  json rest = patched;
  rest["spec"].erase("tolerations");
  rest["spec"]["containers"][0]["resources"].erase("requests");
  EXPECT_EQ(rest, pod) << "nothing else is touched";
}

TEST(Patches, Case38PodsOfControllersArePatchedOnCreateOnly) {
  const json owned =
      With(BarePod(), "/metadata/ownerReferences",
           json::array({{{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"controller", true}}}));
  EXPECT_NE(Patched(owned), owned);
  Asker asker;
  EXPECT_TRUE(asker.Mutate(Review(owned).Update(owned)).patch().is_null());
}

TEST(Patches, OnAutopilotOnlyTheTolerationIsAdded) {
  AskerOptions options;
  options.cluster.platform = rules::Platform::kAutopilot;
  const json patched = Patched(BarePod(), options);
  EXPECT_EQ(patched["spec"]["containers"], BarePod()["spec"]["containers"]);
  EXPECT_EQ(patched["spec"]["tolerations"], json::array({kToleration}));
}

TEST(Patches, GatedAndQueuedPodsStillGetTheToleration) {
  for (const json& pod :
       {With(BarePod(), "/spec/schedulingGates", json::array({{{"name", "g"}}})),
        With(BarePod(), "/metadata/labels", {{"kueue.x-k8s.io/queue-name", "q"}})}) {
    EXPECT_EQ(Patched(pod)["spec"]["tolerations"], json::array({kToleration}));
  }
}

}  // namespace
}  // namespace tpu_admission::admission::attack_patch_test
