#include "tpu_admission/tpu/seen_shapes.h"

#include <algorithm>
#include <tuple>

#include "tpu_admission/base/clock.h"
#include "tpu_admission/base/config_reader.h"
#include "tpu_admission/base/json_string.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::tpu {
namespace {

constexpr IntRange kCount{0, 1'000'000'000};

std::int64_t ReadTime(ConfigNode node, std::string_view key) {
  const std::string text = node.String(key);
  if (const auto time = ReadUtc(text)) return Clock::Wall::clock::to_time_t(*time);
  if (!text.empty()) node.Fail(key, "is no time such as 2026-11-22T05:37:02Z");
  return 0;
}

SeenShape ReadShape(ConfigNode node) {
  SeenShape shape{.accelerator = node.String("accelerator"),
                  .topology = node.String("topology"),
                  .chips = node.Int("chips", kCount),
                  .nodes = node.Int("nodes", kCount),
                  .most_nodes = node.Int("most", kCount),
                  .pools = node.Int("pools", kCount),
                  .pool = node.StringOr("pool", ""),
                  .seen = std::nullopt};
  if (!node.Has("seen")) return shape;
  shape.seen = ParseDay(node.String("seen"));
  if (!shape.seen) node.Fail("seen", "is no day such as 2026-11-22");
  return shape;
}

auto NameOf(const SeenShape& shape) {
  return std::tuple<std::string_view, std::string_view>(shape.accelerator, shape.topology);
}
auto KeyOf(const SeenShape& shape) {
  return std::tuple<std::string_view, std::string_view, std::int64_t>(shape.accelerator,
                                                                      shape.topology, shape.chips);
}

void AppendText(std::string& text, std::string_view key, std::string_view value) {
  text.append(key).append(": ");
  AppendJsonString(text, value);
}

void AppendNumber(std::string& text, std::string_view key, std::int64_t value) {
  text.append(", ").append(key).append(": ").append(std::to_string(value));
}

void AppendShape(std::string& text, const SeenShape& shape) {
  AppendText(text, "- {accelerator", shape.accelerator);
  AppendText(text, ", topology", shape.topology);
  AppendNumber(text, "chips", shape.chips);
  AppendNumber(text, "nodes", shape.nodes);
  AppendNumber(text, "most", shape.most_nodes);
  AppendNumber(text, "pools", shape.pools);
  if (!shape.pool.empty()) AppendText(text, ", pool", shape.pool);
  if (shape.seen) AppendText(text, ", seen", tpu_admission::Text(*shape.seen));
  text += "}\n";
}

std::string Described(const SeenShape& shape) {
  std::string text = Printable(shape.accelerator) + " " + Printable(shape.topology) + " (";
  if (shape.nodes > 0) {
    text += Counted(shape.nodes, "node");
    if (shape.chips > 0) text += " of " + Counted(shape.chips, "chip");
  } else {
    text += "none now, " + Counted(shape.most_nodes, "node");
    if (shape.seen) text += " until " + tpu_admission::Text(*shape.seen);
  }
  return text + ")";
}

}  // namespace

Result<SeenShapes> SeenShapes::Load(std::string_view text, std::string_view origin) {
  TPU_ADMISSION_TRY(ConfigFile file, ConfigFile::Parse(text, origin));
  ConfigNode root = file.root();
  SeenShapes seen;
  seen.since = ReadTime(root, "since");
  seen.current = ReadTime(root, "current");
  seen.autoscaler = root.Bool("autoscaler");
  std::vector<ConfigNode> rows = root.List("shapes");
  if (rows.size() > kMost) root.Fail("shapes", "has more than " + std::to_string(kMost));
  rows.resize(std::min(rows.size(), kMost), root);
  for (const ConfigNode& row : rows) seen.shapes.push_back(ReadShape(row));
  TPU_ADMISSION_TRY_STATUS(file.Finish());
  std::sort(seen.shapes.begin(), seen.shapes.end(),
            [](const SeenShape& a, const SeenShape& b) { return KeyOf(a) < KeyOf(b); });
  return seen;
}

std::string SeenShapes::Text() const {
  std::string text =
      "# The TPU nodes of this cluster, now and formerly; kept by tpu-admission controller.\n";
  AppendText(text, "since", UtcText(WallOf(since)));
  AppendText(text, "\ncurrent", UtcText(WallOf(current)));
  text.append("\nautoscaler: ").append(autoscaler ? "true" : "false");
  text += shapes.empty() ? "\nshapes: []\n" : "\nshapes:\n";
  for (const SeenShape& shape : shapes) AppendShape(text, shape);
  return text;
}

bool SeenShapes::Has(std::string_view accelerator, std::string_view topology) const {
  const std::tuple wanted(accelerator, topology);
  const auto found = std::lower_bound(
      shapes.begin(), shapes.end(), wanted,
      [](const SeenShape& shape, const auto& name) { return NameOf(shape) < name; });
  return found != shapes.end() && NameOf(*found) == wanted;
}

void SeenShapes::Count(std::string_view accelerator, std::string_view topology, std::int64_t chips,
                       std::string_view pool) {
  const std::tuple wanted(accelerator, topology, chips);
  auto found =
      std::lower_bound(shapes.begin(), shapes.end(), wanted,
                       [](const SeenShape& shape, const auto& key) { return KeyOf(shape) < key; });
  if (found == shapes.end() || KeyOf(*found) != wanted) {
    found = shapes.insert(found, SeenShape{.accelerator = std::string(accelerator),
                                           .topology = std::string(topology),
                                           .chips = chips});
  }
  ++found->nodes;
  found->most_nodes = std::max(found->most_nodes, found->nodes);
  found->pool = pool;
}

std::string Listed(std::span<const SeenShape> shapes, std::size_t most) {
  std::vector<const SeenShape*> order;
  for (const SeenShape& shape : shapes) order.push_back(&shape);
  std::stable_partition(order.begin(), order.end(),
                        [](const SeenShape* shape) { return shape->nodes > 0; });
  const std::size_t told = std::min(most, order.size());
  std::string text;
  for (std::size_t i = 0; i < told; ++i) {
    if (i > 0) text += i + 1 == order.size() ? " and " : ", ";
    text += Described(*order[i]);
  }
  if (told < order.size()) text += " and " + std::to_string(order.size() - told) + " more";
  return text;
}

}  // namespace tpu_admission::tpu
