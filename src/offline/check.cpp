#include "tpu_admission/offline/check.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "offline/broken_text.h"
#include "offline/ignore_comments.h"
#include "offline/misplaced_containers.h"
#include "offline/unread_kind.h"
#include "offline/workflow_manifests.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/companions.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::offline {
namespace {

using admission::JudgedFinding;
using rules::Mode;

constexpr std::string_view kIgnorePointer = "/metadata/annotations/tpu-admission.io~1ignore";
constexpr std::size_t kReasonBytes = 200;
constexpr std::size_t kSourceBytes = 256;

// Of a value; of a list or map its key, or where it begins.
Span SpanOf(const ManifestObject& object, std::string_view field_pointer, std::string_view text) {
  const YamlPlace place = object.PlaceOf(field_pointer);
  if (place.key.offset >= place.value.offset) return {place.value, place.end};
  const bool one_line = place.key.line == place.value.line && place.value.line == place.end.line;
  const char first = place.value.offset < text.size() ? text[place.value.offset] : '{';
  const bool scalar = one_line && first != '{' && first != '[';
  if (scalar) return {place.value, place.end};
  YamlMark end = place.key;
  while (end.offset < place.value.offset && text[end.offset] != ':') {
    ++end.offset;
    ++end.column;
  }
  return {place.key, end};
}

// The template that Helm says a document was rendered from: `# Source: chart/templates/job.yaml`,
// in the comments above it.
std::string RenderedFrom(std::string_view text, std::size_t begin) {
  constexpr std::string_view kMark = "# Source: ";
  constexpr std::size_t kMostAbove = 64 << 10;  // a file may be one line of many documents
  text = text.substr(0, begin);
  text.remove_prefix(text.size() - std::min(text.size(), kMostAbove));
  text = text.substr(0, text.rfind('\n') + 1);  // npos + 1 is 0
  while (!text.empty()) {
    const std::size_t start = text.rfind('\n', text.size() - 2) + 1;
    const std::string_view line = text.substr(text.size() < 2 ? 0 : start);
    if (line.starts_with(kMark)) {
      const std::size_t end = std::min(line.find_last_not_of(" \r\n") + 1, line.size());
      return Printable(line.substr(kMark.size(), end - kMark.size()), kSourceBytes);
    }
    if (!line.starts_with('#') && line.find_first_not_of(" \r\n") != line.npos) break;
    text.remove_suffix(line.size());
  }
  return "";
}

bool IsOnlyRecorded(const JudgedFinding& judged) {
  return std::max(judged.mode, judged.would_be) <= Mode::kAudit && judged.ignored_because.empty();
}

// Whether a finding is about a label or annotation that ends in a line break, as a text written
// with | or > does: nobody sees that. (A command may well end so.)
bool EndsItsLine(const ManifestObject& object, std::string_view pointer) {
  const auto is_below = [&](std::string_view key) { return pointer.find(key) != pointer.npos; };
  return k8s::At(object.json, pointer).StringOr("").ends_with('\n') &&
         (is_below("/nodeSelector/") || is_below("/annotations/") || is_below("/values/"));
}

ReportedFinding Reported(const ManifestObject& object, const JudgedFinding& judged,
                         std::string_view text) {
  ReportedFinding finding;
  static_cast<admission::ToldFinding&>(finding) = Told(judged, object.root, object.pointer);
  finding.field = FieldPath(judged.finding.pointer);
  finding.place = SpanOf(object, judged.finding.pointer, text);
  finding.ignored_because = Printable(judged.ignored_because, kReasonBytes);
  return finding;
}

class Checker {
 public:
  Checker(const admission::Settings& settings, const CheckWish& wish,
          const workload::Companions& companions, IgnoreComments& comments, FileReport& report)
      : settings_(settings),
        wish_(wish),
        companions_(companions),
        comments_(comments),
        report_(report) {}

  void Check(const ManifestObject& object) {
    CheckItself(object);
    ForEachManifest(object, [&](const std::string& pointer, std::string_view text) {
      made_bytes_ += text.size();
      if (made_bytes_ > kMaxManifestBytes) return;  // aliases may repeat one text many times
      const YamlStream stream = ReadYaml(text);
      if (!stream.errors.empty()) return;  // a template of Argo's
      ForEachObject(stream,
                    [&](const ManifestObject& made) { CheckMade(object, pointer, made, text); });
    });
  }

