// Which shapes of TPU nodes a cluster has, and has had: the record that the controller keeps in a
// ConfigMap and the servers read as a file. A value: no I/O, clock or thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/base/day.h"
#include "tpu_admission/base/result.h"

namespace tpu_admission::tpu {

struct SeenShape {
  std::string accelerator;       // "tpu-v6e-slice", as the nodes' label has it
  std::string topology;          // "4x4"
  std::int64_t chips = 0;        // of a node; 0: not known
  std::int64_t nodes = 0;        // now
  std::int64_t most_nodes = 0;   // at any one time
  std::int64_t pools = 0;        // that have such nodes now
  std::string pool = {};         // one of them; without nodes the last one
  std::optional<Day> seen = {};  // without nodes: the last day that there was one

  friend bool operator==(const SeenShape&, const SeenShape&) = default;
};

struct SeenShapes {
  static constexpr std::size_t kMost = 256;  // of shapes; those without nodes go first

  // What a server holds against its clock before it believes the record, in seconds.
  static constexpr std::int64_t kSettled = 600;  // pools may have been made with the cluster
  static constexpr std::int64_t kStale = 1200;   // the record is brought up every 5 minutes

  std::int64_t since = 0;    // seconds since 1970: kept without a gap since then,
  std::int64_t current = 0;  // and right until then
  // Something may make nodes that were never seen, or nobody knows.
  bool autoscaler = true;
  std::vector<SeenShape> shapes = {};  // by accelerator, topology and chips

  // A record as Text() writes it. An error names `origin`, line and key.
  static Result<SeenShapes> Load(std::string_view text, std::string_view origin);
  std::string Text() const;  // YAML

  bool IsSettled(std::int64_t now) const { return now - since >= kSettled; }
  bool IsCurrent(std::int64_t now) const {
    return now - current <= kStale && current - now <= kStale;
  }
  // Whether there are or were such nodes. Logarithmic; reads the texts as they are.
  bool Has(std::string_view accelerator, std::string_view topology) const;

  // Counts one more node of the shape.
  void Count(std::string_view accelerator, std::string_view topology, std::int64_t chips,
             std::string_view pool);
};

// "tpu-v6e-slice 2x4 (3 nodes of 8 chips), tpu-v6e-slice 4x4 (none now, 4 nodes until 2026-11-20)
// and 2 more": at most `most` of them, those that have nodes first.
std::string Listed(std::span<const SeenShape> shapes, std::size_t most);

}  // namespace tpu_admission::tpu
