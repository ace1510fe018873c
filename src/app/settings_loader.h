// Flags -> admission::Settings: reads catalog and policy, and notices when their files change.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/node_record.h"
#include "app/options.h"
#include "tpu_admission/admission/handler.h"
#include "tpu_admission/base/files.h"
#include "tpu_admission/base/result.h"

namespace tpu_admission::app {

inline constexpr std::size_t kMaxConfigBytes = 4 << 20;  // of catalog, policy or --config

// Why the text, of --cluster-location, is none.
std::string NoLocation(std::string_view text);

class SettingsLoader {
 public:
  // Borrows `files`.
  SettingsLoader(EngineOptions options, const Files& files, std::string docs_url = "")
      : options_(std::move(options)),
        docs_url_(std::move(docs_url)),
        files_(files),
        nodes_(options_.node_record_file, files) {}

  // Reads the files. An error names file, line and key.
  Result<std::shared_ptr<const admission::Settings>> Load();

  // Load() again if a file's content differs from what was last read, good or bad; the last good
  // files with the cluster's nodes as they are now, if those differ; else nullopt.
  // Never throws: whatever goes wrong is an error, and the last good settings stay.
  std::optional<Result<std::shared_ptr<const admission::Settings>>> LoadIfChanged();

  // What the person who started us should know of the settings that were loaded last.
  const std::vector<std::string>& warnings() const { return warnings_; }
  // The settings that were loaded last differ from those before in the cluster's nodes alone.
  bool only_nodes_changed() const { return only_nodes_changed_; }

 private:
  struct Texts {
    std::string catalog;
    std::string policy;
    bool operator==(const Texts&) const = default;
  };
  Result<Texts> Read() const;
  Result<std::shared_ptr<const admission::Settings>> Build(const Texts& texts);
  Result<std::shared_ptr<const admission::Settings>> BuildLast();
  Result<rules::Cluster> ClusterOf(const admission::Profile& profile, const tpu::Catalog& catalog);

  EngineOptions options_;
  std::string docs_url_;
  const Files& files_;
  NodeRecord nodes_;
  Texts last_;
  std::optional<Texts> good_;   // what the settings in use were built from
  bool nodes_changed_ = false;  // since they were built
  bool only_nodes_changed_ = false;
  std::vector<std::string> warnings_;
};

}  // namespace tpu_admission::app
