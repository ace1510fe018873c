// What is true of TPUs on GKE: generations, machine types, topologies, zones, versions. Loaded once
// from config/tpu-catalog.yaml (built into the binary, or the file of --catalog), every row with
// its source. A Catalog is immutable and safe from any thread; pointers and views into it live as
// long as it does.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/base/result.h"
#include "tpu_admission/tpu/generation.h"

namespace tpu_admission::tpu {

// What holds for TPU nodes of every generation.
struct NodeLimits {
  int max_pods = 0;  // per TPU VM
  int boot_disk_gib = 0;
  int multi_host_scale_up_hours = 0;            // then GKE gives the scale-up up
  std::vector<std::string> unsupported_images;  // ubuntu
  std::string os;                               // linux
  std::string arch;                             // amd64
  std::string graceful_termination_version;     // from which GKE ends TPU pods gracefully
  int spot_notice_seconds = 0;                  // that a Spot VM is given before it ends
  Sources sources;
};

// What a document says of all TPU nodes and no pod shows: a sentence for people.
struct Advice {
  std::string text;
  Sources sources;
};

// A storage class that GKE clusters have from the start, and the kind of disk it makes.
struct StorageClass {
  std::string name;
  std::string disk;  // pd-balanced
  Sources sources;
};

class Catalog {
 public:
  // `text` is the YAML, `origin` its name in error messages. Strict: an unknown key, a duplicate
  // row, a row without a source, a topology whose chips its machines cannot make up, and a source
  // that is not in the table are errors of the form "origin:LINE:COLUMN: key: what".
  static Result<std::shared_ptr<const Catalog>> Load(std::string_view text,
                                                     std::string_view origin);

  std::span<const Generation> generations() const { return generations_; }
  const Generation* FindByLabel(std::string_view label) const;
  const Generation* FindByMachine(std::string_view machine) const;  // ct6e-standard-4t
  const Generation* FindByFamily(std::string_view family) const;    // ct6e
  // The chips that its machines have, rising, each once; at least one number.
  std::span<const std::int64_t> host_sizes() const { return host_sizes_; }
  // What a label that names no generation was probably meant to be: the table of known wrong
  // labels, ids, machine families, machine types and the names of Cloud TPU (v5litepod-16) first,
  // then the nearest label by spelling. nullptr: no idea. Allocates.
  const Generation* Guess(std::string_view label) const;
  // True if the label looks like a TPU of a generation we do not know (tpu8t, tpu-v9-slice).
  bool LooksLikeNewGeneration(std::string_view label) const;

  const NodeLimits& node_limits() const { return node_limits_; }
  std::span<const Advice> advice() const { return advice_; }
  std::span<const StorageClass> storage_classes() const { return storage_classes_; }
  const StorageClass* FindStorageClass(std::string_view name) const;
  const std::string& version() const { return version_; }    // the date of its facts
  const std::string& checksum() const { return checksum_; }  // SHA-256 of the text, hex
  struct Source {
    std::string key;
    std::string text;
  };
  std::span<const Source> sources() const { return sources_; }
  struct WrongLabel {
    std::string label;
    std::string meant;  // the label of a generation
    Sources sources;
  };
  std::span<const WrongLabel> wrong_labels() const { return wrong_labels_; }

 private:
  friend class CatalogLoader;

  std::vector<Generation> generations_;
  std::vector<std::int64_t> host_sizes_;
  std::vector<WrongLabel> wrong_labels_;
  std::vector<Source> sources_;
  NodeLimits node_limits_;
  std::vector<Advice> advice_;
  std::vector<StorageClass> storage_classes_;
  std::string version_;
  std::string checksum_;
};

// The catalog that is built into the binary (config/tpu-catalog.yaml at build time).
std::string_view BuiltInCatalogText();

}  // namespace tpu_admission::tpu
