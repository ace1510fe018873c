#include "controller/node_watch.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "tpu_admission/k8s/json.h"
#include "tpu_admission/kube/backoff.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::controller {
namespace {

using k8s::JsonView;

constexpr const char* kNodes = "/api/v1/nodes";
constexpr std::size_t kMostPages = 10'000;   // a server that has more goes in circles
constexpr std::size_t kMostLabelBytes = 63;  // of any label's value in Kubernetes

// As much text with escapes as an answer may have at all: annotations are full of them.
constexpr k8s::JsonParser::Wish kOfNodes{.max_unescaped = 4 << 20, .lone_surrogates = true};

std::string TextAt(JsonView object, std::string_view path) {
  return std::string(object.Follow(path).StringOr(""));
}

// nullopt: it has no name that a node can have.
std::optional<Node> ReadNode(JsonView object) {
  const JsonView labels = object.Follow("metadata/labels");
  const auto label = [&](std::string_view key) {
    const std::string_view value = labels[key].StringOr("");
    return std::string(value.size() > kMostLabelBytes ? "" : value);
  };
  if (!kube::IsObjectName(object.Follow("metadata/name").StringOr(""))) return std::nullopt;
  Node node{.name = TextAt(object, "metadata/name"),
            .pool = label(workload::kGkeNodePool),
            .shape = {.accelerator = label(workload::kGkeTpuAccelerator),
                      .topology = label(workload::kGkeTpuTopology)}};
  constexpr std::int64_t kMostChips = 1'000'000;
  const std::string chips = label(workload::kGkeAcceleratorCount);
  std::from_chars(chips.data(), chips.data() + chips.size(), node.shape.chips);
  node.shape.chips = std::clamp<std::int64_t>(node.shape.chips, 0, kMostChips);
  return node;
}

}  // namespace

NodeWatch::NodeWatch(kube::WatchApi& api, NodeTable& table, const Clock& clock, Observer& observer)
    : api_(api), table_(table), clock_(clock), observer_(observer) {}

std::chrono::milliseconds NodeWatch::Step(const std::function<bool()>& go_on, double random) {
  const bool listing = version_.empty();
  if (listing ? List(go_on) : Watch(go_on)) {
    if (!listing) failures_ = 0;
    return std::chrono::milliseconds(0);
  }
  ++failures_;
  return kube::Backoff(kFirstBackoff, failures_, random, kLongestBackoff);
}

bool NodeWatch::List(const std::function<bool()>& go_on) {
  const Clock::Wall start = clock_.Now();
  kube::ListQuery query{.collection = kNodes,
                        .label_selector = std::string(workload::kGkeTpuAccelerator)};
  std::vector<Node> nodes;
  std::string version;
  std::size_t pages = 0;
  do {
    if (!go_on()) return false;
    if (++pages > kMostPages) return Fail("GET /api/v1/nodes: the list has no end");
    query.limit = limit_;
    const kube::Answer answer = api_.List(query);
    if (answer.outcome == kube::Outcome::kTooLarge) limit_ = std::max(limit_ / 2, 1);
    if (!answer.ok()) return Fail(answer.error);
    k8s::JsonParser parser(kOfNodes);
    const Result<JsonView> list = parser.Parse(answer.body);
    if (!list) {
      limit_ = std::max(limit_ / 2, 1);  // it may be that there is too much in it
      return Fail("GET /api/v1/nodes: " + list.error().message);
    }
    const JsonView items = (*list)["items"];
    version = TextAt(*list, "metadata/resourceVersion");
    // The API server writes a list of nothing as null.
    if ((items.has_value() && !items.is_array()) || version.empty()) {
      return Fail("GET /api/v1/nodes: this is no list");
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (auto node = Named(ReadNode(items.Element(i)))) nodes.push_back(*std::move(node));
    }
    query.continue_token = TextAt(*list, "metadata/continue");
  } while (!query.continue_token.empty() && nodes.size() <= NodeTable::kMostNodes);
  table_.Replace(nodes, start);
  version_ = version;
  return true;
}

bool NodeWatch::Watch(const std::function<bool()>& go_on) {
  const Clock::Mono start = clock_.Elapsed();
  bool understood = true;
  std::size_t events = 0;
  const kube::WatchQuery query{.collection = kNodes,
                               .label_selector = std::string(workload::kGkeTpuAccelerator),
                               .resource_version = version_};
  const kube::Answer answer = api_.Watch(query, [&](std::string_view event) {
    understood = Take(event);
    if (understood) ++events;
    return understood && go_on();
  });
  if (!understood) return false;
  if (answer.status == 410) version_.clear();  // Gone: it has forgotten what came after version_
  if (!answer.ok()) return go_on() ? Fail(answer.error) : false;
  table_.Touch(clock_.Now());
  // One that ends at once, again and again, is no success.
  return events > 0 || clock_.Elapsed() - start >= std::chrono::seconds(1);
}

// https://kubernetes.io/docs/reference/kubernetes-api/ WatchEvent
bool NodeWatch::Take(std::string_view text) {
  k8s::JsonParser parser(kOfNodes);
  const Result<JsonView> read = parser.Parse(text);
  const JsonView event = read ? *read : JsonView();
  const std::string_view type = event["type"].StringOr("");
  const JsonView object = event["object"];
  const std::string version = TextAt(object, "metadata/resourceVersion");
  if (type == "ERROR" || version.empty()) {
    // Of a status with code 410 too: whatever it is, only a list knows what is there.
    version_.clear();
    const std::string why = TextAt(object, "message");
    return Fail("watch of /api/v1/nodes: " + (why.empty() ? "an event without a version" : why));
  }
  const Clock::Wall now = clock_.Now();
  if (type == "ADDED" || type == "MODIFIED") {
    if (const auto node = Named(ReadNode(object))) table_.Put(*node, now);
  }
  if (type == "DELETED") table_.Remove(TextAt(object, "metadata/name"), now);
  version_ = version;
  table_.Touch(now);
  return true;
}

std::optional<Node> NodeWatch::Named(std::optional<Node> node) {
  if (!node && !std::exchange(told_no_name_, true)) {
    observer_.OnNote("a node without a name of at most 253 bytes that a node can have is left out");
  }
  return node;
}

bool NodeWatch::Fail(const std::string& why) {
  observer_.OnError(Operation::kWatchNodes, why);
  return false;
}

}  // namespace tpu_admission::controller
