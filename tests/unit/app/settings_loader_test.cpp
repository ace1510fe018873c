// A policy that says nothing is a mistake, whenever it is read; one that is faulty or gone keeps
// nothing else from being read.
#include "app/settings_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tpu_admission/base/clock.h"
#include "tpu_admission/base/memory_files.h"
#include "tpu_admission/tpu/seen_shapes.h"

namespace tpu_admission::app::settings_loader_test {
namespace {

class SettingsLoaderTest : public ::testing::Test {
 protected:
  SettingsLoader Loader() {
    EngineOptions options;
    options.policy_file = "p.yaml";
    return {options, files_};
  }

  // What the loader says of a policy that has become `text`: nothing if it takes it.
  std::string Reload(SettingsLoader& loader, const std::string& text) {
    files_.Put("p.yaml", text);
    const auto loaded = loader.LoadIfChanged();
    if (!loaded) return "unchanged";
    return *loaded ? "" : loaded->error().message;
  }

  MemoryFiles files_;
};

constexpr const char* kSaysNothing = "p.yaml: says nothing; write {} if all defaults are meant";

TEST_F(SettingsLoaderTest, APolicyThatSaysNothingIsRefusedAtTheStartAndLater) {
  for (const char* empty : {"", " \n", "# default: audit\n", "---\n", "null\n"}) {
    files_.Put("p.yaml", empty);
    const auto started = Loader().Load();
    ASSERT_FALSE(started.ok()) << empty;
    EXPECT_EQ(started.error().message, kSaysNothing) << empty;
    files_.Put("p.yaml", "default: audit\n");
    SettingsLoader loader = Loader();
    ASSERT_TRUE(loader.Load().ok());
    EXPECT_EQ(Reload(loader, empty), kSaysNothing) << empty;
    EXPECT_EQ(Reload(loader, "{}\n"), "");
    EXPECT_EQ(Reload(loader, empty), kSaysNothing) << empty;
  }
}

TEST_F(SettingsLoaderTest, APolicyThatMeansAllDefaultsIsTaken) {
  files_.Put("p.yaml", "{}\n");
  SettingsLoader loader = Loader();
  ASSERT_TRUE(loader.Load().ok());
  EXPECT_EQ(Reload(loader, "default: audit\n"), "");
  EXPECT_EQ(Reload(loader, "# all defaults\n{}\n"), "");
}

// Settings hold the nodes, too: an old record would warn of node pools that are there by now.
class NodesOfALoaderTest : public SettingsLoaderTest {
 protected:
  NodesOfALoaderTest() {
    files_.Put("p.yaml", kGood);
    See("2x4");
    EXPECT_TRUE(loader_.Load().ok());
  }

  void See(const std::string& topology) {
    const std::int64_t now = std::chrono::system_clock::to_time_t(SystemClock().Now());
    tpu::SeenShapes seen{.since = now - 3600, .current = now, .autoscaler = false};
    seen.Count("tpu-v6e-slice", topology, 4, "a");
    files_.Put("nodes.yaml", seen.Text());
  }

  // What the next look finds: an error, the shapes of the new settings, or nothing new.
  std::string Look() {
    const auto loaded = loader_.LoadIfChanged();
    if (!loaded) return "unchanged";
    if (!*loaded) return "error";
    const std::string news = loader_.only_nodes_changed() ? "nodes: " : "all: ";
    EXPECT_TRUE((**loaded)->policy.turns_rules_off()) << "not the last good policy";
    const auto& shapes = (**loaded)->engine.cluster().shapes;
    return news + (!shapes ? "unknown" : shapes->Has("tpu-v6e-slice", "2x2") ? "2x2" : "2x4");
  }

  static constexpr const char* kGood = "rules: {TPU301: off}\n";

  SettingsLoader loader_{Options(), files_};

 private:
  static EngineOptions Options() {
    EngineOptions options;
    options.policy_file = "p.yaml";
    options.node_record_file = "nodes.yaml";
    return options;
  }
};

TEST_F(NodesOfALoaderTest, AFaultyPolicyKeepsTheLastGoodOneAndNotTheOldNodes) {
  files_.Put("p.yaml", "rules: {TPU301: nonsense}\n");
  EXPECT_EQ(Look(), "error");
  See("2x2");
  EXPECT_EQ(Look(), "nodes: 2x2");
  EXPECT_EQ(Look(), "unchanged");
  files_.Remove("nodes.yaml");
  EXPECT_EQ(Look(), "nodes: unknown");
  files_.Put("p.yaml", kGood);
  EXPECT_EQ(Look(), "all: unknown");
}

TEST_F(NodesOfALoaderTest, NorDoesOneThatIsGone) {
  files_.Remove("p.yaml");
  EXPECT_EQ(Look(), "error");
  See("2x2");
  EXPECT_EQ(Look(), "nodes: 2x2");
  EXPECT_EQ(Look(), "error") << "it is still gone";
  files_.Remove("nodes.yaml");
  EXPECT_EQ(Look(), "nodes: unknown");
  files_.Put("p.yaml", kGood);
  EXPECT_EQ(Look(), "all: unknown");
}

TEST_F(NodesOfALoaderTest, WhatChangesTogetherWithAFaultIsTakenAtTheNextLook) {
  files_.Put("p.yaml", "rules: {TPU301: nonsense}\n");
  See("2x2");
  EXPECT_EQ(Look(), "error");
  EXPECT_EQ(Look(), "nodes: 2x2");
  EXPECT_EQ(Look(), "unchanged");
}

}  // namespace
}  // namespace tpu_admission::app::settings_loader_test
