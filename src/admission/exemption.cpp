#include "tpu_admission/admission/exemption.h"

#include <algorithm>

#include "tpu_admission/base/text.h"

namespace tpu_admission::admission {
namespace {

using rules::Finding;
using rules::Rule;

// An annotation may have 256 KiB; nobody has so many reasons.
constexpr std::size_t kMaxEntries = 32;
constexpr std::size_t kMostComplaints = 32;
constexpr std::size_t kLineBytes = 120;

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n";
  const std::size_t start = text.find_first_not_of(kSpaces);
  if (start == text.npos) return {};
  return text.substr(start, text.find_last_not_of(kSpaces) - start + 1);
}

std::string Complaint(const std::string& what) {
  return Cut(std::string(kIgnoreAnnotation) + ": " + what, kLineBytes);
}

// One of the entries between semicolons; the error says what is wrong with it.
Result<Exemption> ReadEntry(std::string_view entry) {
  if (entry.find('=') == entry.npos) {
    return Error{Quoted(entry, 32) + " is not written as RULE=reason"};
  }
  std::string_view reason = entry;
  std::string_view day = TakeUntil(reason, '=');
  const bool dated = day.find('@') != day.npos;
  const std::string_view id = Trimmed(TakeUntil(day, '@'));
  Exemption exemption;
  exemption.rule = rules::FindRule(id);
  exemption.reason = Trimmed(reason);
  if (exemption.rule == nullptr) return Error{"there is no rule " + Quoted(id, 32)};
  const std::string name(exemption.rule->id);
  if (exemption.reason.empty()) return Error{name + " has no reason; write " + name + "=reason"};
  if (!dated) return exemption;
  exemption.until = ParseDay(Trimmed(day));
  if (exemption.until) return exemption;
  return Error{Quoted(Trimmed(day), 16) + " is no date; write " + name + "@2026-12-31=reason"};
}

// Of a comma or a new line between entries: the rule that "we wait, RULE=later" names; nullptr if
// the text is but a reason.
const Rule* EntryWithin(std::string_view reason) {
  for (std::size_t at = reason.find_first_of(",\n"); at != reason.npos;
       at = reason.find_first_of(",\n")) {
    reason.remove_prefix(at + 1);
    std::string_view name = reason.substr(0, reason.find_first_of(",=\n"));
    if (name.size() == reason.size() || reason[name.size()] != '=') continue;
    if (const Rule* rule = rules::FindRule(Trimmed(TakeUntil(name, '@')))) return rule;
  }
  return nullptr;
}

// "tpu-admission/ignore", "tpu-admission.dev/ignored"
bool IsMisspelt(std::string_view key) {
  return key.starts_with("tpu-admission") && key.find("ignore") != key.npos &&
         key != kIgnoreAnnotation;
}

bool Names(const std::vector<Exemption>& entries, const Rule* rule) {
  return std::any_of(entries.begin(), entries.end(),
                     [&](const Exemption& entry) { return entry.rule == rule; });
}

}  // namespace

Exemptions ReadExemptions(std::string_view annotation) {
  Exemptions read;
  for (std::size_t count = 0; !annotation.empty();) {
    const std::string_view entry = Trimmed(TakeUntil(annotation, ';'));
    if (entry.empty()) continue;
    if (++count > kMaxEntries) {
      read.complaints.push_back(
          Complaint("only the first " + std::to_string(kMaxEntries) + " entries count"));
      break;
    }
    const Result<Exemption> exemption = ReadEntry(entry);
    if (!exemption) {
      read.complaints.push_back(Complaint(exemption.error().message));
    } else if (Names(read.entries, exemption->rule)) {
      read.complaints.push_back(
          Complaint(std::string(exemption->rule->id) + " stands there twice; the first counts"));
    } else {
      read.entries.push_back(*exemption);
    }
    const Rule* within = exemption ? EntryWithin(exemption->reason) : nullptr;
    if (within == nullptr) continue;
    read.complaints.push_back(Complaint(std::string(within->id) + " stands in the reason of " +
                                        std::string(exemption->rule->id) +
                                        "; write ; between entries"));
  }
  return read;
}

AskedExemptions::AskedExemptions(const workload::Workload& workload) {
  Read(nullptr, workload.metadata.annotations);
  for (const workload::PodSet& pods : workload.pod_sets) {
    if (pods.pointer.empty()) continue;  // a Pod: its metadata is the object's
    Read(&pods, pods.pod.metadata.annotations);
  }
}

void AskedExemptions::Read(const workload::PodSet* pods, const k8s::StringMap& annotations) {
  for (std::size_t i = 0; i < annotations.size(); ++i) {
    const std::string_view key = annotations.Key(i);
    if (IsMisspelt(key)) Complain(Complaint("is not " + Quoted(key, 48) + ", which is nobody's"));
  }
  const std::optional<std::string_view> annotation = annotations.Find(kIgnoreAnnotation);
  if (!annotation) return;
  Exemptions read = ReadExemptions(*annotation);
  for (const Exemption& each : read.entries) asked_.emplace(std::pair(pods, each.rule), each);
  for (std::string& complaint : read.complaints) Complain(std::move(complaint));
}

const Exemption* AskedExemptions::Find(const Finding& finding) const {
  if (asked_.empty()) return nullptr;
  for (const workload::PodSet* pods :
       {static_cast<const workload::PodSet*>(nullptr), finding.pods}) {
    const auto found = asked_.find({pods, finding.rule});
    if (found != asked_.end()) return &found->second;
  }
  return nullptr;
}

std::optional<std::string_view> AskedExemptions::ReasonToIgnore(const Finding& finding,
                                                                const Policy& policy,
                                                                std::string_view namespace_name,
                                                                Day today, bool heard) {
  const Exemption* exemption = Find(finding);
  if (exemption == nullptr) return std::nullopt;
  const std::string id(finding.rule->id);
  if (!policy.MayBeIgnored(*finding.rule, namespace_name)) {
    const std::string place =
        namespace_name.empty() ? "this namespace" : "namespace " + Quoted(namespace_name, 40);
    if (heard) Complain(Complaint("the policy does not let " + place + " ignore " + id));
    return std::nullopt;
  }
  if (exemption->until && *exemption->until < today) {
    if (heard)
      Complain(Complaint("what is asked for " + id + " ended on " + Text(*exemption->until)));
    return std::nullopt;
  }
  return exemption->reason;
}

void AskedExemptions::Complain(std::string complaint) {
  if (complaints_.size() == kMostComplaints) return;
  if (std::find(complaints_.begin(), complaints_.end(), complaint) == complaints_.end()) {
    complaints_.push_back(std::move(complaint));
  }
}

}  // namespace tpu_admission::admission
