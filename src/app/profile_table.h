// `tpu-admission explain --profiles`: which rule has which mode in which profile.
#pragma once

namespace tpu_admission::app {

// Writes to standard output: for a terminal, or the table of docs/policy.md.
void PrintProfiles(bool markdown);

}  // namespace tpu_admission::app
