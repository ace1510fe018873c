#include "app/settings_loader.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace tpu_admission::app {
namespace {

using Loaded = Result<std::shared_ptr<const admission::Settings>>;

rules::Platform PlatformOf(const EngineOptions& options, const admission::Profile& profile) {
  if (options.cluster_mode == "autopilot") return rules::Platform::kAutopilot;
  if (options.cluster_mode == "standard") return rules::Platform::kStandard;
  return profile.platform.value_or(rules::Platform::kStandard);
}

Result<rules::Cluster> ClusterOf(const EngineOptions& options, const admission::Profile& profile) {
  rules::Cluster cluster;
  cluster.region = rules::RegionOf(options.cluster_location);
  if (cluster.region.empty() && !options.cluster_location.empty()) {
    return Error{"--cluster-location: \"" + options.cluster_location +
                 "\" is neither a zone such as us-central1-a nor a region such as us-central1"};
  }
  cluster.platform = PlatformOf(options, profile);
  cluster.gke_version = options.gke_version;
  return cluster;
}

}  // namespace

Result<std::string> ReadFile(const std::string& path) {
  constexpr std::size_t kMaxBytes = 16 << 20;
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{path + ": " + std::strerror(errno)};
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (file.bad()) return Error{path + ": cannot be read"};
  if (text.size() > kMaxBytes) return Error{path + ": is larger than 16 MiB"};
  return text;
}

Result<SettingsLoader::Texts> SettingsLoader::Read() const {
  Texts texts;
  if (options_.catalog_file.empty()) {
    texts.catalog = tpu::BuiltInCatalogText();
  } else if (Result<std::string> text = ReadFile(options_.catalog_file); text) {
    texts.catalog = *std::move(text);
  } else {
    return text.error();
  }
  if (options_.policy_file.empty()) return texts;
  Result<std::string> text = ReadFile(options_.policy_file);
  if (!text) return text.error();
  texts.policy = *std::move(text);
  return texts;
}

Loaded SettingsLoader::Build(const Texts& texts) const {
  auto catalog = tpu::Catalog::Load(
      texts.catalog, options_.catalog_file.empty() ? "built-in catalog" : options_.catalog_file);
  if (!catalog) return catalog.error();
  Result<admission::Policy> policy =
      admission::Policy::Load(texts.policy, options_.policy_file, options_.profile);
  if (!policy) return policy.error();
  Result<rules::Cluster> cluster = ClusterOf(options_, policy->profile());
  if (!cluster) return cluster.error();
  return std::make_shared<const admission::Settings>(admission::Settings{
      rules::Engine(*std::move(catalog), *std::move(cluster)), *std::move(policy), docs_url_});
}

Loaded SettingsLoader::Load() {
  Result<Texts> texts = Read();
  if (!texts) return texts.error();
  last_ = *texts;
  return Build(last_);
}

std::optional<Loaded> SettingsLoader::LoadIfChanged() {
  Result<Texts> texts = Read();
  if (!texts) {
    last_ = {};  // so that the file is taken again when it is back
    return Loaded(texts.error());
  }
  if (*texts == last_) return std::nullopt;
  last_ = *std::move(texts);
  return Build(last_);
}

}  // namespace tpu_admission::app
