#include "tpu_admission/cluster/scan.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "cluster/orphans.h"
#include "cluster/served_kinds.h"
#include "tpu_admission/admission/repairs.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/cluster/object_splitter.h"
#include "tpu_admission/k8s/json_edit.h"

namespace tpu_admission::cluster {
namespace {

using admission::Judgement;
using rules::Mode;

using RuleList = std::vector<const rules::Rule*>;

bool SameFault(const ScanFinding& a, const ScanFinding& b) {
  return std::tie(a.rule, a.pointer, a.container) == std::tie(b.rule, b.pointer, b.container);
}

// What `after` treats otherwise than `before`; what is no longer found has the mode off.
std::vector<ScanFinding> Difference(std::vector<ScanFinding> before,
                                    std::vector<ScanFinding> after) {
  for (ScanFinding& finding : after) {
    finding.mode_before = Mode::kOff;
    const auto same = std::find_if(before.begin(), before.end(), [&](const ScanFinding& other) {
      return SameFault(other, finding);
    });
    if (same == before.end()) continue;
    finding.mode_before = same->mode;
    before.erase(same);
  }
  std::erase_if(after,
                [](const ScanFinding& finding) { return finding.mode_before == finding.mode; });
  for (ScanFinding& finding : before) {
    if (finding.mode == Mode::kOff) continue;
    finding.mode_before = finding.mode;
    finding.mode = finding.would_be = Mode::kOff;
    after.push_back(std::move(finding));
  }
  return after;
}

constexpr int kMostUnanswered = 3;  // kinds in a row

// The API server has answered, though not with what was wanted.
bool IsAnswer(std::string_view error) {
  return error.find("(Forbidden)") != error.npos || error.find("(NotFound)") != error.npos;
}

}  // namespace

Mode ScannedWorkload::mode() const {
  Mode hardest = Mode::kOff;
  for (const ScanFinding& finding : findings) hardest = std::max(hardest, finding.mode);
  return hardest;
}

std::size_t ScanReport::Count(Mode mode) const {
  return std::size_t(
      std::count_if(told.begin(), told.end(),
                    [mode](const ScannedWorkload& workload) { return workload.mode() == mode; }));
}

std::size_t ScanReport::CountFixed() const {
  return std::size_t(std::count_if(told.begin(), told.end(), [](const ScannedWorkload& workload) {
    return !workload.fixed.empty();
  }));
}

std::size_t ScanReport::CountWouldBeDenied() const {
  return std::size_t(std::count_if(told.begin(), told.end(), [](const ScannedWorkload& workload) {
    return workload.mode() != Mode::kDeny &&
           std::any_of(workload.findings.begin(), workload.findings.end(),
                       [](const ScanFinding& finding) { return finding.would_deny(); });
  }));
}

struct Scanner::State {
  State(const admission::Settings& now, const admission::Settings* then, Day day, std::size_t most)
      : settings(now),
        before(then),
        today(day),
        most_told(most),
        orphans(most),
        splitter(SplitterFor("")) {}

  ObjectSplitter SplitterFor(std::string where) {
    return ObjectSplitter(
        [this](std::string_view text) {
          Look(text);
          return OkStatus();
        },
        [this, where = std::move(where)](const Error& large) { Complain(where + large.message); });
  }

  // `keep_orphans`: what has a known owner waits for ReleaseOrphans(); else it is left out.
  void Look(std::string_view text, bool keep_orphans = true) {
    ++report.objects;
    const Result<k8s::JsonView> object = parser.Parse(text);
    if (!object) return Complain("an object cannot be read: " + object.error().message);
    if (IsElsewhere(*object)) return;
    arena.Reset();
    const Judgement judgement = JudgeBy(settings, *object);
    if (keep_orphans && MayOwn(*object, judgement)) orphans.Saw(*object);
    if (judgement.state == Judgement::State::kNotOurs && !WasOurs(*object)) return;
    if (judgement.state == Judgement::State::kUnreadable) {
      return Complain(Name(*object) + ": " + judgement.reason);
    }
    if (judgement.workload.has_known_parent) {
      if (keep_orphans && !orphans.HasOwner(*object)) HoldOrphan(*object, judgement);
      return;
    }
    ++report.workloads;
    ScannedWorkload told = ToldBy(*object, judgement);
    if (told.says_nothing()) return;
    if (report.told.size() == most_told) return void(++left_out);
    AddRepairs(*object, judgement, told);
    report.told.push_back(std::move(told));
  }

