// A repair: a few edits that make a whole workload sound. It is searched among the shapes of the
// catalog near to what is written, and shown only if the judge itself finds nothing wrong with the
// edited object.
//
// Pure; belongs to one thread through its arena. Searched only when something is wrong; the work is
// bounded by kMostCandidates judgements of an ordinary pod, and so by fewer of a large object, or
// of one with many faults.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/k8s/arena.h"
#include "tpu_admission/k8s/json_edit.h"
#include "tpu_admission/tpu/catalog.h"
#include "tpu_admission/workload/edits.h"
#include "tpu_admission/workload/workload.h"

namespace tpu_admission::repair {

// A warning that stays beside a repair, and nothing runs.
struct Beside {
  std::string_view rule;  // its id
  std::string summary;    // where nothing told of it before; else empty

  bool operator==(const Beside&) const = default;
};

struct Repair {
  std::vector<k8s::JsonEdit> edits;
  std::string what;            // "keep 4x4, 16 chips on 4 hosts"
  std::string changes;         // "containers[0] google.com/tpu: 4, parallelism: 4"
  bool as_said = false;        // nothing was looked for: the findings say it all
  std::vector<Beside> beside;  // one of a rule
  bool leaves_more = false;    // warnings stay that say what to change
  // Of the whole workload, before and after. Before: as the pods ask for them, where that is
  // written and can be; else as the topology says.
  std::int64_t chips_before = 0;
  std::int64_t chips_after = 0;

  // "keep 4x4, 16 chips on 4 hosts" with what it costs: "(16 chips become 64)".
  std::string Title() const;
};

// A denial, or a warning that was not there before; and what its finding would change.
struct Fault {
  std::string pods;  // JSON pointer of the pod set
  workload::Edits edits;
  bool needs_a_name = false;  // which no shape of the pods stands in for
  bool only_warns = false;    // about the edited object, which need not be its edits' doing
  bool is_beside = false;     // a new warning whose rule Proof::beside names, and no edit mends
};

// What the judge makes of an edited object. `unreadable`: no workload any more.
struct Proof {
  bool unreadable = false;
  std::vector<Fault> faults;
  std::vector<Beside> beside;  // see Repair
  bool leaves_more = false;
  workload::Workload workload;
};
using Prover = std::function<Proof(k8s::JsonView object)>;

inline constexpr std::size_t kMostRepairs = 3;
inline constexpr std::size_t kMostCandidates = 128;
// Of an ordinary pod set each may take as many judgements until nothing is left to say of it.
inline constexpr std::size_t kMostRounds = 3;
// Of more pod sets with a fault it may be that not even what the findings say can be proven.
inline constexpr std::size_t kMostFaultySets = kMostCandidates / kMostRounds;

// At most kMostRepairs, nearest first: those that keep total chips, generation, chips a pod,
// topology and pods, in this order, then those of few edits; behind the first what keeps the
// topology, if that does not. A candidate is a shape together with the edits of the findings that
// are left with it. `written`: what the judge makes of `object` as it is. The same input gives the
// same answer.
//
// `most` bounds the judgements, as kMostCandidates does.
//
// kAsSaid is for what may well run as it is: only what the findings themselves would change is
// changed, so that no warning costs a shape or chips that somebody chose; or less than that.
enum class Reach { kAnyShape, kAsSaid };
std::vector<Repair> FindRepairs(const tpu::Catalog& catalog, k8s::JsonView object,
                                const Proof& written, Reach reach, const Prover& prove,
                                k8s::Arena& arena, std::size_t most = kMostCandidates);

// `first`, and what `more` then changes of what it makes. `written`: with the faults that either
// mends; `mended`: what both make.
Repair Both(const tpu::Catalog& catalog, const Proof& written, const Repair& first,
            const Repair& more, const Proof& mended);

// What changes all that another one does, and more, is no choice beside it.
bool Includes(const Repair& repair, const Repair& other);

}  // namespace tpu_admission::repair
