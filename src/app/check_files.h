// The files of one `check`, read and judged on all processors.
#pragma once

#include <functional>
#include <memory>

#include "app/manifest_files.h"
#include "app/options.h"
#include "tpu_admission/offline/check.h"

namespace tpu_admission::app {

// Calls `tell` with the report of every file that the options name, in the order of the files, on
// the calling thread.
void CheckFiles(const admission::Settings& settings, const offline::CheckWish& wish,
                const CheckOptions& options, const std::function<void(offline::FileReport)>& tell);

// Writes repairs into the files, or prints what it would write.
struct FixOutcome {
  bool whole = true;     // everything could be read and written
  bool differs = false;  // something is or would be repaired
};
FixOutcome FixFiles(const admission::Settings& settings, const offline::CheckWish& wish,
                    const CheckOptions& options);

// Whether the file, be it there or not, is really in the folder or below: no link leads elsewhere.
bool LiesBelow(const std::string& file, const std::string& folder);

// Writes the file in one step: a reader sees the old text or the new. Owner and mode stay. With
// `was` the file is left alone if it says something else by now.
Status WriteFile(const std::string& file, const std::string& text,
                 const std::string* was = nullptr);

}  // namespace tpu_admission::app
