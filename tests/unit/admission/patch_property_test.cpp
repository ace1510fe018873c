// Cases 31 to 37 as properties of a few thousand odd pods, with nlohmann's RFC 6902 as oracle.
#include <gtest/gtest.h>

#include "support/asker.h"
#include "unit/admission/random_pod.h"

namespace tpu_admission::admission {
namespace {

using nlohmann::json;

constexpr std::uint64_t kPods = 2000;

// What in `after` must be taken away to get back `before`: nothing but added members and appended
// items, and null or empty lists and maps that got contents.
void ExpectOnlyAdded(const json& before, const json& after, const std::string& where) {
  if (before == after || before.is_null()) return;
  // The API server's default, which means nothing beside hostNetwork.
  if (where == "/spec/dnsPolicy" && before == "ClusterFirst") return;
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
}  // namespace tpu_admission::admission
