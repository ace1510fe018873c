// Why a TPU workload does not run, from a snapshot: the likeliest cause first, what to do, and what
// speaks for it. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/cluster/snapshot.h"

namespace tpu_admission::cluster {

struct Cause {
  std::string_view word;  // stable, for programs
  std::string text;       // one sentence, of this workload
  std::string change;     // what to do
  std::vector<std::string> evidence;
};

// What a row finds; `change` is the row's where it has none of its own.
struct Found {
  std::string text;
  std::vector<std::string> evidence;
  std::string change = {};
};

// A row of the table of causes. Rows stand in the order of their likeliness: what comes earlier in
// the life of a workload explains what comes later.
struct CauseRow {
  std::string_view word;
  std::string_view meaning;  // for the docs: "the LocalQueue does not exist"
  std::string_view change;
  std::optional<Found> (*find)(const Snapshot&);
  enum class When {
    kNotRunning,
    kAlways,    // also where all pods run
    kLast,      // as kNotRunning, and it leaves nothing to ask
    kFallback,  // only if no earlier row told of the same evidence
  };
  When when = When::kNotRunning;
};
std::span<const CauseRow> CauseTable();

struct Diagnosis {
  bool running = false;
  std::string summary;        // "0 of 4 pods run"
  std::vector<Cause> causes;  // of one that runs: what may matter all the same
};
Diagnosis Diagnose(const Snapshot& snapshot);

}  // namespace tpu_admission::cluster
