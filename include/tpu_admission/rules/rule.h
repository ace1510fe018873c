// A rule: a name and one pure check. Each rule is one folder of src/rules/, with its README.md and
// its cases, and one line of src/rules/list.def; everything else (`explain`, index, tests, metrics)
// follows from these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tpu_admission/rules/cluster.h"
#include "tpu_admission/workload/workload.h"

namespace tpu_admission::rules {

struct Subject;
class Report;

// Fixes touch pods only and never overwrite what the user chose. (One puts a value in the place of
// GKE's default, where a policy asks for it.)
struct AddToleration {};  // google.com/tpu Exists NoSchedule
struct AddRequests {
  std::string_view list;  // "containers" or "initContainers"
  std::size_t index = 0;
  std::optional<std::int64_t> cpu_millis = std::nullopt;
  std::optional<std::int64_t> memory_mib = std::nullopt;
};
struct SetDnsPolicy {};  // ClusterFirstWithHostNet, where it is absent or the API's default
// A variable that a container lacks. The name is a constant; the value is text, or the path of a
// field of the pod.
struct NewVariable {
  std::string_view name;
  std::string value;
  bool is_field = false;
  friend bool operator==(const NewVariable&, const NewVariable&) = default;
};
struct AddVariables {     // in this order, after those that are there
  std::string_view list;  // "containers" or "initContainers"
  std::size_t index = 0;
  std::vector<NewVariable> variables;
};
// In the place of one that is there.
struct ReplaceVariable {
  std::string_view list;
  std::size_t index = 0;  // of the container
  std::size_t place = 0;  // in its env
  NewVariable variable;
};
// In one node pool with the pods that have the same value of this label, and with no others that
// have the label: terms after those that the affinity has.
struct KeepTogether {
  std::string_view label;
  std::string value;
};
// Where the pod has none.
struct SetHostname {
  std::string name;
};
struct SetSubdomain {
  std::string name;
};
using Fix = std::variant<AddToleration, AddRequests, SetDnsPolicy, AddVariables, ReplaceVariable,
                         KeepTogether, SetHostname, SetSubdomain>;

// Whether a fix is made where no policy says so.
enum class FixDefault {
  kOn,
  kNotOnGke,  // GKE's own webhook does it
  kOff,
};

// What becomes of a finding, mildest first.
enum class Mode {
  kOff,    // nothing
  kAudit,  // log, metric and audit annotation only
  kWarn,   // and a warning that kubectl prints
  kDeny,   // and the request is denied
};
std::string_view Name(Mode mode);
std::optional<Mode> ModeOf(std::string_view name);

struct Rule {
  std::string_view id;    // TPU and three digits; never used again for another rule
  std::string_view name;  // chips-per-host
  Mode mode;              // by default; a finding may be milder, never harder
  // Judges how many pods there are: only the object that owns the count is asked, and an UPDATE
  // that changes nothing but the count warns at most.
  bool judges_counts = false;
  // Judges one alternative of one pod set. Knows no JSON, clock, thread or log.
  void (*check)(const Subject& subject, Report& report);
  // Adds what would mend the fault, if that is safe; makes no text. nullptr: the rule has no fix.
  void (*fix)(const Subject& subject, std::vector<Fix>& fixes) = nullptr;
  FixDefault fix_default = FixDefault::kOn;
  // Which pod sets are judged, by what they have to do with TPUs.
  workload::TpuUses audience = workload::TpuUses(workload::TpuUse::kChips);
  // GKE's own admission check says the same, so what asks GKE to skip that check
  // (workload::PodSet::skips_checks) is only recorded.
  bool is_gke_check = false;
  // It speaks of names. Fewer pods may have shorter ones, but nobody meant that: where it has no
  // edits, a workload has no repair.
  bool is_about_names = false;
  // It judges the accelerator label itself. Where that is misspelt, others judge what was probably
  // meant, and warn at most.
  bool judges_label = false;
  // What it finds keeps pods from all nodes, as far as we know: where a repair is offered, its
  // edits are part of it, also where it only warns, and where it has none the repair names it.
  bool keeps_pending = false;
  // Without what it asks for the program waits for ever, or ends at once, but an edit of the object
  // is not enough: a repair that leaves its warning names it.
  bool keeps_waiting = false;
  // What it speaks of may change at any time: no policy makes its findings harder than they are.
  bool never_harder = false;
};

// Whether `rule` has a fix that is made on this platform where no policy says so.
bool FixesByDefault(const Rule& rule, Platform platform);

// The pods and choices whose node selection is judged.
inline constexpr workload::TpuUses kNodeSelectors =
    workload::TpuUse::kChips | workload::TpuUse::kClaims | workload::TpuUse::kChoice;

// All rules in the order of their ids.
std::span<const Rule* const> AllRules();
// nullptr if there is none with this id or name.
const Rule* FindRule(std::string_view id_or_name);
// `there is no rule "hots", did you mean hosts? ...`. Costs a look at every rule.
std::string NoSuchRule(std::string_view word);
// The place of `rule` in AllRules().
std::size_t IndexOf(const Rule& rule);

}  // namespace tpu_admission::rules
