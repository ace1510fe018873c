// tpu-admission.io/verify: answered in every mode, on dry runs only, and without another effect.
#include <gmock/gmock.h>

#include "support/asker.h"

namespace tpu_admission::admission::sign_of_life_test {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kAnnotation = "/metadata/annotations/tpu-admission.io~1verify";
const std::string kMutateAnswers(SignOfLife(Endpoint::kMutate));
const std::string kValidateAnswers(SignOfLife(Endpoint::kValidate));

json Asking(const json& pod) { return With(pod, kAnnotation, "true"); }
// Denied for TPU203.
json WrongPod() {
  return With(TpuPod(), "/spec/nodeSelector/cloud.google.com~1gke-tpu-topology", "3x3");
}

TEST(SignOfLife, ComesFromTheWebhookThatIsAsked) {
  Asker asker;
  EXPECT_THAT(asker.Mutate(Review(Asking(TpuPod())).DryRun()).warnings(),
              ElementsAre(kMutateAnswers));
  EXPECT_THAT(asker.Validate(Review(Asking(TpuPod())).DryRun()).warnings(),
              ElementsAre(kValidateAnswers));
}

TEST(SignOfLife, ComesWhateverThePolicySays) {
  for (const char* policy : {"default: deny\n", "default: warn\n", "default: audit\n",
                             "default: off\nfixes: {TPU104: false}\n"}) {
    Asker asker({.policy = policy, .docs_url = "", .cluster = {}});
    EXPECT_THAT(asker.Validate(Review(Asking(WrongPod())).DryRun()).warnings(),
                Contains(kValidateAnswers))
        << policy;
    EXPECT_THAT(asker.Mutate(Review(Asking(WrongPod())).DryRun()).warnings(),
                Contains(kMutateAnswers))
        << policy;
  }
}

TEST(SignOfLife, OnlyOfADryRunThatAsksForIt) {
  Asker asker;
  EXPECT_THAT(asker.Validate(Review(Asking(TpuPod()))).warnings(), IsEmpty());
  EXPECT_THAT(asker.Validate(Review(TpuPod()).DryRun()).warnings(), IsEmpty());
  const json odd = With(TpuPod(), kAnnotation, "no");
  EXPECT_THAT(asker.Validate(Review(odd).DryRun()).warnings(), IsEmpty());
}

// The annotation opens no way past the rules.
TEST(SignOfLife, ChangesNothingElse) {
  Asker asker;
  const Answer asked = asker.Validate(Review(Asking(WrongPod())).DryRun());
  json with = asked.whole();
  const Answer plain = asker.Validate(Review(WrongPod()).DryRun());
  with["response"].erase("warnings");
  EXPECT_EQ(with, plain.whole());
  EXPECT_FALSE(plain.allowed());
}

}  // namespace
}  // namespace tpu_admission::admission::sign_of_life_test
