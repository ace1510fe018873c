// `check --fix` and `check --diff`: repairs written into the text of files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/manifest.h"
#include "app/options.h"
#include "tpu_admission/admission/judge.h"
#include "tpu_admission/base/result.h"

namespace tpu_admission::app {

// An object of a file as somebody who wants to have it in a cluster; `namespace_name` where it
// names none itself.
admission::Submission SubmissionOf(const ManifestObject& object, std::string_view namespace_name,
                                   Day today);

// What became of one file: its text before and after, equal if there was nothing to repair.
struct FixedFile {
  std::string file;
  std::string before;
  std::string after;
};

// Takes of each object of the file the repair that the options name; an object that has none of
// this label is left as it is. The error says why the text of the file cannot be edited.
Result<FixedFile> FixFile(const admission::Settings& settings, const CheckOptions& options,
                          const std::string& file, Day today);

// Writes the file in one step: a reader sees the old text or the new.
Status WriteFile(const std::string& file, const std::string& text);

}  // namespace tpu_admission::app
