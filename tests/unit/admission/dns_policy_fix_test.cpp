// TPU701's fix: the one that replaces a value, the API server's default.
#include <gtest/gtest.h>

#include "support/asker.h"

namespace tpu_admission::admission::dns_policy_fix_test {
namespace {

using nlohmann::json;

struct Case {
  const char* name;
  bool host_network;
  const char* policy;  // nullptr: not set
  bool owned;          // made by a controller
  bool patched;
};

json PodOf(const Case& of) {
  json pod = TpuPod();
  if (of.host_network) pod["spec"]["hostNetwork"] = true;
  if (of.policy != nullptr) pod["spec"]["dnsPolicy"] = of.policy;
  if (of.owned) {
    pod["metadata"]["ownerReferences"] = json::array(
        {{{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"name", "j"}, {"controller", true}}});
  }
  return pod;
}

class DnsPolicyFix : public testing::TestWithParam<Case> {};

TEST_P(DnsPolicyFix, TouchesOnlyTheDefaultOnTheHostNetwork) {
  Asker asker;
  const json pod = PodOf(GetParam());
  const json patch = asker.Mutate(Review(pod)).patch();
  const json after = patch.is_null() ? pod : pod.patch(patch);
  const bool patched = after["spec"].value("dnsPolicy", "") != pod["spec"].value("dnsPolicy", "");
  EXPECT_EQ(patched, GetParam().patched) << patch;
  if (patched) {
    EXPECT_EQ(after["spec"]["dnsPolicy"], "ClusterFirstWithHostNet");
  }
  EXPECT_TRUE(asker.Mutate(Review(after)).patch().is_null());
}

INSTANTIATE_TEST_SUITE_P(Cases, DnsPolicyFix,
                         testing::Values(Case{"Default", true, "ClusterFirst", true, true},
                                         Case{"NotSet", true, nullptr, true, true},
                                         Case{"ByHand", true, "ClusterFirst", false, false},
                                         Case{"PodNetwork", false, "ClusterFirst", true, false},
                                         Case{"ChosenDefault", true, "Default", true, false},
                                         Case{"ChosenNone", true, "None", true, false},
                                         Case{"AlreadyRight", true, "ClusterFirstWithHostNet", true,
                                              false}),
                         [](const auto& row) { return std::string(row.param.name); });

// Only callers that bypass the API server send it; found by fuzzing.
TEST(DnsPolicyFix, LeavesAloneWhatIsNoText) {
  Asker asker;
  json pod = PodOf({"", true, nullptr, true, false});
  pod["spec"]["dnsPolicy"] = {{"kind", "Pod"}};
  const json patch = asker.Mutate(Review(pod)).patch();
  for (const json& operation : patch) EXPECT_NE(operation["path"], "/spec/dnsPolicy");
}

TEST(DnsPolicyFix, CanBeOff) {
  Asker asker({.policy = "fixes: {TPU701: false}", .docs_url = "", .cluster = {}});
  const json pod = PodOf({"", true, "ClusterFirst", true, false});
  const json patch = asker.Mutate(Review(pod)).patch();
  for (const json& operation : patch) EXPECT_NE(operation["path"], "/spec/dnsPolicy");
}

}  // namespace
}  // namespace tpu_admission::admission::dns_policy_fix_test
