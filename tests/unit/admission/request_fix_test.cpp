// The request fix against an independent calculation: the numbers are read from
// config/tpu-catalog.yaml as plain YAML, and the arithmetic is written down a second time.
#include <gtest/gtest.h>

#include <algorithm>

#include <map>

#include "support/asker.h"
#include "support/temp_dir.h"
#include "support/yaml_json.h"

namespace tpu_admission::admission::request_fix_test {
namespace {

using nlohmann::json;

struct Machine {
  std::int64_t chips;
  std::int64_t cpu_millis;
  std::int64_t memory_mib;
};

// One row of the table: all machines that serve a topology of a label.
struct Row {
  std::string label;
  std::string topology;
  std::vector<Machine> machines;
};

std::vector<Row> Rows() {
  const std::string text = support::ReadText(TPU_ADMISSION_SOURCE_DIR "/config/tpu-catalog.yaml");
  const json catalog = json::parse(ParseYaml(text).value().front().json);
  std::vector<Row> rows;
  for (const json& generation : catalog["generations"]) {
    std::map<std::string, Machine> machines;
    for (const json& machine : generation["machines"]) {
      const json& allocatable = machine["allocatable"];
      machines[machine["name"]] = {machine["chips"], allocatable["cpu_millis"],
                                   allocatable["memory_mib"]};
    }
    std::map<std::string, Row> by_topology;
    for (const json& placement : generation["placements"]) {
      const std::string topology = placement["topology"];
      by_topology.try_emplace(topology, Row{generation["label"], topology, {}})
          .first->second.machines.push_back(machines.at(placement["machine"]));
    }
    for (const auto& [topology, row] : by_topology) rows.push_back(row);
  }
  return rows;
}

json BarePod(const Row& row, const std::vector<std::int64_t>& chips) {
  json pod = Without(TpuPod(), "/spec/containers");
  pod["spec"]["nodeSelector"] = {{"cloud.google.com/gke-tpu-accelerator", row.label},
                                 {"cloud.google.com/gke-tpu-topology", row.topology}};
  for (const std::int64_t count : chips) {
    pod["spec"]["containers"].push_back(
        {{"name", "c"}, {"resources", {{"limits", {{"google.com/tpu", count}}}}}});
  }
  return pod;
}

// 80 % of what the smallest machine that has the chips gives, in proportion to the chips. Where
// some machine has just these, no larger one is taken: its container would have to ask for all.
std::int64_t Share(const Row& row, std::int64_t pod_chips, std::int64_t Machine::*resource) {
  std::int64_t least = 0;
  const bool exact = row.label != "tpu7x" && std::any_of(row.machines.begin(), row.machines.end(),
                                                         [&](const Machine& machine) {
                                                           return machine.chips == pod_chips;
                                                         });
  for (const Machine& machine : row.machines) {
    if (machine.chips < pod_chips || (exact && machine.chips != pod_chips)) continue;
    const std::int64_t share = machine.*resource * pod_chips * 80 / machine.chips / 100;
    if (least == 0 || share < least) least = share;
  }
  return least;
}

json Requests(const json& pod, std::size_t container) {
  Asker asker;
  const json patch = asker.Mutate(Review(pod)).patch();
  if (patch.is_null()) return json();
  return pod.patch(patch)["spec"]["containers"][container]["resources"].value("requests", json());
}

std::string Millis(std::int64_t cpu) { return std::to_string(cpu) + "m"; }
std::string Mebibytes(std::int64_t memory) { return std::to_string(memory) + "Mi"; }

TEST(RequestFix, GivesEveryRowOfTheCatalogItsShare) {
  const std::vector<Row> rows = Rows();
  ASSERT_GT(rows.size(), 40U);
  for (const Row& row : rows) {
    for (const Machine& machine : row.machines) {
      SCOPED_TRACE(row.label + " " + row.topology + " " + std::to_string(machine.chips));
      const json requests = Requests(BarePod(row, {machine.chips}), 0);
      ASSERT_FALSE(requests.is_null());
      EXPECT_EQ(requests["cpu"], Millis(Share(row, machine.chips, &Machine::cpu_millis)));
      EXPECT_EQ(requests["memory"], Mebibytes(Share(row, machine.chips, &Machine::memory_mib)));
    }
  }
}

const Row kV6e = {"tpu-v6e-slice", "2x2", {{4, 179480, 704026}}};

TEST(RequestFix, OthersAreTakenOffFirst) {
  json pod = BarePod(kV6e, {4});
  pod["spec"]["containers"].push_back(
      {{"name", "web"},
       {"resources", {{"requests", {{"cpu", "1500m"}}}, {"limits", {{"memory", "2Gi"}}}}}});
  pod["spec"]["initContainers"] = json::array(
      {{{"name", "proxy"},
        {"restartPolicy", "Always"},
        {"resources", {{"requests", {{"cpu", 1}, {"memory", "1Gi"}}}}}},
       {{"name", "once"}, {"resources", {{"requests", {{"cpu", "100"}, {"memory", "1Ti"}}}}}}});
  pod["spec"]["overhead"] = {{"cpu", "250m"}, {"memory", "120Mi"}};
  const json requests = Requests(pod, 0);
  EXPECT_EQ(requests["cpu"], Millis(143584 - 1500 - 1000 - 250));
  EXPECT_EQ(requests["memory"], Mebibytes(563220 - 2048 - 1024 - 120));
}

TEST(RequestFix, ContainersShareByTheirChips) {
  const Row tpu7x = {"tpu7x", "2x2x1", {{4, 223370, 941030}}};
  const json pod = BarePod(tpu7x, {1, 2});
  const std::int64_t cpu = Share(tpu7x, 3, &Machine::cpu_millis);
  const std::int64_t memory = Share(tpu7x, 3, &Machine::memory_mib);
  EXPECT_EQ(Requests(pod, 0)["cpu"], Millis(cpu / 3));
  EXPECT_EQ(Requests(pod, 1)["cpu"], Millis(cpu * 2 / 3));
  EXPECT_EQ(Requests(pod, 0)["memory"], Mebibytes(memory / 3));
  EXPECT_EQ(Requests(pod, 1)["memory"], Mebibytes(memory * 2 / 3));
}

// "4X4" may be meant as 4x4, whose hosts are smaller than the largest of the generation.
TEST(RequestFix, NothingIsAddedWhereTheTopologyCannotBeRead) {
  const Row v5e = {"tpu-v5-lite-podslice", "4X4", {}};
  EXPECT_TRUE(Requests(BarePod(v5e, {8}), 0).is_null());
  EXPECT_TRUE(Requests(BarePod(v5e, {4}), 0).is_null());
}

TEST(RequestFix, NothingIsAddedWhereNothingIsLeft) {
  json pod = BarePod(kV6e, {4});
  pod["spec"]["containers"].push_back(
      {{"name", "web"}, {"resources", {{"requests", {{"cpu", "143584m"}}}}}});
  const json requests = Requests(pod, 0);
  EXPECT_FALSE(requests.contains("cpu"));
  EXPECT_EQ(requests["memory"], "563220Mi");
}

TEST(RequestFix, HugeAmountsOfOthersDoNoHarm) {
  json pod = BarePod(kV6e, {4});
  for (const char* amount : {"1e100", "9223372036854775807", "-1e100", "-5"}) {
    json with = pod;
    with["spec"]["containers"].push_back(
        {{"name", "web"}, {"resources", {{"requests", {{"cpu", amount}, {"memory", amount}}}}}});
    with["spec"]["overhead"] = {{"cpu", std::string(amount).starts_with('-') ? amount : "0"}};
    const json requests = Requests(with, 0);
    if (std::string(amount).starts_with('-')) {
      EXPECT_EQ(requests["cpu"], "143584m") << "a negative amount must not make the share larger";
      EXPECT_EQ(requests["memory"], "563220Mi");
    } else {
      EXPECT_FALSE(requests.contains("cpu")) << amount;
    }
  }
}

TEST(RequestFix, HugeNumbersOfChipsDoNoHarm) {
  for (const std::int64_t chips : {INT64_MAX, std::int64_t{1'000'000}, std::int64_t{1'000'001}}) {
    EXPECT_TRUE(Requests(BarePod(kV6e, {chips, chips}), 1).is_null()) << chips;
  }
}

}  // namespace
}  // namespace tpu_admission::admission::request_fix_test
