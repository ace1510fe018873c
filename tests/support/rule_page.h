// The README of a rule, taken apart, and what the comments of a manifest say about the cluster.
#pragma once

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "tpu_admission/rules/engine.h"
#include "tpu_admission/rules/readme.h"
#include "tpu_admission/tpu/seen_shapes.h"

namespace tpu_admission::rules {

// The text below "## `title`", without the empty lines around it; "" if there is none.
inline std::string SectionOf(const Rule& rule, const std::string& title) {
  const std::string page(ReadmeOf(rule));
  const std::string heading = "\n## " + title + "\n\n";
  const std::size_t begin = page.find(heading);
  if (begin == page.npos) return "";
  const std::size_t end =
      std::min(page.find("\n\n## ", begin + 1), page.find_last_not_of('\n') + 1);
  return page.substr(begin + heading.size(), end - begin - heading.size());
}

// The manifest of "Wrong" or "Right".
inline std::string ManifestOf(const Rule& rule, const std::string& title) {
  const std::string section = SectionOf(rule, title);
  constexpr std::string_view kOpen = "```yaml\n";
  constexpr std::string_view kClose = "```";
  if (!section.starts_with(kOpen) || !section.ends_with(kClose)) return "";
  return section.substr(kOpen.size(), section.size() - kOpen.size() - kClose.size());
}

// It looks at what stands beside an object in its file, of which a review knows nothing: so its
// wrong manifest is more than one object.
inline bool NeedsItsFile(const Rule& rule) {
  return ManifestOf(rule, "Wrong").find("\n---\n") != std::string::npos;
}

inline std::vector<const Rule*> RulesOfReviews() {
  std::vector<const Rule*> rules(AllRules().begin(), AllRules().end());
  std::erase_if(rules, [](const Rule* rule) { return NeedsItsFile(*rule); });
  return rules;
}

// "tpu-v6e-slice 2x4 x 3, tpu-v6e-slice 4x4 x 0": so many nodes of the shapes; of 0 there were
// some.
inline std::shared_ptr<tpu::SeenShapes> ShapesOf(const std::string& text) {
  auto seen = std::make_shared<tpu::SeenShapes>();
  seen->autoscaler = false;
  std::istringstream rows(text);
  for (std::string row; std::getline(rows, row, ',');) {
    std::istringstream words(row);
    std::string accelerator, topology, times;
    int nodes = 0;
    words >> accelerator >> topology >> times >> nodes;
    for (int i = 0; i < std::max(nodes, 1); ++i) seen->Count(accelerator, topology, 4, "a");
    if (nodes > 0) continue;
    for (tpu::SeenShape& shape : seen->shapes) {
      if (shape.accelerator != accelerator || shape.topology != topology) continue;
      shape.nodes = 0;
      shape.seen = Day{2026, 11, 20};
    }
  }
  return seen;
}

// By the comments of the first lines: `# cluster-location: us-east5`, `# cluster-mode: autopilot`,
// `# gke-version: 1.31.1`, `# nodes: tpu-v6e-slice 2x4 x 3`, and after it `# autoscaler`.
inline Cluster ClusterOf(const std::string& manifest) {
  Cluster cluster;
  std::shared_ptr<tpu::SeenShapes> shapes;
  std::istringstream lines(manifest);
  for (std::string line; std::getline(lines, line) && line.starts_with("# ");) {
    if (line.starts_with("# cluster-location: ")) cluster.region = RegionOf(line.substr(20));
    if (line.starts_with("# gke-version: ")) cluster.gke_version = line.substr(15);
    if (line.starts_with("# nodes: ")) shapes = ShapesOf(line.substr(9));
    if (line == "# autoscaler" && shapes) shapes->autoscaler = true;
    if (line == "# cluster-mode: autopilot") cluster.platform = Platform::kAutopilot;
    if (line == "# cluster-mode: self-managed") cluster.platform = Platform::kSelfManaged;
  }
  cluster.shapes = shapes;
  return cluster;
}

}  // namespace tpu_admission::rules
