// The README of a rule, taken apart, and what the comments of a manifest say about the cluster.
#pragma once

#include <sstream>
#include <string>

#include "tpu_admission/rules/engine.h"
#include "tpu_admission/rules/readme.h"

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

// By the comments of the first lines: `# cluster-location: us-east5`, `# cluster-mode: autopilot`,
// `# gke-version: 1.31.1`.
inline Cluster ClusterOf(const std::string& manifest) {
  Cluster cluster;
  std::istringstream lines(manifest);
  for (std::string line; std::getline(lines, line) && line.starts_with("# ");) {
    if (line.starts_with("# cluster-location: ")) cluster.region = RegionOf(line.substr(20));
    if (line.starts_with("# gke-version: ")) cluster.gke_version = line.substr(15);
    if (line == "# cluster-mode: autopilot") cluster.platform = Platform::kAutopilot;
    if (line == "# cluster-mode: self-managed") cluster.platform = Platform::kSelfManaged;
  }
  return cluster;
}

}  // namespace tpu_admission::rules
