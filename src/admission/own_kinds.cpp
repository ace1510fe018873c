#include "admission/own_kinds.h"

#include <array>

namespace tpu_admission::admission {
namespace {

using workload::Counting;
using workload::KindDefinition;

struct CountingName {
  std::string_view name;
  Counting counting;
};
constexpr std::array<CountingName, 6> kCountings = {{{"none", Counting::kNone},
                                                     {"job", Counting::kJob},
                                                     {"replicas", Counting::kReplicas},
                                                     {"per-slice", Counting::kPerSlice},
                                                     {"together", Counting::kTogether},
                                                     {"elsewhere", Counting::kElsewhere}}};

KindDefinition::PodSet ReadPodSet(ConfigNode row) {
  std::array<std::string_view, kCountings.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kCountings[i].name;
  KindDefinition::PodSet pods;
  pods.path = row.String("path");
  pods.counting = kCountings[row.OneOfOr("counting", names, 0)].counting;
  pods.counts = row.StringOr("counts", "");
  pods.count = row.StringOr("count", "");
  pods.slices = row.StringOr("slices", "");
  return pods;
}

KindDefinition ReadKind(ConfigNode row) {
  KindDefinition kind;
  kind.group = row.String("group");
  kind.name = row.String("kind");
  kind.resource = row.String("resource");
  for (const std::string& version : row.Strings("versions")) {
    kind.versions.append(kind.versions.empty() ? "" : " ").append(version);
  }
  for (const ConfigNode& pods : row.List("podSets")) kind.pod_sets.push_back(ReadPodSet(pods));
  return kind;
}

}  // namespace

workload::KindTable ReadKinds(ConfigNode root) {
  std::vector<KindDefinition> definitions;
  workload::KindTable table;
  for (ConfigNode row : root.ListOrNone("kinds")) {
    definitions.push_back(ReadKind(row));
    Result<workload::KindTable> with = workload::KindTable::With(definitions);
    if (with) {
      table = *std::move(with);
    } else {
      row.Fail(with.error().message);
      definitions.pop_back();
    }
  }
  return table;
}

}  // namespace tpu_admission::admission
