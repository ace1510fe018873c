// What people read of a changed text. Pure.
#pragma once

#include <string>
#include <string_view>

namespace tpu_admission::offline {

// The unified diff of two texts, with three lines of context; empty if they are equal. `name` is
// that of the file.
std::string UnifiedDiff(std::string_view name, std::string_view before, std::string_view after);

// A diff for a terminal, no longer for `patch`: lines by ShownLines(), tabs as spaces.
std::string ShownDiff(std::string_view diff);

// A diff for the log of GitHub Actions, which `patch` still takes: if a line of it would be read as
// a workflow command, it stands between the commands that turn commands off and, by `token`, which
// nobody can foresee, on.
std::string WithCommandsOff(std::string diff, std::string_view token);

}  // namespace tpu_admission::offline
