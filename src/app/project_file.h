// .tpu-admission.yaml: what a repository wants of `check`, found by itself.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "app/options.h"
#include "tpu_admission/base/result.h"

namespace tpu_admission::app {

inline constexpr const char* kProjectFileName = ".tpu-admission.yaml";

// --project-file and --no-project-file.
void AddProjectFlags(CLI::App& command, std::string& file, bool& none);

// The project file of a folder, by an absolute path: in it, or in one above it up to the
// repository's root; without a repository in the folder alone. Empty: none.
std::string ProjectFileOf(const std::string& folder);

// Reads a project file: its keys are flags of `command`, which is `check` or like it, without their
// dashes; a flag that was given beats it.
Status ApplyProjectFile(const std::string& path, CLI::App& command, CheckOptions& options);

// Belongs to one command line.
class ProjectFile {
 public:
  // --project-file and --no-project-file; remembers the command for Apply().
  void AddFlags(CLI::App& command);

  // Reads the file that is named, or the nearest one: of the current folder, or of one above it up
  // to the repository's root; without a repository of the current folder alone. Its keys are flags
  // without their dashes; a flag or its environment twin beats it. Paths in it are relative to it,
  // and the files that it names must be in its folder or below. Strict: an unknown key is an error
  // "FILE:LINE:COLUMN: key: what".
  Status Apply(CheckOptions& options);

 private:
  std::string Find() const;

  CLI::App* command_ = nullptr;
  std::string file_;
  bool none_ = false;
};

}  // namespace tpu_admission::app
