#include "tpu_admission/offline/fix.h"

#include <fmt/core.h>
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "offline/halves.h"
#include "offline/yaml_text.h"
#include "tpu_admission/offline/text_edit.h"
#include "tpu_admission/offline/text_patch.h"

namespace tpu_admission::offline {
namespace {

constexpr int kMostRounds = 8;

// What is to become of an object of the report.
struct ObjectEdits {
  const ObjectReport* object = nullptr;
  const repair::Repair* repair = nullptr;
};
struct ObjectPatch {
  const ObjectReport* object = nullptr;
  TextPatch patch;
};

template <typename T>
using ByDocument = std::map<std::size_t, std::vector<T>>;

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

// `Job "train" in line 30: `
std::string NameOf(const ObjectReport& object) {
  return object.title + " in line " + std::to_string(object.place.line) + ": ";
}

void TellOfChips(const ObjectEdits& taken, FixedText& fixed) {
  const repair::Repair& repair = *taken.repair;
  if (repair.chips_before == repair.chips_after) return;
  fixed.chip_changes.push_back(NameOf(*taken.object) + repair.Title());
}

// `object`: which of the document it is about; nullptr: all.
void Complain(std::size_t document, const ObjectReport* object, const std::string& why,
              FixedText& fixed) {
  std::string problem = "document " + std::to_string(document + 1) + ": ";
  if (object != nullptr) problem += NameOf(*object);
  problem += why;
  if (std::find(fixed.problems.begin(), fixed.problems.end(), problem) == fixed.problems.end()) {
    fixed.problems.push_back(std::move(problem));
  }
}

// Objects, by document and pointer, which stay the same from round to round.
using ObjectSet = std::set<std::pair<std::size_t, std::string>>;

bool IsIn(const ObjectSet& some, const ObjectReport& object) {
  return some.contains({object.document, object.pointer});
}

// The repair of `object` with this label; of one that has been given it, the first for what is
// left, which only warns, and is left where it would change the chips: nobody was shown that.
// nullptr: it has none.
const repair::Repair* RepairOf(const ObjectReport& object, char label, const ObjectSet& repaired) {
  const bool is_repaired = IsIn(repaired, object);
  if (is_repaired) label = 'a';
  for (const ReportedRepair& reported : object.repairs) {
    const repair::Repair& repair = reported.repair;
    if (reported.label != label) continue;
    return is_repaired && repair.chips_before != repair.chips_after ? nullptr : &repair;
  }
  return nullptr;
}

// The edits that the report's repairs come to.
ByDocument<ObjectEdits> EditsOf(const FileReport& report, char label, const ObjectSet& repaired) {
  ByDocument<ObjectEdits> edits;
  for (const ObjectReport& object : report.objects) {
    const repair::Repair* const repair = RepairOf(object, label, repaired);
    if (repair != nullptr) edits[object.document].push_back({&object, repair});
  }
  return edits;
}

// Those that need a repair and have none with this label, unless they were given it before.
ObjectSet WithoutRepair(const FileReport& report, char label, const ObjectSet& repaired) {
  ObjectSet without;
  for (const ObjectReport& object : report.objects) {
    const bool has_one = RepairOf(object, label, repaired) != nullptr;
    // That it has none at all is told by `check`.
    const bool needs_one =
        !object.repairs.empty() || (label != 'a' && !object.why_no_repair.empty());
    if (needs_one && !has_one && !IsIn(repaired, object)) {
      without.emplace(object.document, object.pointer);
    }
  }
  return without;
}

// The fixes of the report, but of those `without` a repair: what would be added to them depends on
// what is to be repaired first. So does some of the rest, whose repair has not been made.
ByDocument<ObjectPatch> PatchesOf(const FileReport& report, const ObjectSet& without, char label,
                                  const ObjectSet& repaired) {
  ByDocument<ObjectPatch> patches;
  for (const ObjectReport& object : report.objects) {
    if (IsIn(without, object)) continue;
    for (const admission::TemplateFix& fix : object.fixes) {
      if (fix.is_of_shape && RepairOf(object, label, repaired) != nullptr) continue;
      patches[object.document].push_back({&object, {fix.pointer, fix.patch}});
    }
  }
  return patches;
}

// The changes of the objects of a document whose edits its text takes: those are `repaired`.
std::vector<TextChange> ChangesOfObjects(const YamlStream& stream, std::size_t document,
                                         const std::vector<ObjectEdits>& objects,
                                         ObjectSet& repaired, FixedText& fixed) {
  const YamlDocument* const found = FindDocument(stream, document);
  const std::size_t bytes =
      found == nullptr ? 0 : DocumentTextOf(fixed.text, stream, *found).text.size();
  std::vector<k8s::JsonEdit> taken;
  std::vector<TextChange> changes;
  std::size_t tried = 0;
  std::string why;
  const auto is_too_much = [&] { return tried > bytes + kMostTried; };
  const auto take = [&](std::span<const ObjectEdits> some) {
    if (is_too_much()) return true;  // told at the end
    tried += bytes;
    std::vector<k8s::JsonEdit> all = taken;
    for (const ObjectEdits& each : some) {
      all.insert(all.end(), each.repair->edits.begin(), each.repair->edits.end());
    }
    auto made = ChangesOf(fixed.text, stream, document, all);
    if (!made) {
      why = made.error().message;
      return false;
    }
    taken = std::move(all);
    changes = *std::move(made);
    for (const ObjectEdits& each : some) {
      repaired.emplace(document, each.object->pointer);
      TellOfChips(each, fixed);
    }
    return true;
  };
  TakeInHalves<ObjectEdits>(objects, take, [&](const ObjectEdits& alone) {
    Complain(document, alone.object, why, fixed);
  });
  if (is_too_much()) Complain(document, nullptr, kTooLargeToTry, fixed);
  return changes;
}

// The same of their fixes.
std::vector<TextChange> ChangesOfPatches(const YamlStream& stream, std::size_t document,
                                         const std::vector<ObjectPatch>& objects,
                                         FixedText& fixed) {
  std::vector<TextPatch> patches;
  for (const ObjectPatch& each : objects) patches.push_back(each.patch);
  PatchedText found = PatchText(fixed.text, stream, document, patches);
  for (const PatchProblem& problem : found.problems) {
    Complain(document, problem.patch ? objects[*problem.patch].object : nullptr, problem.text,
             fixed);
  }
  return std::move(found.changes);
}

void TellWithout(const FileReport& report, char label, const ObjectSet& without, FixedText& fixed) {
  for (const ObjectReport& object : report.objects) {
    if (!IsIn(without, object)) continue;
    std::string has = "none";
    if (!object.repairs.empty()) has = std::string("a");
    if (object.repairs.size() > 1) has += fmt::format(" to {}", object.repairs.back().label);
    Complain(object.document, &object,
             fmt::format("not changed, since it has no repair {}; it has {}", label, has), fixed);
  }
}

bool HasOnlyCr(std::string_view text) {
  return text.find('\r') != text.npos && text.find('\n') == text.npos;
}

// One round of repairs, or of the fixes that are left; false if it changed nothing.
bool Mend(const FileReport& report, char label, ObjectSet& repaired, FixedText& fixed) {
  fixed.problems.clear();
  const ObjectSet without = WithoutRepair(report, label, repaired);
  const ByDocument<ObjectEdits> edits = EditsOf(report, label, repaired);
  const ByDocument<ObjectPatch> patches = PatchesOf(report, without, label, repaired);
  TellWithout(report, label, without, fixed);
  if (HasOnlyCr(fixed.text) && !(edits.empty() && patches.empty())) {
    fixed.problems.emplace_back(
        "not changed, since its lines end in CR alone and new ones would end in LF; write it with "
        "LF first, for example by `tr '\\r' '\\n'`");
    return false;
  }
  const YamlStream stream = ReadYaml(fixed.text);
  std::vector<TextChange> changes;
  const auto add = [&](std::vector<TextChange> some) {
    std::move(some.begin(), some.end(), std::back_inserter(changes));
  };
  for (const auto& [document, some] : edits) {
    add(ChangesOfObjects(stream, document, some, repaired, fixed));
  }
  if (!changes.empty()) return Apply(std::move(changes), fixed);
  for (const auto& [document, some] : patches) {
    add(ChangesOfPatches(stream, document, some, fixed));
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

FixedText FixText(const admission::Settings& settings, CheckWish wish, char label, std::string text,
                  const workload::Companions* companions) {
  wish.with_fixes = true;
  FixedText fixed;
  fixed.text = std::move(text);
  ObjectSet repaired;
  for (int round = 0; round < kMostRounds; ++round) {
    const FileReport report = CheckText(settings, wish, "", fixed.text, companions);
    if (round == 0) {
      fixed.errors = ErrorsOf(report);
      fixed.is_template = report.is_template;
    }
    if (!Mend(report, label, repaired, fixed)) break;
  }
  return fixed;
}

}  // namespace tpu_admission::offline
