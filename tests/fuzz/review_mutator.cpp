// Mutates AdmissionReviews as JSON, so that most of what is tried gets past the parser: values that
// mean something to TPUs in the places where they mean it, lists and maps that are missing, empty,
// doubled or of another type, other kinds around the same pod, UPDATEs. One in four times, bytes.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "tpu_admission/base/json_tree.h"
#include "unit/admission/random_pod.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using nlohmann::json;
using Random = std::minstd_rand;

const json kValues = json::parse(R"([
  "tpu-v6e-slice", "tpu7x", "tpu-v5p-slice", "tpu-v5-lite-podslice", "tpu-v4-podslice", "tpu-v9-x",
  "2x2", "2x4", "4x4", "2x2x1", "2x2x4", "4x4x4", "16x16", "0x4", "4", 4, "8", 8, "0", "-1", -1, 1,
  "500m", "1e3", "64Gi", "9223372036854775807", 1e300, 0.5, true, false, null, "", [], {},
  "google.com/tpu", "us-east5-b", "us-central1-a", "Exists", "Always", "In", "NotIn", "true",
  "localhost"])");
const json kKeys = json::parse(R"([
  "cloud.google.com/gke-tpu-accelerator", "cloud.google.com/gke-tpu-topology", "google.com/tpu",
  "cpu", "memory", "requests", "limits", "tolerations", "nodeSelector", "affinity", "podAffinity",
  "env", "initContainers", "hostNetwork", "dnsPolicy", "subdomain", "hostname", "ownerReferences",
  "parallelism", "completions", "replicas", "resources", "schedulingGates", "ray.io/cluster",
  "ray.io/group", "generateName"])");
// Around a pod template: where it lies in the object, and the kind.
struct Wrapping {
  const char *group, *version, *kind, *at;
};
constexpr Wrapping kWrappings[] = {
    {"", "v1", "Pod", ""},
    {"batch", "v1", "Job", "/spec/template"},
    {"batch", "v1", "CronJob", "/spec/jobTemplate/spec/template"},
    {"apps", "v1", "StatefulSet", "/spec/template"},
    {"apps", "v1", "Deployment", "/spec/template"},
    {"jobset.x-k8s.io", "v1alpha2", "JobSet", "/spec/replicatedJobs/0/template/spec/template"},
    {"leaderworkerset.x-k8s.io", "v1", "LeaderWorkerSet",
     "/spec/leaderWorkerTemplate/workerTemplate"},
    {"ray.io", "v1", "RayCluster", "/spec/workerGroupSpecs/0/template"},
    {"argoproj.io", "v1alpha1", "Workflow", "/spec/templates/0"},
};

std::size_t Roll(Random& random, std::size_t sides) { return random() % sides; }

// Any value of the tree below `root`, the deeper the likelier.
json& Anywhere(json& root, Random& random) {
  json* node = &root;
  while (node->is_structured() && !node->empty() && Roll(random, 12) != 0) {
    node = &*std::next(node->begin(), std::ptrdiff_t(Roll(random, node->size())));
  }
  return *node;
}

void Wrap(json& request, Random& random) {
  const Wrapping& kind = kWrappings[Roll(random, std::size(kWrappings))];
  const json pod = tpu_admission::RandomPod(random());
  json object = {{"metadata", {{"name", "w"}}}};
  if (*kind.at == '\0') {
    object = pod;
  } else {
    // Lists on the way: a list of one.
    object["spec"] = json::object();
    for (const char* const list : {"replicatedJobs", "workerGroupSpecs", "templates"}) {
      if (std::strstr(kind.at, list) != nullptr)
        object["spec"][list] = json::array({json::object()});
    }
    object[json::json_pointer(kind.at)] = {{"metadata", pod["metadata"]}, {"spec", pod["spec"]}};
  }
  request["kind"] = {{"group", kind.group}, {"version", kind.version}, {"kind", kind.kind}};
  request["object"] = std::move(object);
}

void MutateOnce(json& review, Random& random) {
  if (!review.is_object()) return;  // it was replaced as a whole
  json& request = review["request"];
  if (!request.is_object()) request = json::object();
  json& place = Anywhere(Roll(random, 8) == 0 ? review : request["object"], random);
  switch (Roll(random, 9)) {
    case 0:
      Wrap(request, random);
      break;
    case 1:
      request["operation"] = "UPDATE";
      request["oldObject"] = request["object"];
      break;
    case 2:
      place = kValues[Roll(random, kValues.size())];
      break;
    case 3:
      if (place.is_object())
        place[kKeys[Roll(random, kKeys.size())].get<std::string>()] =
            kValues[Roll(random, kValues.size())];
      break;
    case 4:
      if (place.is_array() && !place.empty()) place.push_back(place[Roll(random, place.size())]);
      break;
    case 5:
      if (place.is_structured() && !place.empty()) {
        place.erase(std::next(place.begin(), std::ptrdiff_t(Roll(random, place.size()))));
      }
      break;
    case 6: {
      json copy = Anywhere(request, random);
      if (tpu_admission::Dumped(copy).size() < 2000) place = std::move(copy);
      break;
    }
    case 7:
      if (place.is_number()) place = std::int64_t(random()) - (1 << 20);
      break;
    default:
      if (place.is_string()) {
        auto text = place.get<std::string>();
        std::string grown = text;
        grown.resize(text.size() + 8);
        grown.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(grown.data()), text.size(),
                                      grown.size()));
        place = std::move(grown);
      }
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  Random random(seed);
  json review = json::parse(data, data + size, nullptr, /*allow_exceptions=*/false);
  if (!review.is_object() || Roll(random, 4) == 0) return LLVMFuzzerMutate(data, size, max_size);
  for (std::size_t left = 1 + Roll(random, 4); left > 0; --left) MutateOnce(review, random);
  const std::string text = tpu_admission::Dumped(review);
  if (text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}