  // As kubectl does not list it with --namespace. What people write by hand may name none.
  bool IsElsewhere(k8s::JsonView object) const {
    if (only_namespace.empty()) return false;
    const std::string_view space = object["metadata"]["namespace"].StringOr("");
    if (!space.empty()) return space != only_namespace;
    const k8s::GroupVersionKind gvk = k8s::GvkOf(object);
    const workload::Kind* const kind = settings.policy.kinds().Find(gvk.group, gvk.kind);
    return kind != nullptr && kind->is_cluster_scoped;
  }

  // Whether the first of two policies looks at what the second does not: an own kind of it.
  bool WasOurs(k8s::JsonView object) {
    if (before == nullptr) return false;
    const Judgement then = JudgeBy(*before, object);
    const bool is_judged =
        then.state == Judgement::State::kJudged || then.state == Judgement::State::kNotChecked;
    return is_judged && !then.workload.has_known_parent;
  }

  // Most pods of a cluster ask for no TPUs and own nothing.
  bool MayOwn(k8s::JsonView object, const Judgement& judgement) const {
    if (judgement.state != Judgement::State::kNotOurs) return true;
    const k8s::GroupVersionKind gvk = k8s::GvkOf(object);
    return gvk.kind != "Pod" && settings.policy.kinds().Find(gvk.group, gvk.kind) != nullptr;
  }

  void HoldOrphan(k8s::JsonView object, const Judgement& judgement) {
    ScannedWorkload* const held = orphans.Hold(object, ToldBy(object, judgement));
    if (held != nullptr && !held->says_nothing()) AddRepairs(object, judgement, *held);
  }

  void ReleaseOrphans() {
    Orphans::Released released = orphans.Release();
    report.workloads += released.workloads;
    left_out += released.left_out;
    for (ScannedWorkload& told : released.told) {
      if (report.told.size() == most_told) {
        ++left_out;
      } else {
        report.told.push_back(std::move(told));
      }
    }
  }

  // Of two policies only what differs.
  ScannedWorkload ToldBy(k8s::JsonView object, const Judgement& judgement) {
    ScannedWorkload told = Tell(settings, object, judgement);
    if (before == nullptr) return told;
    const Judgement then = JudgeBy(*before, object);
    ScannedWorkload told_then = Tell(*before, object, then);
    told.findings = Difference(std::move(told_then.findings), std::move(told.findings));
    if (told.findings.empty() && told.fixed == told_then.fixed) {
      told.fixed.clear();
      told.notes.clear();
      return told;
    }
    NoteOthers(told_then.fixed, told.fixed, " is no longer fixed in its new pods", told.notes);
    NoteOthers(told.fixed, told_then.fixed, " was not fixed in its new pods", told.notes);
    return told;
  }

  // Of each rule that is among `rules` and not among `others`.
  static void NoteOthers(const RuleList& rules, const RuleList& others, std::string_view what,
                         std::vector<std::string>& notes) {
    for (const rules::Rule* const rule : rules) {
      if (std::find(others.begin(), others.end(), rule) != others.end()) continue;
      notes.push_back(std::string(rule->id).append(what));
    }
  }

  Judgement JudgeBy(const admission::Settings& by, k8s::JsonView object) {
    return Judge(by, SubmissionOf(object), arena);
  }

  admission::Submission SubmissionOf(k8s::JsonView object) const {
    admission::Submission submission{k8s::GvkOf(object), object, k8s::JsonView(),
                                     object["metadata"]["namespace"].StringOr(""), today};
    submission.speaks_for_owner = true;
    return submission;
  }

  void AddRepairs(k8s::JsonView object, const Judgement& judgement, ScannedWorkload& told) {
    for (const auto& repair : RepairsOf(settings, SubmissionOf(object), judgement, arena)) {
      told.repairs.push_back({repair.Title() + ": " + repair.changes, repair.chips_before,
                              repair.chips_after, k8s::AsPatch(object, repair.edits)});
    }
  }

  static ScannedWorkload Tell(const admission::Settings& by, k8s::JsonView object,
                              const Judgement& judgement) {
    const k8s::JsonView metadata = object["metadata"];
    ScannedWorkload told;
    told.namespace_name = Printable(metadata["namespace"].StringOr(""));
    told.api_version = Printable(object["apiVersion"].StringOr(""));
    told.kind = Printable(object["kind"].StringOr(""));
    told.name = Printable(metadata["name"].StringOr(""), 253);
    told.uid = Printable(metadata["uid"].StringOr(""), 63);
    if (judgement.state == Judgement::State::kNotChecked) {
      told.notes.push_back("not checked: " + judgement.reason);
      return told;
    }
    const workload::Workload& workload = judgement.workload;
    if (!workload.not_judged.empty()) {
      told.notes.push_back("not checked: " + std::string(workload.not_judged));
    }
    for (const workload::Slip& slip : workload.slips) told.notes.push_back(slip.problem);
    for (const auto& judged : judgement.decision.findings) {
      told.findings.push_back({Told(judged, object, ""), std::nullopt});
    }
    for (const std::string& text : judgement.decision.complaints) told.notes.push_back(text);
    for (const rules::RuleFix& mend :
         by.engine.Fixes(workload, by.FixingRules(told.namespace_name))) {
      const bool known =
          std::find(told.fixed.begin(), told.fixed.end(), mend.rule) != told.fixed.end();
      if (!known) told.fixed.push_back(mend.rule);
    }
    return told;
  }

