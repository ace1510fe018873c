#include "tpu_admission/offline/mention.h"

#include <gtest/gtest.h>

namespace tpu_admission::offline::mention_test {
namespace {

TEST(Mention, OfTpus) {
  for (const char* text : {"tpu",
                           "TPU",
                           "a\ntpu: 1",
                           "google.com/tpu: 4",
                           "cloud.google.com/gke-tpu-topology",
                           "cloud-tpus",
                           "tpu7x",
                           "v5tpu",
                           "machineType: ct5lp-hightpu-4t",
                           "CT5LP-HIGHTPU-1T",
                           "LIBTPU_INIT_ARGS",
                           "libtpu.so",
                           "vllm-tpu",
                           "TPU_WORKER_ID",
                           "GKE_TPU",
                           "numTpus",
                           "useTPU",
                           "{tpu}",
                           "\xC3\xA9tpu",
                           "output: tpu",
                           "{\"a\":\"tpu\"}"}) {
    EXPECT_TRUE(MentionsTpus(text)) << text;
  }
}

TEST(Mention, InUtf16) {
  using namespace std::string_view_literals;
  EXPECT_TRUE(MentionsTpus("\xFF\xFEt\0p\0u\0"sv));
  EXPECT_FALSE(MentionsTpus("\xFF\xFEo\0t\0p\0u\0"sv));
}

TEST(Mention, OfOtherThings) {
  for (const char* text :
       {"", "tp", "t p u", "output", "Outputs:", "OUTPUT", "$GITHUB_OUTPUT", "stdoutput", "httpUrl",
        "HTTPUrl", "http-upgrade: httpUpgrade", "footpump", "gitpush", "\"a\\tpush\"", "ct5lp"}) {
    EXPECT_FALSE(MentionsTpus(text)) << text;
  }
}

}  // namespace
}  // namespace tpu_admission::offline::mention_test
