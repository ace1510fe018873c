// `tpu-admission policy test`: a policy held against cases.
#include <filesystem>
#include <iostream>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/settings_loader.h"
#include "tpu_admission/base/clock.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/offline/policy_test.h"

namespace tpu_admission::app {
namespace {

namespace fs = std::filesystem;

struct Tally {
  std::size_t passed = 0;
  std::size_t failed = 0;
};

Result<std::string> TextOf(const offline::PolicyCase& given, const fs::path& folder) {
  if (given.manifest.empty()) return given.text;
  return DiskFiles().Read((folder / given.manifest).string(), offline::kMaxManifestBytes);
}

Status TestFile(const PolicyTestOptions& options, const std::string& file, Tally& tally) {
  const DiskFiles disk;
  TPU_ADMISSION_TRY(const std::string text, disk.Read(file, kMaxConfigBytes));
  TPU_ADMISSION_TRY(const offline::PolicyCases cases, offline::ReadPolicyCases(text, file));
  const fs::path folder = fs::path(file).parent_path();
  EngineOptions engine = options.engine;
  if (engine.policy_file.empty() && !cases.policy.empty()) {
    engine.policy_file = (folder / cases.policy).string();
  }
  SettingsLoader loader(engine, disk);
  TPU_ADMISSION_TRY(const auto settings, loader.Load());
  const Day today = DayOf(SystemClock().Now());
  for (const offline::PolicyCase& given : cases.cases) {
    TPU_ADMISSION_TRY(std::string manifest, TextOf(given, folder));
    const auto wrong = offline::TestCase(*settings, given, std::move(manifest), today);
    std::cout << (wrong.empty() ? "ok    " : "FAIL  ") << Printable(given.name, 200) << '\n';
    for (const std::string& line : wrong) std::cout << "      " << ShownLines(line) << '\n';
    ++(wrong.empty() ? tally.passed : tally.failed);
  }
  return OkStatus();
}

}  // namespace

int TestPolicy(const PolicyTestOptions& options) {
  Tally tally;
  for (const std::string& file : options.files) {
    if (const Status tested = TestFile(options, file, tally); !tested) {
      return CannotRun(tested.error());
    }
  }
  std::cout << tally.passed << " passed, " << tally.failed << " failed\n";
  return tally.failed == 0 ? kDone : kFaultsFound;
}

}  // namespace tpu_admission::app
