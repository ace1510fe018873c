// What other tools for TPUs on Kubernetes accept and refuse, in our own words. Where one of them is
// stricter or milder, DESIGN's decision holds and the row says so.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/case_name.h"
#include "unit/rules/judge.h"

namespace tpu_admission::rules::peer_selection_test {
namespace {

// An Indexed Job for a whole slice; empty values are left out.
struct Peer {
  std::string name;
  std::string accelerator;
  std::string topology;
  int chips = 4;
  int hosts = 1;
  std::string denied_by;   // ids of the rules that deny, with blanks between
  std::string slice = {};  // cloud.google.com/gke-tpu-slice-topology
  std::string more = {};   // further annotations, as YAML flow members
};

std::string Line(const std::string& key, const std::string& value) {
  return value.empty() ? "" : "        " + key + ": '" + value + "'\n";
}

std::string Manifest(const Peer& peer) {
  const std::string hosts = std::to_string(peer.hosts);
  return R"(apiVersion: batch/v1
kind: Job
metadata: {name: peer, labels: {kueue.x-k8s.io/queue-name: tpus}}
spec:
  parallelism: )" +
         hosts + "\n  completions: " + hosts + R"(
  completionMode: Indexed
  template:
    metadata:
      annotations:
        example.com/peer: "yes"
)" + Line("cloud.google.com/gke-tpu-slice-topology", peer.slice) +
         peer.more + R"(    spec:
      restartPolicy: Never
      nodeSelector:
        example.com/pool: tpus
)" + Line("cloud.google.com/gke-tpu-accelerator", peer.accelerator) +
         Line("cloud.google.com/gke-tpu-topology", peer.topology) + R"(      containers:
      - name: jax
        image: example.com/jax
        resources:
          requests: {cpu: 1, memory: 1Gi}
          limits: {google.com/tpu: )" +
         std::to_string(peer.chips) + "}\n";
}

std::string Deniers(const std::string& manifest) {
  std::string ids;
  for (const Finding& finding : FindingsOf(manifest)) {
    const std::string id(finding.rule->id);
    if (finding.mode() != Mode::kDeny || ids.find(id) != ids.npos) continue;
    ids += (ids.empty() ? "" : " ") + id;
  }
  return ids;
}

class PeerCases : public testing::TestWithParam<Peer> {};

TEST_P(PeerCases, AreJudgedAlike) {
  EXPECT_EQ(Deniers(Manifest(GetParam())), GetParam().denied_by) << Manifest(GetParam());
}

// The validation of KubeRay's kubectl plug-in, of the TPU webhook for KubeRay and of the toolkit.
INSTANTIATE_TEST_SUITE_P(
    Topologies, PeerCases,
    testing::Values(Peer{"ZeroDimension", "tpu-v6e-slice", "0x4", 4, 1, "TPU201"},
                    Peer{"Negative", "tpu-v6e-slice", "-2x2", 4, 1, "TPU201"},
                    Peer{"NoSecondNumber", "tpu-v6e-slice", "2x", 4, 1, "TPU201"},
                    Peer{"NoFirstNumber", "tpu-v6e-slice", "x2", 4, 1, "TPU201"},
                    Peer{"UpperCase", "tpu-v6e-slice", "2X4", 4, 1, "TPU201"},
                    Peer{"LeadingBlank", "tpu-v6e-slice", " 2x4", 4, 1, "TPU201"},
                    Peer{"Exponent", "tpu-v6e-slice", "1e1x2", 4, 1, "TPU201"},
                    Peer{"FourDimensions", "tpu-v4-podslice", "2x2x2x2", 4, 1, "TPU201"},
                    Peer{"TenThousandMillions", "tpu-v6e-slice", "100000x100000", 4, 1, "TPU201"},
                    Peer{"OneNumber", "tpu-v6e-slice", "4", 4, 1, "TPU201"},
                    Peer{"Letter", "tpu-v6e-slice", "2xN", 4, 1, "TPU201"},
                    // KubeRay denies; a name that may be a generation warns here.
                    Peer{"OldGeneration", "tpu-v2", "1x1", 1, 1, ""},
                    Peer{"Square3OnV6e", "tpu-v6e-slice", "3x3", 4, 1, "TPU203"},
                    Peer{"Square3OnV5e", "tpu-v5-lite-podslice", "3x3", 4, 1, "TPU203"},
                    Peer{"FlatOnV4", "tpu-v4-podslice", "2x2", 4, 1, "TPU202"},
                    Peer{"OrderOnTpu7x", "tpu7x", "8x4x4", 4, 32, "TPU203"},
                    Peer{"TooManyCubes", "tpu7x", "16x16x40", 4, 2560, "TPU203"},
                    Peer{"LargestTpu7x", "tpu7x", "16x16x36", 4, 2304, ""},
                    Peer{"NoCube", "tpu-v4-podslice", "3x3x3", 4, 7, "TPU203"},
                    // The order of v4 is disputed, so it warns.
                    Peer{"OrderOnV4", "tpu-v4-podslice", "4x12x4", 4, 48, ""},
                    Peer{"OrderOnV5p", "tpu-v5p-slice", "4x12x4", 4, 48, "TPU203"},
                    Peer{"TooManyCubesOnV4", "tpu-v4-podslice", "16x16x32", 4, 2048, "TPU203"},
                    Peer{"CustomV4", "tpu-v4-podslice", "4x4x12", 4, 48, ""},
                    Peer{"CustomV5p", "tpu-v5p-slice", "4x4x12", 4, 48, ""},
                    Peer{"SmallV4", "tpu-v4-podslice", "2x2x1", 4, 1, ""},
                    Peer{"SmallV6e", "tpu-v6e-slice", "2x2", 4, 1, ""},
                    Peer{"V5e", "tpu-v5-lite-podslice", "4x4", 4, 4, ""},
                    Peer{"NoFamily", "tpu-v7-8", "2x2", 4, 1, "TPU101"},
                    Peer{"OneByOneByOne", "tpu-v4-podslice", "1x1x1", 1, 1, "TPU203 TPU301"},
                    Peer{"NotDouble", "tpu-v4-podslice", "2x2x3", 4, 3, "TPU203"}),
    CaseName());

