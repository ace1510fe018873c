#include "tpu_admission/admission/exemption.h"

#include <algorithm>

#include "tpu_admission/base/text.h"

namespace tpu_admission::admission {
namespace {

using rules::Finding;
using rules::Rule;

constexpr std::size_t kLineBytes = 120;
constexpr std::size_t kLongestKey = 317;  // of an annotation (Kubernetes)

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
  return key.size() <= kLongestKey && key.starts_with("tpu-admission") &&
         key.find("ignore") != key.npos && key != kIgnoreAnnotation;
}

}  // namespace

template <typename What>
void AskedExemptions::Complain(What what) {
  // Many say the same: not all that are tried are new.
  constexpr std::size_t kMostTried = kMostEntries + kMostComplaints;
  if (tried_ == kMostTried || complaints_.size() == kMostComplaints) return;
  ++tried_;
  std::string complaint = Cut(std::string(kIgnoreAnnotation) + ": " + what(), kLineBytes);
  if (std::find(complaints_.begin(), complaints_.end(), complaint) == complaints_.end()) {
    complaints_.push_back(std::move(complaint));
  }
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
    if (!IsMisspelt(key)) continue;
    Complain([&] { return "is not " + Quoted(key, 48) + ", which is nobody's"; });
  }
  const std::optional<std::string_view> annotation = annotations.Find(kIgnoreAnnotation);
  if (annotation) ReadEntries(pods, WithinBounds(*annotation));
}

std::string_view AskedExemptions::WithinBounds(std::string_view annotation) {
  const std::size_t left = kMostBytes - bytes_;
  if (annotation.size() > left) {
    Complain([] { return "only the first " + std::to_string(kMostBytes) + " bytes count"; });
    const std::size_t end = annotation.substr(0, left).rfind(';');
    annotation = annotation.substr(0, std::min(end, left));  // else a reason is cut
  }
  bytes_ += annotation.size();
  return annotation;
}

void AskedExemptions::ReadEntries(const workload::PodSet* pods, std::string_view annotation) {
  while (!annotation.empty()) {
    const std::string_view entry = Trimmed(TakeUntil(annotation, ';'));
    if (entry.empty()) continue;
    if (entries_ == kMostEntries) {
      return Complain(
          [] { return "only the first " + std::to_string(kMostEntries) + " entries count"; });
    }
    ++entries_;
    const Result<Exemption> read = ReadEntry(entry);
    if (!read) {
      Complain([&] { return read.error().message; });
      continue;
    }
    const std::string_view id = read->rule->id;
    if (!asked_.emplace(std::pair(pods, read->rule), *read).second) {
      Complain([&] { return std::string(id) + " stands there twice; the first counts"; });
    }
    if (const Rule* within = EntryWithin(read->reason)) {
      Complain([&] {
        return std::string(within->id) + " stands in the reason of " + std::string(id) +
               "; write ; between entries";
      });
    }
  }
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
    if (heard) Complain([&] { return "the policy does not let " + place + " ignore " + id; });
    return std::nullopt;
  }
  if (exemption->until && *exemption->until < today) {
    if (heard) {
      Complain([&] { return "what is asked for " + id + " ended on " + Text(*exemption->until); });
    }
    return std::nullopt;
  }
  return exemption->reason;
}

}  // namespace tpu_admission::admission
