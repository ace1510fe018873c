// When an empty policy is taken, and when it is a mistake.
#include "app/settings_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tpu_admission/base/memory_files.h"

namespace tpu_admission::app {
namespace {

class SettingsLoaderTest : public ::testing::Test {
 protected:
  SettingsLoader Loader() {
    EngineOptions options;
    options.policy_file = "p.yaml";
    return {options, "", files_};
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

TEST_F(SettingsLoaderTest, APolicyThatBecomesEmptyIsRefusedUntilItSaysSomething) {
  files_.Put("p.yaml", "default: audit\n");
  SettingsLoader loader = Loader();
  ASSERT_TRUE(loader.Load().ok());
  for (const char* empty : {"", " \n", "# default: audit\n", "---\n", "null\n"}) {
    EXPECT_EQ(Reload(loader, empty), "p.yaml: is empty now; {} says that all defaults are meant")
        << empty;
  }
  EXPECT_EQ(Reload(loader, "{}\n"), "");
  EXPECT_THAT(Reload(loader, ""), ::testing::HasSubstr("is empty now"));
}

TEST_F(SettingsLoaderTest, APolicyThatIsEmptyFromTheStartIsTaken) {
  files_.Put("p.yaml", "");
  SettingsLoader loader = Loader();
  ASSERT_TRUE(loader.Load().ok());
  EXPECT_EQ(Reload(loader, "# to come\n"), "");
  EXPECT_EQ(Reload(loader, "default: audit\n"), "");
  EXPECT_THAT(Reload(loader, ""), ::testing::HasSubstr("is empty now"));
}

}  // namespace
}  // namespace tpu_admission::app
