// Flags -> admission::Settings: reads catalog and policy, and notices when their files change.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/options.h"
#include "tpu_admission/admission/handler.h"
#include "tpu_admission/base/result.h"

namespace tpu_admission::app {

Result<std::string> ReadFile(const std::string& path);  // at most 16 MiB

class SettingsLoader {
 public:
  SettingsLoader(EngineOptions options, std::string docs_url)
      : options_(std::move(options)), docs_url_(std::move(docs_url)) {}

  // Reads the files. An error names file, line and key.
  Result<std::shared_ptr<const admission::Settings>> Load();

  // Load() again if a file's content differs from what was last read, good or bad; else nullopt.
  std::optional<Result<std::shared_ptr<const admission::Settings>>> LoadIfChanged();

 private:
  struct Texts {
    std::string catalog;
    std::string policy;
    bool operator==(const Texts&) const = default;
  };
  Result<Texts> Read() const;
  Result<std::shared_ptr<const admission::Settings>> Build(const Texts& texts) const;

  EngineOptions options_;
  std::string docs_url_;
  Texts last_;
};

}  // namespace tpu_admission::app
