// What the checks of TPU206 share: the annotations of one pod set, and reports of their faults.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "rules/engine/phrases.h"
#include "rules/engine/slice_cut.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/kueue_keys.h"

namespace tpu_admission::rules::tpu206 {

// Reports faults of the annotations of one pod set.
class Annotations {
 public:
  Annotations(const Subject& subject, Report& report)
      : subject_(subject), report_(report), map_(subject.pods.pod.metadata.annotations) {}

  bool Has(std::string_view key) const { return map_.Has(key); }
  // Empty also where a template engine has yet to fill the value in.
  std::string_view Value(std::string_view key) const {
    const std::string_view value = map_.Find(key).value_or("");
    return workload::IsPlaceholder(value) ? std::string_view() : value;
  }
  // `summary` begins with the short name of the annotation, `problem` is a sentence about it.
  void Fault(std::string_view key, std::string summary, std::string problem, std::string change) {
    report_.Add({.pointer = subject_.AtAnnotation(key),
                 .summary = std::move(summary),
                 .problem = std::move(problem) + Consequence(),
                 .change = std::move(change),
                 .decision = "how Kueue is to place the pods",
                 .milder = subject_.workload.queued ? std::nullopt : std::optional(Mode::kWarn)});
  }
  // Taken by Kueue's webhook and then never admitted, or refused by some versions of it only. The
  // edits, if any, say all of `change`, unless it goes on: ", or ...".
  void Doubt(std::string_view key, std::string summary, std::string problem, std::string change,
             workload::Edits edits = {}) {
    if (!edits.empty() && !change.starts_with(", ")) change.clear();
    report_.Add({.pointer = subject_.AtAnnotation(key),
                 .part = Printable(key),
                 .summary = std::move(summary),
                 .problem = std::move(problem),
                 .edits = std::move(edits),
                 .change = std::move(change),
                 .decision = "how Kueue is to place the pods",
                 .milder = Mode::kWarn});
  }

  const Subject& subject() const { return subject_; }

 private:
  std::string Consequence() const {
    const std::string kind(subject_.workload.kind->name);
    return subject_.workload.queued
               ? fmt::format(" Kueue's own webhook refuses such a {}.", kind)
               : fmt::format(" Kueue would refuse such a {} (it has no queue label yet).", kind);
  }

  const Subject& subject_;
  Report& report_;
  const k8s::StringMap& map_;
};

// The levels that are named: that there are such, and that the pods fit into one.
void CheckLevels(Annotations& annotations);

}  // namespace tpu_admission::rules::tpu206
