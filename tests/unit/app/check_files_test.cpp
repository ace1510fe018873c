#include "app/check_files.h"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include "support/temp_dir.h"
#include "tpu_admission/base/files.h"

namespace tpu_admission::app::check_files_test {
namespace {

namespace fs = std::filesystem;

std::string TextOf(const fs::path& file) { return *DiskFiles().Read(file.string(), 100); }

TEST(WriteFile, LeavesAloneWhatSomebodyElseChanged) {
  const support::TempDir folder;
  const fs::path file = folder / "a.yaml";
  const std::string was = "a: 1\n";
  for (const char* now : {"a: 2\n", "a: 1\nb: 2\n", ""}) {
    support::WriteText(file, now);
    const Status written = WriteFile(file.string(), "new", &was);
    ASSERT_FALSE(written);
    EXPECT_TRUE(written.error().message.ends_with(
        "a.yaml: not changed, since somebody else changed it meanwhile; try again"));
    EXPECT_EQ(TextOf(file), now);
  }
  const auto files = fs::directory_iterator(folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1) << "nothing is left behind";
  fs::remove(file);
  EXPECT_FALSE(WriteFile(file.string(), "new", &was)) << "it is gone";
  support::WriteText(file, was);
  EXPECT_TRUE(WriteFile(file.string(), "new", &was));
  EXPECT_EQ(TextOf(file), "new");
}

TEST(WriteFile, LeavesAloneWhatIsReadOnlyAndSaysWhyItCannot) {
  const support::TempDir folder;
  const fs::path file = folder / "a.yaml";
  support::WriteText(file, "old");
  ASSERT_EQ(::chmod(file.c_str(), 0444), 0);
  const Status written = WriteFile(file.string(), "new");
  ASSERT_FALSE(written);
  EXPECT_EQ(
      written.error().message,
      file.string() +
          ": not changed, since it is read-only; make it writable (chmod u+w), then try again");
  EXPECT_EQ(TextOf(file), "old");
  const Status nowhere = WriteFile((folder / "none" / "a.yaml").string(), "new");
  ASSERT_FALSE(nowhere);
  EXPECT_TRUE(nowhere.error().message.ends_with(": cannot be written: No such file or directory"));
}

TEST(WriteFile, TakesTheLongestNames) {
  const support::TempDir folder;
  const std::string accents = "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9";
  std::string name = "a";
  while (name.size() + accents.size() <= 250) name += accents;
  name += std::string(250 - name.size(), 'b') + ".yaml";
  ASSERT_EQ(name.size(), 255);
  support::WriteText(folder / name, "old");
  const Status written = WriteFile((folder / name).string(), "new");
  EXPECT_TRUE(written) << written.error().message;
  EXPECT_EQ(TextOf(folder / name), "new");
  const auto files = fs::directory_iterator(folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1) << "nothing is left behind";
}

TEST(WriteFile, KeepsOwnerAndMode) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  const support::TempDir folder;
  const fs::path file = folder / "a.yaml";
  support::WriteText(file, "old");
  ASSERT_EQ(::chown(file.c_str(), 1234, 2345), 0);
  ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
  ASSERT_TRUE(WriteFile(file.string(), "new"));
  struct stat status {};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, ::uid_t{1234});
  EXPECT_EQ(status.st_gid, ::gid_t{2345});
  EXPECT_EQ(status.st_mode & 07777, ::mode_t{0640});
}

}  // namespace
}  // namespace tpu_admission::app::check_files_test
