#include "tpu/catalog_loader.h"

#include <openssl/evp.h>

#include <array>
#include <utility>

#include "tpu_admission/base/text.h"

namespace tpu_admission::tpu {
namespace {

std::string Sha256Hex(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr);
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) {
    hex += kHex[digest[i] >> 4U];
    hex += kHex[digest[i] & 0xFU];
  }
  return hex;
}

NodeLimits ReadNodeLimits(ConfigNode root, const SourceTable& sources) {
  ConfigNode node = root.Map("node_limits");
  constexpr IntRange kCount{1, 1'000'000};
  NodeLimits limits;
  limits.max_pods = static_cast<int>(node.Int("max_pods", kCount));
  limits.boot_disk_gib = static_cast<int>(node.Int("boot_disk_gib", kCount));
  limits.multi_host_scale_up_hours =
      static_cast<int>(node.Int("multi_host_scale_up_hours", kCount));
  limits.unsupported_images = node.StringsOrNone("unsupported_images");
  limits.os = node.StringOr("os", "");
  limits.arch = node.StringOr("arch", "");
  limits.graceful_termination_version = ReadVersion(node, "graceful_termination_version");
  limits.spot_notice_seconds = static_cast<int>(node.IntOr("spot_notice_seconds", 0, kCount));
  limits.sources = sources.Of(node);
  return limits;
}

}  // namespace

Sources SourceTable::Of(ConfigNode row) const {
  Sources keys = row.Strings("sources");
  if (keys.empty() && row.Has("sources")) {
    row.Fail("sources", "found none, wanted at least one key of `sources`");
  }
  for (const std::string& key : keys) {
    if (keys_.contains(key)) continue;
    row.Fail("sources", "found " + Quoted(key) + ", wanted a key of the table `sources`");
  }
  return keys;
}

std::vector<ConfigNode> FilledList(ConfigNode node, std::string_view key) {
  std::vector<ConfigNode> rows = node.List(key);
  if (rows.empty() && node.HasList(key)) node.Fail(key, "found none, wanted at least one row");
  return rows;
}

std::optional<Topology> ReadTopology(ConfigNode row, std::string_view key, int dimensions) {
  const std::string text = row.String(key);
  const std::optional<Topology> topology = Topology::Parse(text);
  if (topology && topology->rank() == dimensions) return topology;
  if (!text.empty()) {
    row.Fail(key, "found " + Quoted(text) + ", wanted a topology of " + std::to_string(dimensions) +
                      " dimensions");
  }
  return std::nullopt;
}

std::vector<Topology> ReadTopologies(ConfigNode row, std::string_view key, int dimensions) {
  std::vector<Topology> topologies;
  for (ConfigNode item : row.ListOrNone(key)) {
    const std::string text = item.AsString();
    const std::optional<Topology> topology = Topology::Parse(text);
    if (topology && topology->rank() == dimensions) {
      topologies.push_back(*topology);
    } else {
      item.Fail("found " + Quoted(text) + ", wanted a topology of " + std::to_string(dimensions) +
                " dimensions");
    }
  }
  return topologies;
}

DimensionOrder ReadOrder(ConfigNode row) {
  constexpr std::array<std::string_view, 3> kNames = {"required", "disputed", "unknown"};
  return static_cast<DimensionOrder>(row.OneOf("order", kNames));
}

// Reads the whole file; the one that may write a Catalog.
class CatalogLoader {
 public:
  explicit CatalogLoader(ConfigNode root) : root_(std::move(root)) {}

  std::shared_ptr<const Catalog> Read(std::string_view text) {
    catalog_->version_ = root_.String("version");
    catalog_->checksum_ = Sha256Hex(text);
    ReadSources();
    catalog_->node_limits_ = ReadNodeLimits(root_, sources_);
    ReadAdvice();
    ReadStorageClasses();
    ReadGenerations();
    ReadWrongLabels();
    return catalog_;
  }

 private:
  void ReadSources() {
    for (auto [key, node] : root_.Map("sources").Members()) {
      sources_.Add(key);
      catalog_->sources_.push_back({key, node.AsString()});
    }
  }

  void ReadAdvice() {
    for (ConfigNode node : root_.ListOrNone("advice")) {
      catalog_->advice_.push_back({node.String("text"), sources_.Of(node)});
    }
  }

  void ReadStorageClasses() {
    for (ConfigNode node : root_.ListOrNone("storage_classes")) {
      StorageClass row{node.String("name"), node.String("disk"), sources_.Of(node)};
      Claim(node, "name", row.name, "storage class");
      catalog_->storage_classes_.push_back(std::move(row));
    }
  }

  void ReadGenerations() {
    std::set<std::int64_t> sizes;
    for (const ConfigNode& node : FilledList(root_, "generations")) {
      Generation generation = ReadGeneration(node, sources_);
      Claim(node, "id", generation.id, "id");
      Claim(node, "label", generation.label, "label");
      Claim(node, "machine_family", generation.machine_family, "machine family");
      for (const std::string& alias : generation.aliases) Claim(node, "aliases", alias, "id");
      for (const MachineType& machine : generation.machines) sizes.insert(machine.chips);
      catalog_->generations_.push_back(std::move(generation));
    }
    catalog_->host_sizes_.assign(sizes.begin(), sizes.end());
  }

  // A name that two generations have would make one of them unreachable.
  void Claim(ConfigNode node, std::string_view key, const std::string& name,
             std::string_view kind) {
    const bool fresh = claimed_.insert(std::string(kind) + '/' + name).second;
    if (!fresh && !name.empty()) {
      node.Fail(key,
                Quoted(name) + " is a duplicate: another generation has this " + std::string(kind));
    }
  }

  void ReadWrongLabels() {
    for (ConfigNode node : root_.ListOrNone("wrong_labels")) {
      Catalog::WrongLabel row{node.String("label"), node.String("meant"), sources_.Of(node)};
      if (catalog_->FindByLabel(row.meant) == nullptr) {
        node.Fail("meant", "found " + Quoted(row.meant) + ", wanted the label of a generation");
      }
      Claim(node, "label", row.label, "label");
      catalog_->wrong_labels_.push_back(std::move(row));
    }
  }

  ConfigNode root_;
  std::shared_ptr<Catalog> catalog_ = std::make_shared<Catalog>();
  SourceTable sources_;
  std::set<std::string> claimed_;
};

Result<std::shared_ptr<const Catalog>> Catalog::Load(std::string_view text,
                                                     std::string_view origin) {
  TPU_ADMISSION_TRY(ConfigFile file, ConfigFile::Parse(text, origin));
  std::shared_ptr<const Catalog> catalog = CatalogLoader(file.root()).Read(text);
  TPU_ADMISSION_TRY_STATUS(file.Finish());
  return catalog;
}

}  // namespace tpu_admission::tpu