// The controller of dynamic slices, and the webhooks that place parts of slices.
INSTANTIATE_TEST_SUITE_P(
    Slices, PeerCases,
    testing::Values(Peer{"OneBlock", "tpu7x", "", 4, 16, "", "4x4x4"},
                    Peer{"TwoBlocks", "tpu7x", "", 4, 32, "", "4x4x8"},
                    Peer{"ManyBlocks", "tpu7x", "", 4, 2304, "", "16x24x24"},
                    Peer{"UnevenBlocks", "tpu7x", "", 4, 256, "", "4x8x32"},
                    Peer{"OneHost", "tpu7x", "", 4, 1, "", "2x2x1"},
                    Peer{"TwoHosts", "tpu7x", "", 4, 2, "", "2x2x2"},
                    Peer{"HalfABlock", "tpu7x", "", 4, 8, "", "2x4x4"},
                    Peer{"FlatSlice", "tpu7x", "", 4, 4, "TPU204", "4x4"},
                    Peer{"FourDimensional", "tpu7x", "", 4, 64, "TPU204", "4x4x4x4"},
                    Peer{"LetterInIt", "tpu7x", "", 4, 4, "TPU204", "4x4xa"},
                    Peer{"OddSide", "tpu7x", "", 4, 12, "TPU204", "3x4x4"},
                    Peer{"FallingOrder", "tpu7x", "", 4, 32, "TPU204", "8x4x4"},
                    Peer{"ZeroSide", "tpu7x", "", 4, 1, "TPU204", "0x4x4"},
                    Peer{"TrailingX", "tpu7x", "", 4, 16, "TPU204", "4x4x4x"},
                    Peer{"TwoSidesAndX", "tpu7x", "", 4, 4, "TPU204", "4x4x"},
                    // As many chips as 4x8, and yet no part of it.
                    Peer{"LongerThanParent", "tpu-v6e-slice", "4x8", 4, 8, "TPU207", "2x16"},
                    Peer{"LargerThanParent", "tpu-v6e-slice", "2x4", 4, 4, "TPU207", "4x4"},
                    Peer{"EqualToParent", "tpu-v6e-slice", "4x4", 4, 4, "", "4x4"},
                    Peer{"PartOfParent", "tpu-v6e-slice", "4x4", 4, 2, "", "2x4"},
                    // Fits by its sides; that v6e has no such shape warns.
                    Peer{"FitsBySides", "tpu-v6e-slice", "4x4", 4, 1, "", "3x3"},
                    Peer{"NotANumber", "tpu-v6e-slice", "4x4", 4, 1, "TPU204", "NaNx4"}),
    CaseName());

const std::string kBlock =
    "        kueue.x-k8s.io/podset-slice-required-topology: "
    "cloud.google.com/gke-tpu-partition-4x4x4-id\n";
std::string Size(const std::string& size) {
  return "        kueue.x-k8s.io/podset-slice-size: '" + size + "'\n";
}

// Kueue's own checks, and full use of each slice.
INSTANTIATE_TEST_SUITE_P(
    Kueue, PeerCases,
    testing::Values(
        Peer{"ThreeBlocks", "tpu7x", "", 4, 48, "", "4x4x12", kBlock + Size("16")},
        Peer{"OneChipPods", "tpu7x", "", 1, 16, "TPU205", "4x4x4", kBlock + Size("16")},
        Peer{"HalfOfTwoBlocks", "tpu7x", "", 4, 16, "TPU205", "4x4x8", kBlock + Size("8")},
        Peer{"SizeAboveCount", "tpu7x", "", 4, 8, "TPU206", "4x4x4", kBlock + Size("16")},
        Peer{"SizeWithoutTopology", "tpu7x", "", 4, 16, "TPU206", "4x4x4", Size("16")},
        Peer{"TopologyWithoutSize", "tpu7x", "", 4, 16, "TPU206", "4x4x4", kBlock},
        Peer{"SizeNoNumber", "tpu7x", "", 4, 16, "TPU206", "4x4x4", kBlock + Size("sixteen")},
        Peer{"SizeZero", "tpu7x", "", 4, 16, "TPU206", "4x4x4", kBlock + Size("0")},
        Peer{"GroupIsNumber", "tpu7x", "", 4, 16, "TPU206", "4x4x4",
             "        kueue.x-k8s.io/podset-required-topology: example.com/block\n"
             "        kueue.x-k8s.io/podset-group-name: '7'\n"},
        // Only warned of: newer versions have a feature gate for it.
        Peer{"GroupWithSize", "tpu7x", "", 4, 16, "", "4x4x4",
             kBlock + Size("16") + "        kueue.x-k8s.io/podset-group-name: pair\n"}),
    CaseName());

// A machine with GPUs is none of our business, whatever its topology says.
TEST(PeerCases, AGpuPodWithAnInvalidTopologyIsLeftAlone) {
  EXPECT_TRUE(FindingsOf(R"(apiVersion: v1
kind: Pod
metadata: {name: gpu}
spec:
  nodeSelector: {cloud.google.com/gke-accelerator: nvidia-l4}
  containers:
  - {name: main, image: example.com/cuda, resources: {limits: {nvidia.com/gpu: 1}}}
)")
                  .empty());
}

}  // namespace
}  // namespace tpu_admission::rules::peer_selection_test
