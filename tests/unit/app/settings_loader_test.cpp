// A policy that says nothing is a mistake, whenever it is read.
#include "app/settings_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tpu_admission/base/memory_files.h"

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

}  // namespace
}  // namespace tpu_admission::app::settings_loader_test
