// The loader is strict: a small sound catalog, one change, and the exact message.
#include <gtest/gtest.h>

#include <string>

#include "tpu_admission/tpu/catalog.h"

namespace tpu_admission::tpu::catalog_loader_test {
namespace {

constexpr std::string_view kSound =
    R"(version: "2026-01-01"
sources: {doc: a page, code: some code}
node_limits: {max_pods: 9, boot_disk_gib: 9, multi_host_scale_up_hours: 9, sources: doc}
generations:
- id: v9
  name: TPU v9
  label: tpu-v9-slice
  machine_family: ct9
  dimensions: 2
  sources: [doc]
  machines:
  - {name: ct9-4t, chips: 4, vcpu: 8, memory_gib: 16, sources: [code],
     allocatable: {cpu_millis: 7000, memory_mib: 15000, memory_v2_mib: 15500}}
  placements:
  - {topology: 2x2, machine: ct9-4t, sources: [doc]}
  - {topology: 4x4, machine: ct9-4t, sources: [doc, code]}
  custom: {machine: ct9-4t, above_chips: 16, multiple_of: 4, order: required, max_chips: 64,
           examples: [8x8], sources: [doc]}
  zones:
    list:
    - {in: [us-east1-a], confidence: high, sources: [doc]}
  min_gke_version: {standard: 1.30.1-gke.10, sources: [doc]}
)";

std::string MessageOf(const std::string& text) {
  const auto catalog = Catalog::Load(text, "c.yaml");
  return catalog ? "" : catalog.error().message;
}

TEST(CatalogLoaderTest, TakesTheSoundOne) {
  const auto catalog = Catalog::Load(kSound, "c.yaml");
  ASSERT_TRUE(catalog) << catalog.error().message;
  const Generation* const v9 = (*catalog)->FindByLabel("tpu-v9-slice");
  ASSERT_NE(v9, nullptr);
  EXPECT_EQ(v9->placements[1].hosts, 4);
  EXPECT_EQ(v9->placements[1].sources.size(), 2U);
  EXPECT_EQ(v9->custom->documented_max_chips, 64);
  EXPECT_FALSE(v9->wraparound.has_value());
  EXPECT_EQ((*catalog)->version(), "2026-01-01");
}

TEST(CatalogLoaderTest, TheChecksumIsThatOfTheText) {
  const auto one = Catalog::Load(kSound, "c.yaml");
  const auto other = Catalog::Load(std::string(kSound) + "# more\n", "c.yaml");
  ASSERT_TRUE(one && other);
  EXPECT_NE((*one)->checksum(), (*other)->checksum());
  EXPECT_EQ((*one)->checksum().find_first_not_of("0123456789abcdef"), std::string::npos);
}

struct Change {
  std::string_view from;
  std::string_view into;
  std::string_view message;
};

std::ostream& operator<<(std::ostream& out, const Change& row) {
  return out << row.from << " -> " << row.into;
}

class CatalogErrorTest : public testing::TestWithParam<Change> {};

TEST_P(CatalogErrorTest, NamesFilePlaceAndKey) {
  std::string text(kSound);
  const std::size_t at = text.find(GetParam().from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, GetParam().from.size(), GetParam().into);
  EXPECT_EQ(MessageOf(text), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Keys, CatalogErrorTest,
    testing::Values(
        Change{"  name: TPU v9\n", "  nama: TPU v9\n",
               "c.yaml:5:3: generations[0].name: missing, wanted a string\n"
               "c.yaml:6:3: generations[0].nama: unknown key, did you mean \"name\"?"},
        Change{"  dimensions: 2\n", "  dimensions: 2\n  colour: red\n",
               "c.yaml:10:3: generations[0].colour: unknown key"},
        Change{"chips: 4,", "chips: 4, chip: 4,",
               "c.yaml:12:30: generations[0].machines[0].chip: unknown key, did you mean "
               "\"chips\"?"},
        Change{"version: \"2026-01-01\"\n", "version: 3\n",
               "c.yaml:1:10: version: found 3, wanted a string"},
        Change{
            "dimensions: 2\n", "dimensions: 4\n",
            "c.yaml:9:15: generations[0].dimensions: found 4, wanted a whole number from 2 to 3"},
        Change{"  zones:\n",
               "  disputed_hosts: [{chips: 8, topologies: [2x2], dispute: so, sources: [doc]}]\n"
               "  zones:\n",
               "c.yaml:19:43: generations[0].disputed_hosts[0].topologies: 2x2 cannot be made of "
               "hosts of 8 chips"},
        Change{"  zones:\n",
               "  disks: {boot: [x], attach: [x], disputed: [y], sources: [doc]}\n  zones:\n",
               "c.yaml:19:45: generations[0].disks.disputed: found \"y\", wanted some of `attach`"},
        Change{"- id: v9\n", "- id: v9\n  id: v9\n",
               "c.yaml:6:3: duplicate key \"id\" (first on line 5, again on line 6)"}));

// Others take the first row of these lists.
INSTANTIATE_TEST_SUITE_P(
    EmptyLists, CatalogErrorTest,
    testing::Values(
        Change{"examples: [8x8]", "examples: []",
               "c.yaml:18:22: generations[0].custom.examples: found none, wanted at least one "
               "topology"},
        Change{"           examples: [8x8], ", "           ",
               "c.yaml:17:11: generations[0].custom.examples: found none, wanted at least one "
               "topology"},
        Change{"  placements:\n  - {topology: 2x2, machine: ct9-4t, sources: [doc]}\n"
               "  - {topology: 4x4, machine: ct9-4t, sources: [doc, code]}\n",
               "  placements: []\n",
               "c.yaml:14:15: generations[0].placements: found none, wanted at least one row"}));

INSTANTIATE_TEST_SUITE_P(
    Sources, CatalogErrorTest,
    testing::Values(
        Change{"machine: ct9-4t, sources: [doc]}", "machine: ct9-4t}",
               "c.yaml:15:5: generations[0].placements[0].sources: missing, wanted a list of "
               "strings"},
        Change{"machine: ct9-4t, sources: [doc]}", "machine: ct9-4t, sources: []}",
               "c.yaml:15:47: generations[0].placements[0].sources: found none, wanted at least "
               "one key of `sources`"},
        Change{"[doc, code]", "[doc, blog]",
               "c.yaml:16:47: generations[0].placements[1].sources: found \"blog\", wanted a key "
               "of the table `sources`"},
        Change{"hours: 9, sources: doc}", "hours: 9}",
               "c.yaml:3:14: node_limits.sources: missing, wanted a list of strings"}));

INSTANTIATE_TEST_SUITE_P(
    Rows, CatalogErrorTest,
    testing::Values(
        Change{"topology: 4x4", "topology: 2x2",
               "c.yaml:16:16: generations[0].placements[1].topology: duplicate row: 2x2 on ct9-4t"},
        Change{"topology: 4x4", "topology: 3x3",
               "c.yaml:16:16: generations[0].placements[1].topology: 3x3 has 9 chips, no multiple "
               "of the 4 of ct9-4t"},
        Change{"topology: 4x4", "topology: 1x1",
               "c.yaml:16:16: generations[0].placements[1].topology: 1x1 has 1 chips, no multiple "
               "of the 4 of ct9-4t"},
        Change{"topology: 4x4", "topology: 4x4x4",
               "c.yaml:16:16: generations[0].placements[1].topology: found \"4x4x4\", wanted a "
               "topology of 2 dimensions"},
        Change{"topology: 4x4", "topology: 4X4",
               "c.yaml:16:16: generations[0].placements[1].topology: found \"4X4\", wanted a "
               "topology of 2 dimensions"},
        Change{"4x4, machine: ct9-4t", "4x4, machine: ct6e-standard-4t",
               "c.yaml:16:30: generations[0].placements[1].machine: found \"ct6e-standard-4t\", "
               "wanted a machine of this generation: ct9-4t"},
        Change{"machine: ct9-4t, sources: [doc]}", "machine: ct9-4t, modes: [], sources: [doc]}",
               "c.yaml:15:45: generations[0].placements[0].modes: wanted standard, autopilot or "
               "both"},
        Change{"machine: ct9-4t, sources: [doc]}",
               "machine: ct9-4t, modes: [auto], sources: [doc]}",
               "c.yaml:15:46: generations[0].placements[0].modes[0]: found \"auto\", wanted "
               "standard or autopilot"}));

INSTANTIATE_TEST_SUITE_P(
    Machines, CatalogErrorTest,
    testing::Values(
        Change{"chips: 4, vcpu", "chips: 0, vcpu",
               "c.yaml:12:27: generations[0].machines[0].chips: found 0, wanted a whole number "
               "from 1 to 1024"},
        Change{"cpu_millis: 7000", "cpu_millis: 8000",
               "c.yaml:13:32: generations[0].machines[0].allocatable.cpu_millis: found 8000, "
               "wanted a whole number from 1 to 7999"},
        Change{"memory_mib: 15000", "memory_mib: 16384",
               "c.yaml:13:50: generations[0].machines[0].allocatable.memory_mib: found 16384, "
               "wanted a whole number from 1 to 16383"},
        Change{"memory_gib: 16,", "memory_gib: 16, memory_ceiling_gib: 15,",
               "c.yaml:12:75: generations[0].machines[0].memory_ceiling_gib: found 15, wanted a "
               "whole number from 16 to 1000000"},
        Change{"vcpu: 8,", "vcpu: 8, single_host: false,",
               "c.yaml:15:16: generations[0].placements[0].topology: 2x2 has 4 chips, one host, "
               "which ct9-4t cannot be"},
        Change{"machine_family: ct9\n", "machine_family: ct8\n",
               "c.yaml:12:12: generations[0].machines[0].name: found \"ct9-4t\", wanted a machine "
               "of the family \"ct8\""},
        Change{"  placements:\n",
               "  - {name: ct9-4t, chips: 4, vcpu: 8, memory_gib: 16, sources: [code],\n"
               "     allocatable: {cpu_millis: 7000, memory_mib: 15000, memory_v2_mib: 15500}}\n"
               "  placements:\n",
               "c.yaml:14:12: generations[0].machines[1].name: duplicate machine \"ct9-4t\""}));

INSTANTIATE_TEST_SUITE_P(
    Blocks, CatalogErrorTest,
    testing::Values(
        Change{"examples: [8x8]", "examples: [4x8, 8x8, 8x4]",
               "c.yaml:18:22: generations[0].custom.examples: 8x4 does not fit the rule: the "
               "dimensions must be in rising order, as 4x8"},
        Change{"examples: [8x8]", "examples: [8x16]",
               "c.yaml:18:22: generations[0].custom.examples: 8x16 does not fit the rule: it has "
               "128 chips, and the largest tpu-v9-slice slice has 64"},
        Change{"order: required", "order: maybe",
               "c.yaml:17:69: generations[0].custom.order: found \"maybe\", wanted required, "
               "disputed or unknown"},
        Change{"multiple_of: 4", "multiple_of: 1",
               "c.yaml:17:59: generations[0].custom.multiple_of: such shapes cannot be made of "
               "whole machines of 4 chips"},
        Change{"max_chips: 64", "max_chips: 16",
               "c.yaml:17:90: generations[0].custom.max_chips: found 16, wanted a whole number of "
               "at least 17\nc.yaml:18:22: generations[0].custom.examples: 8x8 does not fit the "
               "rule: it has 64 chips, and the largest tpu-v9-slice slice has 17"},
        Change{"[us-east1-a]", "[us-east1-a, us-east1-a]",
               "c.yaml:21:12: generations[0].zones.list[0].in: duplicate zone \"us-east1-a\""},
        Change{"[us-east1-a]", "[us-east1]",
               "c.yaml:21:12: generations[0].zones.list[0].in: found \"us-east1\", wanted a zone "
               "such as us-central1-a"},
        Change{"1.30.1-gke.10", "1.30.1",
               "c.yaml:22:31: generations[0].min_gke_version.standard: found \"1.30.1\", wanted a "
               "version such as 1.31.1-gke.1846000"}));

INSTANTIATE_TEST_SUITE_P(
    Names, CatalogErrorTest,
    testing::Values(
        Change{"generations:\n",
               "wrong_labels: [{label: tpu-v9, meant: tpu-v8, sources: doc}]\ngenerations:\n",
               "c.yaml:4:39: wrong_labels[0].meant: found \"tpu-v8\", wanted the label of a "
               "generation"},
        Change{"generations:\n",
               "wrong_labels: [{label: tpu-v9-slice, meant: tpu-v9-slice, sources: doc}]\n"
               "generations:\n",
               "c.yaml:4:24: wrong_labels[0].label: \"tpu-v9-slice\" is a duplicate: another "
               "generation has this label"},
        Change{"dimensions: 2\n", "dimensions: 2\n  aliases: [v9]\n",
               "c.yaml:10:12: generations[0].aliases: \"v9\" is a duplicate: another generation "
               "has this id"}));

TEST(CatalogLoaderTest, TwoGenerationsCannotShareALabel) {
  const std::string text(kSound);
  const std::string generation = text.substr(text.find("- id: v9"));
  EXPECT_EQ(
      MessageOf(text + generation),
      "c.yaml:23:7: generations[1].id: \"v9\" is a duplicate: another generation has this id\n"
      "c.yaml:25:10: generations[1].label: \"tpu-v9-slice\" is a duplicate: another "
      "generation has this label\n"
      "c.yaml:26:19: generations[1].machine_family: \"ct9\" is a duplicate: another "
      "generation has this machine family");
}

TEST(CatalogLoaderTest, TextThatIsNoCatalog) {
  EXPECT_EQ(MessageOf(""),
            "c.yaml:1:1: version: missing, wanted a string\n"
            "c.yaml:1:1: sources: missing, wanted a mapping\n"
            "c.yaml:1:1: node_limits: missing, wanted a mapping\n"
            "c.yaml:1:1: generations: missing, wanted a list");
  EXPECT_EQ(MessageOf("a: [1\n"),
            "c.yaml:2:1: while parsing a flow sequence: did not find expected ',' or ']'");
  EXPECT_EQ(MessageOf("- 1\n"), "c.yaml:1:1: found a list, wanted a mapping");
}

}  // namespace
}  // namespace tpu_admission::tpu::catalog_loader_test
