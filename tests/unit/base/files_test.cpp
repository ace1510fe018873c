#include "tpu_admission/base/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "tpu_admission/base/memory_files.h"

namespace tpu_admission::files_test {
namespace {

namespace fs = std::filesystem;

class DiskFilesTest : public testing::Test {
 protected:
  DiskFilesTest() {
    std::string name = (fs::temp_directory_path() / "files_test.XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~DiskFilesTest() override { fs::remove_all(folder_); }

  std::string Make(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::string MakePipe(const std::string& name) {
    const std::string path = (folder_ / name).string();
    EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
    return path;
  }

  fs::path folder_;
  const DiskFiles files_;
};

TEST_F(DiskFilesTest, ReadsAFileUpToItsBound) {
  const std::string text(200'000, 'x');
  EXPECT_EQ(files_.Read(Make("a", text), text.size()).value(), text);
  EXPECT_EQ(files_.Read(Make("empty", ""), 1).value(), "");
  EXPECT_EQ(files_.Read(Make("b", text), text.size() - 1).error().code, std::errc::file_too_large);
  EXPECT_EQ(files_.Read(Make("c", std::string((1 << 20) + 1, 'x')), 1 << 20).error().message,
            (folder_ / "c").string() + ": is larger than 1 MiB");
}

TEST_F(DiskFilesTest, SaysWhatIsMissing) {
  const Result<std::string> text = files_.Read("/no/such/file", 1);
  EXPECT_EQ(text.error().message, "/no/such/file: No such file or directory");
  EXPECT_EQ(text.error().code, std::errc::no_such_file_or_directory);
}

TEST_F(DiskFilesTest, RefusesWhatIsNoFileWithoutWaiting) {
  EXPECT_EQ(files_.Read(folder_.string(), 9).error().code, std::errc::is_a_directory);
  EXPECT_EQ(files_.ReadInput(folder_.string(), 9).error().code, std::errc::is_a_directory);
  const std::string pipe = MakePipe("pipe");
  EXPECT_EQ(files_.Read(pipe, 9).error().message, pipe + ": is a pipe or device, wanted a file");
  EXPECT_EQ(files_.ReadInput(pipe, 9).error().code, std::errc::invalid_argument);
  EXPECT_FALSE(files_.Read("/dev/zero", 9).ok());
}

TEST_F(DiskFilesTest, ADeviceOnTheCommandLineIsReadUpToTheBound) {
  EXPECT_EQ(files_.ReadInput("/dev/zero", 100'000).error().code, std::errc::file_too_large);
  EXPECT_EQ(files_.ReadInput("/dev/null", 9).value(), "");
  EXPECT_FALSE(files_.Read("/proc/self/mem", 9).ok());
}

TEST(MemoryFilesTest, HoldsWhatItWasGiven) {
  MemoryFiles files;
  files.Put("a", "text");
  files.Break("b", std::errc::io_error, "Input/output error");
  EXPECT_EQ(files.Read("a", 4).value(), "text");
  EXPECT_EQ(files.Read("a", 3).error().code, std::errc::file_too_large);
  EXPECT_EQ(files.Read("b", 9).error().message, "b: Input/output error");
  EXPECT_EQ(files.Read("c", 9).error().code, std::errc::no_such_file_or_directory);
}

}  // namespace
}  // namespace tpu_admission::files_test
