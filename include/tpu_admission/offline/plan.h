// From a wish ("64 chips of v5e") to the ways to get it: topology, machine, hosts, zones, versions,
// and what to write down for each: manifests, node pools, their twins for Terraform and Kueue.
//
// Pure: a catalog and a wish in, values and text out. Every pointer and view points into the
// catalog. May be called from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/base/result.h"
#include "tpu_admission/tpu/catalog.h"

namespace tpu_admission::offline {

// What somebody wants; what is not said is free. Text is as the user wrote it.
struct Wish {
  std::string accelerator = {};  // a label, an id or another name of a generation: v6e,
                                 // tpu-v6e-slice; v6e-16 has 16 chips
  std::int64_t chips = 0;        // in all slices together; 0: not said
  std::string topology = {};     // of one slice
  std::string machine = {};
  std::string zone = {};       // or a region
  std::int64_t memory_gb = 0;  // HBM in all slices together, at least
  std::int64_t slices = 1;     // at least 1
  bool autopilot = false;      // only what GKE Autopilot offers
};

// One way to get it.
struct Way {
  const tpu::Generation* generation = nullptr;
  tpu::Placement placement;  // topology, machine and hosts of one slice
  std::int64_t slices = 1;
  std::vector<const tpu::Zone*> zones;  // surest first; empty: the catalog has no list

  std::int64_t chips() const { return placement.topology.chips(); }  // of one slice
  std::int64_t total_chips() const { return chips() * slices; }
  // Whether the nodes of another way carry the same labels, so that only
  // cloud.google.com/gke-accelerator-count tells them apart.
  bool needs_accelerator_count() const;
  // What sources disagree about, where they do: check warns of such a topology. Else empty.
  std::string doubt() const;
};

// The ways, best first: documented before undocumented, fewer chips, fewer hosts, nearer to a
// cube, then in the order of the catalog. A topology in doubt is among them only if the wish names
// it. An error says which part of the wish cannot be had, and what is nearest.
Result<std::vector<Way>> Plan(const tpu::Catalog& catalog, const Wish& wish);

// How the capacity is paid for. The defaults are on-demand.
struct Capacity {
  bool spot = false;
  bool flex_start = false;
  std::string reservation = {};  // as workload::ReadReservation() takes it; empty: none
};

// Why the text names no reservation.
std::string NoReservation(std::string_view text);

// Whether it is one kind of capacity, and the reservation is one.
Status IsOneWay(const Capacity& capacity);

// Whether a way can be paid for so; the error says what is refused. Emit() asks it too.
Status CanBeHad(const Way& way, const Capacity& capacity);

struct Naming {
  std::string name = "train";  // a DNS label
  std::string image = "example.com/jax:latest";
};

// What --emit may say, in the order in which help lists it.
std::span<const std::string_view> Emittable();

// The text of one of Emittable() for a way: a manifest of Kubernetes that passes every rule, or a
// command or file that makes the nodes; a doubt is its first line, as a comment. An error says why
// this kind cannot run on this way, and which can.
Result<std::string> Emit(std::string_view kind, const Way& way, const Capacity& capacity,
                         const Naming& naming);

}  // namespace tpu_admission::offline
