// Cases 31 to 37 as properties of a few thousand odd pods, with nlohmann's RFC 6902 as oracle.
#include <gtest/gtest.h>

#include <set>

#include "support/asker.h"
#include "unit/admission/random_pod.h"

namespace tpu_admission::admission::patch_property_test {
namespace {

using nlohmann::json;

constexpr std::uint64_t kPods = 2000;
constexpr std::uint64_t kWorkers = 800;

// What in `after` must be taken away to get back `before`: nothing but added members and appended
// items, and null or empty lists and maps that got contents.
void ExpectOnlyAdded(const json& before, const json& after, const std::string& where) {
  if (before == after || before.is_null()) return;
  // The API server's default, which means nothing beside hostNetwork.
  if (where == "/spec/dnsPolicy" && before == "ClusterFirst") return;
  // Empty is not set.
  if ((where == "/spec/hostname" || where == "/spec/subdomain") && before == "") return;
  ASSERT_EQ(before.type(), after.type()) << where;
  if (before.is_object()) {
    for (const auto& [key, value] : before.items()) {
      ASSERT_TRUE(after.contains(key)) << where << "/" << key;
      ExpectOnlyAdded(value, after[key], where + "/" + key);
    }
  } else if (before.is_array()) {
    ASSERT_GE(after.size(), before.size()) << where;
    for (std::size_t i = 0; i < before.size(); ++i) {
      ExpectOnlyAdded(before[i], after[i], where + "/" + std::to_string(i));
    }
  } else {
    ADD_FAILURE() << where << " was " << before << " and is " << after;
  }
}

void ExpectOnlyAllowedPaths(const json& patch) {
  for (const json& operation : patch) {
    EXPECT_EQ(operation["op"], "add");
    const std::string path = operation["path"];
    EXPECT_TRUE(path.starts_with("/spec/tolerations") || path == "/spec/dnsPolicy" ||
                path == "/spec/hostname" || path == "/spec/subdomain" ||
                path.starts_with("/spec/affinity") || path.find("/env") != std::string::npos ||
                path.find("/resources") != std::string::npos)
        << path;
  }
}

TEST(PatchProperties, AppliesIsIdempotentAndChangesNothingOfTheUser) {
  Asker asker;
  std::size_t patched_pods = 0;
  std::size_t with_requests = 0;
  std::size_t with_dns_policy = 0;
  for (std::uint64_t seed = 0; seed < kPods; ++seed) {
    SCOPED_TRACE(seed);
    const json pod = RandomPod(seed);
    const Answer answer = asker.Mutate(Review(pod));
    ASSERT_TRUE(answer.valid()) << answer.text;
    ASSERT_TRUE(answer.allowed());
    const json patch = answer.patch();
    if (patch.is_null()) continue;
    ++patched_pods;
    with_requests += answer.text.find("TPU601") != std::string::npos ? 1U : 0U;
    with_dns_policy += answer.text.find("TPU701") != std::string::npos ? 1U : 0U;
    ASSERT_FALSE(patch.empty());
    ExpectOnlyAllowedPaths(patch);
    json patched;
    ASSERT_NO_THROW(patched = pod.patch(patch)) << pod << "\n" << patch;
    ExpectOnlyAdded(pod, patched, "");
    EXPECT_TRUE(asker.Mutate(Review(patched)).patch().is_null()) << patch;
    if (testing::Test::HasFailure()) return;
  }
  // The pods are odd enough to be worth it, and not so odd that nothing is patched.
  EXPECT_GT(patched_pods, kPods / 4);
  EXPECT_GT(with_requests, kPods / 20);
  EXPECT_GT(with_dns_policy, kPods / 100);
  EXPECT_LT(patched_pods, kPods);
}

// No two entries of one name, but those that were there.
void ExpectNothingDoubled(const json& before, const json& after) {
  for (const char* list : {"containers", "initContainers"}) {
    if (!after["spec"].contains(list)) continue;
    const json& containers = after["spec"][list];
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const json env = containers[i].value("env", json());
      const json was = before["spec"][list][i].value("env", json());
      const std::size_t kept = was.is_array() ? was.size() : 0;
      std::set<std::string> names;
      for (std::size_t j = 0; j < env.size(); ++j) {
        const bool is_new = names.insert(env[j]["name"]).second;
        EXPECT_TRUE(is_new || j < kept) << env[j];
        if (j >= kept) {
          EXPECT_LT(env[j].dump().size(), 128U * 1024);
        }
      }
    }
  }
}

// The same of workers, whom /mutate tells who they are; with every fix that there is.
TEST(PatchProperties, WorkersAreToldOnceAndNothingOfTheirsIsChanged) {
  for (const auto platform : {rules::Platform::kStandard, rules::Platform::kSelfManaged}) {
    Asker asker({.policy = "fixes: {TPU802: true, TPU806: true}",
                 .docs_url = "",
                 .cluster = {.region = "", .platform = platform, .gke_version = ""}});
    std::size_t told = 0;
    for (std::uint64_t seed = 0; seed < kWorkers; ++seed) {
      SCOPED_TRACE(seed);
      const json pod = RandomWorker(seed);
      const Answer answer = asker.Mutate(Review(pod));
      ASSERT_TRUE(answer.valid()) << answer.text;
      const json patch = answer.patch();
      if (patch.is_null()) continue;
      told += answer.text.find("TPU80") != std::string::npos ? 1U : 0U;
      ExpectOnlyAllowedPaths(patch);
      json patched;
      ASSERT_NO_THROW(patched = pod.patch(patch)) << pod << "\n" << patch;
      ExpectOnlyAdded(pod, patched, "");
      ExpectNothingDoubled(pod, patched);
      EXPECT_TRUE(asker.Mutate(Review(patched)).patch().is_null()) << patched << patch;
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(told, kWorkers / 10);
    EXPECT_LT(told, kWorkers);
  }
}

// What /mutate adds must not be what /validate complains of.
TEST(PatchProperties, PatchedPodIsJudgedNoHarder) {
  Asker asker;
  for (std::uint64_t seed = 0; seed < kPods; seed += 3) {
    SCOPED_TRACE(seed);
    const json pod = RandomPod(seed);
    const json patch = asker.Mutate(Review(pod)).patch();
    if (patch.is_null()) continue;
    const Answer before = asker.Validate(Review(pod));
    const bool was_allowed = before.allowed();
    EXPECT_EQ(asker.Validate(Review(pod.patch(patch))).allowed(), was_allowed);
  }
}

TEST(PatchProperties, AnswersAreDeterministic) {
  Asker one;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Asker other;
    const Review review(RandomPod(seed));
    EXPECT_EQ(one.Mutate(review).text, other.Mutate(review).text);
    EXPECT_EQ(one.Validate(review).text, other.Validate(review).text);
  }
}

}  // namespace
}  // namespace tpu_admission::admission::patch_property_test
