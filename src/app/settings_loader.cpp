#include "app/settings_loader.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "tpu_admission/base/clock.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/base/yaml.h"
#include "tpu_admission/tpu/gke_version.h"

namespace tpu_admission::app {
namespace {

using Loaded = Result<std::shared_ptr<const admission::Settings>>;

rules::Platform PlatformOf(const EngineOptions& options, const admission::Profile& profile) {
  if (options.cluster_mode == "autopilot") return rules::Platform::kAutopilot;
  if (options.cluster_mode == "self-managed") return rules::Platform::kSelfManaged;
  if (options.cluster_mode == "standard") return rules::Platform::kStandard;
  return profile.platform.value_or(rules::Platform::kStandard);
}

bool HasTpus(const tpu::Catalog& catalog, std::string_view region) {
  const auto is_there = [&](const tpu::Zone& zone) { return rules::RegionOf(zone.name) == region; };
  return std::any_of(catalog.generations().begin(), catalog.generations().end(),
                     [&](const tpu::Generation& generation) {
                       const auto& zones = generation.zones.list;
                       return std::any_of(zones.begin(), zones.end(), is_there);
                     });
}

// Whether the text has no value: nothing, comments, `null`. A policy that was cut, or whose last
// line was commented out, would turn the warnings of a staged rollout into denials; so it is
// refused at the start as well as when it is read again.
bool IsEmpty(const YamlStream& stream) {
  return stream.errors.empty() &&
         (stream.documents.empty() || stream.documents.front().root->kind == YamlNode::Kind::kNull);
}

}  // namespace

Result<SettingsLoader::Texts> SettingsLoader::Read() const {
  Texts texts{std::string(tpu::BuiltInCatalogText()), ""};
  if (!options_.catalog_file.empty()) {
    TPU_ADMISSION_TRY(texts.catalog, files_.Read(options_.catalog_file, kMaxConfigBytes));
  }
  if (!options_.policy_file.empty()) {
    TPU_ADMISSION_TRY(texts.policy, files_.Read(options_.policy_file, kMaxConfigBytes));
  }
  return texts;
}

std::string NoLocation(std::string_view text) {
  return Quoted(text) + " is neither a zone such as us-central1-a nor a region such as us-central1";
}

Result<rules::Cluster> SettingsLoader::ClusterOf(const admission::Profile& profile,
                                                 const tpu::Catalog& catalog) {
  rules::Cluster cluster;
  cluster.region = rules::RegionOf(options_.cluster_location);
  if (cluster.region.empty() && !options_.cluster_location.empty()) {
    return Error{"--cluster-location: " + NoLocation(options_.cluster_location)};
  }
  if (!cluster.region.empty() && !HasTpus(catalog, cluster.region)) {
    warnings_.push_back("--cluster-location: the catalog knows no TPUs in the region " +
                        Quoted(cluster.region) + "; the location is left out of account");
    cluster.region.clear();
  }
  if (!options_.gke_version.empty() && !tpu::GkeVersion::Parse(options_.gke_version)) {
    return Error{"--gke-version: " + Quoted(options_.gke_version) +
                 " is no version such as 1.33.2-gke.1111000"};
  }
  cluster.platform = PlatformOf(options_, profile);
  cluster.gke_version = options_.gke_version;
  cluster.shapes = nodes_.shapes();
  if (!nodes_.fault().empty()) {
    warnings_.push_back("the TPU nodes of the cluster are not known: " + nodes_.fault());
  }
  return cluster;
}

Loaded SettingsLoader::Build(const Texts& texts) {
  warnings_.clear();
  TPU_ADMISSION_TRY(auto catalog, tpu::Catalog::Load(texts.catalog, options_.catalog_file.empty()
                                                                        ? "built-in catalog"
                                                                        : options_.catalog_file));
  TPU_ADMISSION_TRY(admission::Policy policy,
                    admission::Policy::Load(texts.policy, options_.policy_file, options_.profile));
  if (!options_.policy_file.empty() && IsEmpty(ReadYaml(texts.policy))) {
    return Error{ShownPath(options_.policy_file) +
                 ": says nothing; write {} if all defaults are meant"};
  }
  TPU_ADMISSION_TRY(rules::Cluster cluster, ClusterOf(policy.profile(), *catalog));
  return std::make_shared<const admission::Settings>(admission::Settings{
      rules::Engine(std::move(catalog), std::move(cluster)), std::move(policy), docs_url_});
}

Loaded SettingsLoader::BuildLast() {
  Loaded built = Build(last_);
  if (built) {
    good_ = last_;
    nodes_changed_ = false;
  }
  return built;
}

Loaded SettingsLoader::Load() {
  TPU_ADMISSION_TRY(last_, Read());
  nodes_.Refresh(SystemClock().Now());
  return BuildLast();
}

std::optional<Loaded> SettingsLoader::LoadIfChanged() try {
  Result<Texts> texts = Read();
  nodes_changed_ = nodes_.Refresh(SystemClock().Now()) || nodes_changed_;
  only_nodes_changed_ = false;
  if (texts && *texts != last_) {
    last_ = *std::move(texts);
    return BuildLast();
  }
  if (!texts) last_ = {};  // so that the file is taken again when it is back
  // A file that is faulty or gone holds up nobody's news of the nodes.
  if (nodes_changed_ && good_) {
    only_nodes_changed_ = true;
    Loaded built = Build(*good_);
    if (built) nodes_changed_ = false;
    return built;
  }
  if (!texts) return Loaded(texts.error());
  return std::nullopt;
} catch (const std::exception& bug) {
  return Loaded(Error{std::string("catalog or policy cannot be read: ") + bug.what()});
}

}  // namespace tpu_admission::app
