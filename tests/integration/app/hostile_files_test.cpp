// What strangers write into files and their names, against the commands that read files.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "integration/app/program.h"
#include "support/temp_dir.h"

namespace tpu_admission::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kDeniedPod =
    "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeSelector: "
    "{cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 3x3},"
    " containers: [{name: c, resources: {limits: {google.com/tpu: 4}}}]}}";

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class HostileFiles : public ::testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) {
    const fs::path path = root_ / name;
    fs::create_directories(path.parent_path());
    WriteText(path, text);
  }
  Ended Run(const std::vector<std::string>& arguments, const std::string& folder = "",
            const Environment& environment = {}) {
    return RunToEnd(arguments, environment, "", root() + folder);
  }
  std::string root() const { return root_.path().string(); }

 private:
  TempDir root_;
};

TEST_F(HostileFiles, AProjectFilesBaselineStaysInItsFolder) {
  Write("repo/pod.yaml", kDeniedPod);
  Write("out/known.yaml", "version: 1\n");
  Write("repo/sub/a.txt", "");
  fs::create_directory_symlink("../out", root() + "/repo/link");
  fs::create_symlink("../out/known.yaml", root() + "/repo/known.link");
  fs::create_directory_symlink("sub", root() + "/repo/inside");
  for (const std::string& outside :
       {std::string("../out/known.yaml"), root() + "/out/new.yaml", std::string("link/known.yaml"),
        std::string("link/new.yaml"), std::string("known.link"), std::string("sub/../../out/a")}) {
    Write("repo/.tpu-admission.yaml", "fail-on: never\nbaseline: " + outside + "\n");
    for (const char* flag : {"--write-baseline", "--color=never"}) {
      const Ended ended = Run({"check", flag, "pod.yaml"}, "/repo");
      EXPECT_EQ(ended.exit_code, 2) << outside << flag;
      EXPECT_THAT(ended.err, HasSubstr(".tpu-admission.yaml:2:11: baseline: found \"" +
                                       outside.substr(0, 30)));
      EXPECT_THAT(ended.err, HasSubstr("wanted a file in it or below"));
    }
  }
  EXPECT_EQ(
      Run({"check", "--baseline", "../out/flag.yaml", "--write-baseline", "."}, "/repo").exit_code,
      0)
      << "who types a name may name anything";
  EXPECT_EQ(TextOf(root() + "/out/known.yaml"), "version: 1\n");
  EXPECT_FALSE(fs::exists(root() + "/out/new.yaml"));
  for (const std::string& inside :
       {std::string("new.yaml"), std::string("sub/known.yaml"), std::string("inside/known.yaml"),
        std::string("sub/../b.yaml"), root() + "/repo/absolute.yaml"}) {
    Write("repo/.tpu-admission.yaml", "baseline: " + inside + "\n");
    EXPECT_EQ(Run({"check", "--write-baseline", "pod.yaml"}, "/repo").exit_code, 0) << inside;
    EXPECT_EQ(Run({"check", "../pod.yaml"}, "/repo/sub").exit_code, 1) << "no repository, no file";
    EXPECT_EQ(Run({"check", "pod.yaml"}, "/repo").exit_code, 0) << inside;
  }
}

}  // namespace
}  // namespace tpu_admission::testing
