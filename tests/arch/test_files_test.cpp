// Continuous integration compiles tests in batches of files, which takes half the time. So that no
// names of two files meet there, each has a namespace of its own, named after the file.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace tpu_admission::test_files_test {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = TPU_ADMISSION_SOURCE_DIR;

TEST(TestFiles, HaveANamespaceOfTheirOwn) {
  int files = 0;
  for (const char* folder : {"arch", "docs", "integration", "unit"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / "tests" / folder)) {
      if (!entry.path().filename().string().ends_with("_test.cpp")) continue;
      ++files;
      std::ifstream file(entry.path());
      const std::string text(std::istreambuf_iterator<char>(file), {});
      const std::string name = entry.path().stem();
      EXPECT_NE(text.find("::" + name + " {\nnamespace {\n"), text.npos)
          << fs::relative(entry.path(), kRoot)
          << ": open it by namespace tpu_admission::LAYER::" << name
          << " {, and that by namespace {";
    }
  }
  EXPECT_GT(files, 150);
}

}  // namespace
}  // namespace tpu_admission::test_files_test
