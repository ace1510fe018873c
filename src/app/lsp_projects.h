// Project files for the language server: a file in an editor is judged as `check` of it, started in
// its folder, would judge it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "app/manifest_files.h"
#include "app/options.h"
#include "app/settings_loader.h"
#include "tpu_admission/offline/lsp.h"

namespace tpu_admission::app {

// Belongs to one thread; reads files when it is asked.
class LspProjects {
 public:
  // Borrows `files`.
  LspProjects(LspOptions options, Day today, const Files& files)
      : options_(std::move(options)), today_(today), files_(files) {}

  // Of the document of a URI. What a project file says that has no meaning here (baseline, fail-on,
  // fail-if-nothing-found) is read and left out of account. Of one that cannot be read nothing
  // counts, with a word, which is told once until it changes.
  offline::TermsOfDocument TermsOf(const std::string& uri);

 private:
  struct Project {
    std::string text;
    std::unique_ptr<SettingsLoader> loader;
    std::shared_ptr<const offline::Terms> terms;  // nullptr: it cannot be read
    WalkOptions walk;
    std::string word;
  };
  void Refresh(const std::string& path, Project& project) const;
  Status Load(const std::string& path, Project& project) const;

  LspOptions options_;
  Day today_;
  const Files& files_;
  std::map<std::string, Project> projects_;  // by the paths of their files
};

}  // namespace tpu_admission::app
