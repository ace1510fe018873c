#include "tpu_admission/offline/fix.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "tpu_admission/offline/text_edit.h"
#include "tpu_admission/offline/text_patch.h"

namespace tpu_admission::offline {
namespace {

constexpr int kMostRounds = 8;

// The edits that the report's repairs come to, by document.
std::map<std::size_t, std::vector<k8s::JsonEdit>> EditsOf(const FileReport& report, char label) {
  std::map<std::size_t, std::vector<k8s::JsonEdit>> edits;
  for (const ObjectReport& object : report.objects) {
    for (const ReportedRepair& repair : object.repairs) {
      if (repair.label != label) continue;
      const auto& some = repair.repair.edits;
      auto& all = edits[object.document];
      all.insert(all.end(), some.begin(), some.end());
    }
  }
  return edits;
}

// Applies what does not meet; false if there is nothing.
bool Apply(std::vector<TextChange> changes, FixedText& fixed) {
  std::stable_sort(changes.begin(), changes.end(),
                   [](const TextChange& a, const TextChange& b) { return a.begin < b.begin; });
  std::vector<TextChange> apart;
  for (TextChange& change : changes) {
    if (apart.empty() || apart.back().end <= change.begin) apart.push_back(std::move(change));
  }
  if (apart.empty()) return false;
  std::string changed = Changed(fixed.text, apart);
  // Each change was proven by itself; that they go together is seen here.
  const YamlStream before = ReadYaml(fixed.text);
  const YamlStream after = ReadYaml(changed);
  if (before.documents.size() != after.documents.size() ||
      before.errors.size() != after.errors.size()) {
    fixed.problems.emplace_back("the changes do not go together; make them by hand");
    return false;
  }
  fixed.text = std::move(changed);
  return true;
}

void Complain(std::size_t document, const std::string& why, FixedText& fixed) {
  std::string problem = "document " + std::to_string(document + 1) + ": " + why;
  if (std::find(fixed.problems.begin(), fixed.problems.end(), problem) == fixed.problems.end()) {
    fixed.problems.push_back(std::move(problem));
  }
}

// The fixes of the report, by document.
std::map<std::size_t, std::vector<TextPatch>> PatchesOf(const FileReport& report) {
  std::map<std::size_t, std::vector<TextPatch>> patches;
  for (const ObjectReport& object : report.objects) {
    for (const admission::TemplateFix& fix : object.fixes) {
      patches[object.document].push_back({fix.pointer, fix.patch});
    }
  }
  return patches;
}

// One round of repairs, or of the fixes that are left; false if it changed nothing.
bool Mend(const FileReport& report, char label, FixedText& fixed) {
  fixed.problems.clear();
  const YamlStream stream = ReadYaml(fixed.text);
  std::vector<TextChange> changes;
  for (const auto& [document, some] : EditsOf(report, label)) {
    auto found = ChangesOf(fixed.text, stream, {document, some});
    if (found) {
      std::move(found->begin(), found->end(), std::back_inserter(changes));
    } else {
      Complain(document, found.error().message, fixed);
    }
  }
  if (!changes.empty()) return Apply(std::move(changes), fixed);
  for (const auto& [document, some] : PatchesOf(report)) {
    PatchedText found = PatchText(fixed.text, stream, document, some);
    std::move(found.changes.begin(), found.changes.end(), std::back_inserter(changes));
    for (const std::string& why : found.problems) Complain(document, why, fixed);
  }
  return Apply(std::move(changes), fixed);
}

// Of the file, and of its objects.
std::vector<Note> ErrorsOf(const FileReport& report) {
  std::vector<Note> errors;
  for (const ObjectReport& object : report.objects) {
    errors.insert(errors.end(), object.errors.begin(), object.errors.end());
  }
  errors.insert(errors.end(), report.errors.begin(), report.errors.end());
  return errors;
}

}  // namespace

FixedText FixText(const admission::Settings& settings, CheckWish wish, char label,
                  std::string text) {
  wish.with_fixes = true;
  FixedText fixed;
  fixed.text = std::move(text);
  for (int round = 0; round < kMostRounds; ++round) {
    const FileReport report = CheckText(settings, wish, "", fixed.text);
    if (round == 0) {
      fixed.errors = ErrorsOf(report);
      fixed.is_template = report.is_template;
    }
    if (!Mend(report, label, fixed)) break;
  }
  return fixed;
}

}  // namespace tpu_admission::offline