 private:
  void CheckItself(const ManifestObject& object) {
    arena_.Reset();
    admission::Submission submission = SubmissionOf(object, wish_);
    if (!companions_.empty()) submission.companions = &companions_;
    admission::Judgement judgement;
    if (SaysWhatItIs(object.gvk)) judgement = Judge(settings_, submission, arena_);
    ObjectReport told;
    using State = admission::Judgement::State;
    if (judgement.state == State::kUnreadable) {
      told.errors.push_back({object.PlaceOf("").value, judgement.reason});
    } else if (judgement.state == State::kNotChecked) {
      told.warnings.push_back({object.PlaceOf("").value, "not checked: " + judgement.reason});
    } else if (judgement.state == State::kJudged) {
      ++report_.workloads;
      Tell(object, judgement, told);
      Repair(object, submission, judgement, told);
      if (wish_.with_fixes) Fix(object, submission, judgement, told);
      TellUnread(object, false, told);
    } else if (IsListOfNothing(object)) {
      told.errors.push_back({object.PlaceOf("/items").value,
                             "items must be a list of objects; nothing in it was checked"});
    } else if (std::string why = WhyUnread(settings_.policy.kinds(), object); !why.empty()) {
      told.warnings.push_back({object.PlaceOf("").value, std::move(why)});
    } else if (settings_.policy.kinds().Find(object.gvk.group, object.gvk.kind) != nullptr) {
      TellUnread(object, true, told);
    }
    if (told.findings.empty() && told.warnings.empty() && told.errors.empty() &&
        told.fixes.empty()) {
      return;
    }
    const bool is_read = judgement.state != State::kNotOurs;
    Name(object, is_read ? judgement.workload : workload::Workload(), told);
    report_.objects.push_back(std::move(told));
  }

  // An object that a step of `workflow` makes out of the text at `pointer`. Its faults are those of
  // the text as a whole.
  void CheckMade(const ManifestObject& workflow, const std::string& pointer,
                 const ManifestObject& made, std::string_view text) {
    if (!SaysWhatItIs(made.gvk)) return;
    arena_.Reset();
    admission::Submission submission = SubmissionOf(made, wish_);
    if (made.json["metadata"]["namespace"].StringOr("").empty()) {
      submission.namespace_name = SubmissionOf(workflow, wish_).namespace_name;
    }
    const admission::Judgement judgement = Judge(settings_, submission, arena_);
    if (judgement.state != admission::Judgement::State::kJudged) return;
    ++report_.workloads;
    ObjectReport told;
    for (const JudgedFinding& judged : judgement.decision.findings) {
      if (!IsTold(judged)) continue;
      ReportedFinding& finding = told.findings.emplace_back(Reported(made, judged, text));
      finding.pointer = workflow.pointer + pointer;
      finding.edits = "[]";  // they are of the text, which is one value here
      finding.field = FieldPath(pointer) + ": " + finding.field;
      finding.place = SpanOf(workflow, pointer, report_.text);
      Excuse(CommentFor(workflow, finding.pointer, *finding.rule), finding);
    }
    if (told.findings.empty()) return;
    Name(workflow, judgement.workload, told);
    told.title += " of " + Printable(workflow.gvk.kind) + " " +
                  Quoted(workflow.json["metadata"]["name"].StringOr(""));
    report_.objects.push_back(std::move(told));
  }

  bool IsTold(const JudgedFinding& judged) const {
    return wish_.rules.Has(*judged.finding.rule) &&
           (wish_.with_recorded || !IsOnlyRecorded(judged));
  }

  // Why a comment of the file asks to ignore what `rule` finds at `pointer`; empty: none does.
  std::string CommentFor(const ManifestObject& object, std::string_view pointer,
                         const rules::Rule& rule) {
    return comments_.ReasonToIgnore(rule, object.document, pointer);
  }

  static void Excuse(std::string reason, ReportedFinding& finding) {
    if (reason.empty() || !finding.ignored_because.empty()) return;
    finding.ignored_because = std::move(reason);
    finding.mode = finding.would_be = Mode::kAudit;
  }

