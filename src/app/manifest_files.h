// Which files `check` reads: those that are named, and the manifests below folders.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tpu_admission/offline/path_patterns.h"

namespace tpu_admission::app {

struct WalkOptions {
  // Also of what is named; relative to the folder.
  struct Exclusion {
    std::string folder;
    offline::PathPatterns patterns;
  };
  std::vector<Exclusion> exclude;
  bool respect_gitignore = true;  // of what is found
};

// One file to read, or why there is none.
struct FoundFile {
  std::string path;
  bool is_named = false;     // on the command line
  std::string below = {};    // the folder, named or of a glob, where it was found; empty: named
  std::string error = {};    // it cannot be looked into
  std::string skipped = {};  // it is left out, and that should be told
  // The kustomization that names it as a patch of something else; empty: none.
  std::string patch_of = {};
};

// Calls `each` for every file that the paths stand for: a file itself, a glob what it matches, a
// folder every .yaml, .yml and .json below it, in the order of their names. "-" is standard input.
// Folders behind links are followed, each folder once; of what is no file (pipes, sockets) below a
// folder nothing is opened. Templates of Helm charts are skipped. Takes memory by the number of
// folders, not of files.
void ForEachManifestFile(const std::vector<std::string>& paths, const WalkOptions& options,
                         const std::function<void(FoundFile)>& each);

// Whether the path, or a folder that it is in, is excluded; what is relative is so to `here`.
bool IsExcluded(const std::string& path, bool is_folder, const std::string& here,
                const WalkOptions& options);

// The folder of the repository around `folder`, both absolute; empty: none.
std::string RepositoryOf(const std::string& folder);

}  // namespace tpu_admission::app
