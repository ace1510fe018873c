#include "offline/item.h"

#include "tpu_admission/offline/format.h"

namespace tpu_admission::offline {
namespace {

constexpr Span kFirstLine = {{1, 1, 0}, {1, 1, 0}};

Span PlaceOr1(const YamlMark& place) { return place.line == 0 ? kFirstLine : Span{place, place}; }

void Notes(std::string_view file, bool rendered, const std::string& start,
           const std::vector<Note>& notes, Level level,
           const std::function<void(const Item&)>& each) {
  for (const Note& note : notes) {
    Item item;
    item.file = file;
    item.place = rendered ? kFirstLine : PlaceOr1(note.place);
    item.level = level;
    item.check = level == Level::kError ? "unreadable" : "not-checked";
    item.message = item.details = start + note.text;
    each(item);
  }
}

}  // namespace

void ForEachItem(const FileReport& report, const std::function<void(const Item&)>& each) {
  for (const ObjectReport& object : report.objects) {
    const std::string_view file = FileOf(report, object);
    const bool rendered = !object.source.empty();
    const std::string start = object.title + ": ";
    Notes(file, rendered, start, object.errors, Level::kError, each);
    Notes(file, rendered, start, object.warnings, Level::kWarning, each);
    for (const ReportedFinding& finding : object.findings) {
      if (Word(finding).empty()) continue;
      Item item;
      item.file = file;
      item.place = rendered ? kFirstLine : finding.place;
      item.level = finding.mode == rules::Mode::kDeny ? Level::kError : Level::kWarning;
      item.check = std::string(finding.rule->id) + " " + std::string(finding.rule->name);
      item.message = start + finding.summary + "; " + finding.change;
      item.details = finding.paragraph + "  -> " + finding.change;
      item.fingerprint = Fingerprint(file, object, finding);
      each(item);
    }
  }
  Notes(report.file, false, "", report.errors, Level::kError, each);
  Notes(report.file, false, "", report.warnings, Level::kWarning, each);
}

}  // namespace tpu_admission::offline