  // What is to stay as it is: by a comment, or by the flags.
  admission::IsExcused IsExcusedIn(const ManifestObject& object) {
    return [this, &object](const rules::Finding& finding) {
      return !wish_.rules.Has(*finding.rule) ||
             !CommentFor(object, object.pointer + finding.pointer, *finding.rule).empty();
    };
  }

  void Name(const ManifestObject& object, const workload::Workload& workload, ObjectReport& told) {
    const k8s::JsonView metadata = object.json["metadata"];
    told.document = object.index;
    told.pointer = object.pointer;
    told.place = object.PlaceOf("").value;
    told.source = SourceOf(object.document);
    told.api_version = Printable(ApiVersion(object.gvk));
    told.kind = Printable(object.gvk.kind);
    told.namespace_name = Printable(metadata["namespace"].StringOr(""));
    told.name = Printable(metadata["name"].StringOr(""), 253);
    told.title = workload.kind != nullptr ? Title(workload)
                                          : (told.kind.empty() ? "" : told.kind + " ") +
                                                Quoted(metadata["name"].StringOr(""));
  }

  void Tell(const ManifestObject& object, const admission::Judgement& judgement,
            ObjectReport& told) {
    const workload::Workload& workload = judgement.workload;
    const YamlMark whole = object.PlaceOf("").value;
    if (!workload.not_judged.empty()) {
      told.warnings.push_back({whole, "not checked: " + std::string(workload.not_judged)});
    }
    for (const workload::Slip& slip : workload.slips) {
      told.errors.push_back({object.PlaceOf(slip.pointer).value, slip.problem});
    }
    for (const JudgedFinding& judged : judgement.decision.findings) {
      const rules::Finding& found = judged.finding;
      if (!wish_.rules.Has(*found.rule)) continue;
      // Also of what is only recorded: --fix would write something for it.
      std::string reason = CommentFor(object, object.pointer + found.pointer, *found.rule);
      if (!IsTold(judged)) continue;
      Excuse(std::move(reason), told.findings.emplace_back(Reported(object, judged, report_.text)));
      if (EndsItsLine(object, found.pointer)) {
        told.warnings.push_back({object.PlaceOf(found.pointer).value,
                                 FieldPath(found.pointer) +
                                     " ends in a line break, which is part "
                                     "of the value; write it in the line of its key"});
      }
    }
    for (const std::string& complaint : judgement.decision.complaints) {
      told.warnings.push_back({object.PlaceOf(kIgnorePointer).value, complaint});
    }
    if (judgement.decision.untold > 0) {
      told.warnings.push_back(
          {whole, "and " + std::to_string(judgement.decision.untold) + " more findings"});
    }
  }

  // Of a kind of the table: what was meant for the rules and is out of their sight.
  void TellUnread(const ManifestObject& object, bool also_near, ObjectReport& told) {
    if (!names_chips_)
      names_chips_ = report_.text.find(workload::kTpuResource) != std::string::npos;
    if (!*names_chips_) return;
    const k8s::GroupVersionKind& gvk = object.gvk;
    TellUnreadPlaces(*settings_.policy.kinds().Find(gvk.group, gvk.kind), object, also_near,
                     told.warnings);
  }

  void Repair(const ManifestObject& object, const admission::Submission& submission,
              const admission::Judgement& judgement, ObjectReport& told) {
    if (std::all_of(told.findings.begin(), told.findings.end(),
                    [](const ReportedFinding& finding) { return Word(finding).empty(); })) {
      return;
    }
    char label = 'a';
    const admission::IsExcused is_excused = IsExcusedIn(object);
    for (repair::Repair& repair : RepairsOf(settings_, submission, judgement, arena_, is_excused)) {
      for (k8s::JsonEdit& edit : repair.edits) edit.pointer.insert(0, object.pointer);
      std::string patch = k8s::AsPatch(object.root, repair.edits);
      told.repairs.push_back({std::move(repair), label++, std::move(patch)});
    }
    const bool denied = std::any_of(told.findings.begin(), told.findings.end(),
                                    [](const auto& each) { return each.mode == Mode::kDeny; });
    if (denied && told.repairs.empty()) {
      std::vector<JudgedFinding> left = judgement.decision.findings;
      std::erase_if(left, [&](const JudgedFinding& each) { return is_excused(each.finding); });
      told.why_no_repair = admission::WhyNoRepair(left);
    }
  }

