// What a repository knows a file as, however its path was typed.
#pragma once

#include <string>

namespace tpu_admission::app {

// The path of the file from the current folder, if it is in it or below; else the path without what
// is superfluous in it (`a/../b//c` is b/c). By the words alone, links are not followed; a path
// that would lead elsewhere by that stays as it is, and so does "-".
std::string PathFromHere(const std::string& path);

// As a diff names it, for `patch -p1`: from the current folder, else from the root.
std::string PathInDiff(const std::string& path);

}  // namespace tpu_admission::app