  static std::string Name(k8s::JsonView object) {
    return Printable(object["kind"].StringOr("object")) + " " +
           Quoted(object["metadata"]["namespace"].StringOr("")) + "/" +
           Quoted(object["metadata"]["name"].StringOr(""));
  }

  void Complain(std::string what) {
    constexpr std::size_t kMost = 100;
    if (report.errors.size() < kMost) report.errors.push_back(std::move(what));
  }

  const admission::Settings& settings;
  const admission::Settings* before;
  const Day today;
  const std::size_t most_told;
  std::string only_namespace;  // empty: all of them
  k8s::JsonParser parser;
  k8s::Arena arena;
  ScanReport report;
  Orphans orphans;
  std::size_t left_out = 0;  // of report.told
  ObjectSplitter splitter;
};

Scanner::Scanner(const admission::Settings& settings, const admission::Settings* before, Day today,
                 std::size_t most_told)
    : state_(std::make_unique<State>(settings, before, today, most_told)) {}
Scanner::~Scanner() = default;

void Scanner::KeepTo(std::string namespace_name) {
  state_->only_namespace = std::move(namespace_name);
}
Status Scanner::Read(std::string_view json) { return state_->splitter.Feed(json); }
Status Scanner::FinishReading() {
  state_->ReleaseOrphans();
  return state_->splitter.Finish();
}
void Scanner::Take(std::string_view json) { state_->Look(json, false); }

Status Scanner::ReadCluster(Kubectl& kubectl, const std::string& namespace_name,
                            const std::function<void(const std::string&)>& progress) {
  progress("kinds of the server");
  std::vector<const workload::KindTable*> tables = {&state_->settings.policy.kinds()};
  if (state_->before != nullptr) tables.push_back(&state_->before->policy.kinds());
  TPU_ADMISSION_TRY(auto kinds, ServedKinds(kubectl, tables, state_->report.errors));
  // Most owners are known when their pods come, so that these need not wait for them.
  std::stable_partition(kinds.begin(), kinds.end(),
                        [](const workload::Kind* kind) { return kind->name != "Pod"; });
  int unanswered = 0;  // kinds, one after another
  for (const workload::Kind* kind : kinds) {
    if (kind->is_cluster_scoped && !namespace_name.empty()) continue;
    const std::string resource = ResourceName(*kind);
    if (unanswered == kMostUnanswered) {
      state_->Complain("gave up after three kinds in a row: nothing was read from " + resource +
                       " on");
      break;
    }
    progress(resource);
    const Status status = ReadKind(kubectl, resource, namespace_name);
    unanswered = status || IsAnswer(status.error().message) ? 0 : unanswered + 1;
    if (!status) state_->Complain(status.error().message);
  }
  state_->ReleaseOrphans();
  return OkStatus();
}

Status Scanner::ReadKind(Kubectl& kubectl, const std::string& resource,
                         const std::string& namespace_name) {
  std::vector<std::string> arguments = {"get", resource, "-o", "json", "--chunk-size=500"};
  if (namespace_name.empty()) arguments.push_back("-A");
  if (!namespace_name.empty()) arguments.insert(arguments.end(), {"-n", namespace_name});
  ObjectSplitter objects = state_->SplitterFor(resource + ": ");
  Status taken = OkStatus();
  const Status status =
      kubectl.Run(arguments, [&](std::string_view piece) { return taken = objects.Feed(piece); });
  if (!taken) return Error{resource + ": " + taken.error().message};
  if (!status) return status;
  const Status finished = objects.FinishAnswer();
  return finished ? finished : Error{resource + ": " + finished.error().message};
}

ScanReport Scanner::TakeReport() {
  ScanReport report = std::move(state_->report);
  state_->report = {};
  if (const std::size_t more = std::exchange(state_->left_out, 0); more > 0) {
    report.errors.push_back(std::to_string(more) +
                            " more workloads have findings, too many to tell: name a namespace");
  }
  const auto key = [](const ScannedWorkload& workload) {
    return std::tie(workload.namespace_name, workload.kind, workload.name);
  };
  std::stable_sort(
      report.told.begin(), report.told.end(),
      [&](const ScannedWorkload& a, const ScannedWorkload& b) { return key(a) < key(b); });
  return report;
}

}  // namespace tpu_admission::cluster