  void Fix(const ManifestObject& object, const admission::Submission& submission,
           const admission::Judgement& judgement, ObjectReport& told) {
    told.fixes = FixesOf(settings_, submission, judgement, IsExcusedIn(object));
    std::erase_if(told.fixes,
                  [&](const admission::TemplateFix& fix) { return !wish_.rules.Has(*fix.rule); });
    for (admission::TemplateFix& fix : told.fixes) fix.pointer.insert(0, object.pointer);
  }

  // Looked for once a document: a list has many objects.
  const std::string& SourceOf(const YamlDocument& document) {
    if (sourced_ != &document) {
      source_ = RenderedFrom(report_.text, document.root->start.offset);
      sourced_ = &document;
    }
    return source_;
  }

  const YamlDocument* sourced_ = nullptr;
  std::string source_;               // of this document
  std::optional<bool> names_chips_;  // the text, somewhere
  std::size_t made_bytes_ = 0;       // of the manifests in workflows
  const admission::Settings& settings_;
  const CheckWish& wish_;
  const workload::Companions& companions_;
  IgnoreComments& comments_;
  FileReport& report_;
  k8s::Arena arena_;
};

bool MayHaveCompanions(std::string_view text) {
  const auto names = [&](std::string_view kind) { return text.find(kind) != text.npos; };
  return names("PersistentVolumeClaim") || names("ProvisioningRequest") || names("Service");
}

workload::Companions CompanionsOf(const YamlStream& stream, std::string_view text) {
  workload::Companions companions;
  if (!MayHaveCompanions(text)) return companions;
  ForEachObject(stream,
                [&](const ManifestObject& object) { companions.Add(object.gvk, object.json); });
  return companions;
}

}  // namespace

admission::Submission SubmissionOf(const ManifestObject& object, const CheckWish& wish) {
  const std::string_view own = object.json["metadata"]["namespace"].StringOr("");
  return {object.gvk, object.json, k8s::JsonView(), own.empty() ? wish.namespace_name : own,
          wish.today};
}

workload::Companions CompanionsOf(std::string_view text) {
  return MayHaveCompanions(text) ? CompanionsOf(ReadYaml(text), text) : workload::Companions();
}

FileReport CheckText(const admission::Settings& settings, const CheckWish& wish, std::string file,
                     std::string text, const workload::Companions* companions) {
  FileReport report;
  report.file = std::move(file);
  report.text = std::move(text);
  const YamlStream stream = ReadYaml(report.text);
  const workload::Companions own =
      companions == nullptr ? CompanionsOf(stream, report.text) : workload::Companions();
  IgnoreComments comments(report.text, stream, report.warnings);
  Checker checker(settings, wish, companions == nullptr ? own : *companions, comments, report);
  ForEachObject(stream, [&](const ManifestObject& object) { checker.Check(object); });
  comments.TellUnused(wish.rules, report.warnings);
  report.documents = stream.documents.size() + stream.errors.size();
  TellErrors(stream, report);
  TellNoJson(stream, report);
  return report;
}

void Counts::Add(const FileReport& report) {
  documents += report.documents;
  workloads += report.workloads;
  unreadable += report.errors.size();
  warned += report.warnings.size();
  for (const ObjectReport& object : report.objects) {
    unreadable += object.errors.size();
    warned += object.warnings.size();
    for (const ReportedFinding& finding : object.findings) {
      const std::size_t count = 1 + finding.more;
      if (finding.is_known) {
        known += count;
        continue;
      }
      if (finding.mode == Mode::kDeny) denied += count;
      if (finding.mode == Mode::kWarn) warned += count;
      if (finding.would_be == Mode::kDeny && finding.mode != Mode::kDeny) would_be_denied += count;
    }
  }
}

std::string_view Word(const ReportedFinding& finding) {
  if (finding.is_known) return "";
  if (finding.would_be == Mode::kDeny && finding.mode != Mode::kDeny) {
    return finding.mode == Mode::kWarn ? "warning (would be denied)" : "would be denied";
  }
  if (finding.would_be == Mode::kAudit) return "";
  if (finding.mode == Mode::kAudit) return "would warn";
  return finding.mode == Mode::kDeny ? "error" : "warning";
}

}  // namespace tpu_admission::offline
