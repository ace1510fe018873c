// Text for people: place, source line with a caret, paragraph; what would run, once an object.
#include <algorithm>

#include "offline/excerpt.h"
#include "offline/formats.h"
#include "tpu_admission/admission/repairs.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::offline {
namespace {

using rules::Mode;

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kRed = "\x1b[1;31m";
constexpr std::string_view kYellow = "\x1b[1;33m";
constexpr std::string_view kCyan = "\x1b[1;36m";
constexpr std::string_view kGreen = "\x1b[1;32m";
constexpr std::string_view kPlain = "\x1b[0m";

class TextFormat final : public Format {
 public:
  explicit TextFormat(bool colour) : colour_(colour) {}

  void Add(const FileReport& report, std::string& out) override {
    for (const ObjectReport& object : report.objects) AddObject(report, object, out);
    for (const Note& note : report.warnings) {
      Head(report.file, note.place, "warning", out);
      out.append(ShownLines(note.text)).append("\n\n");
    }
    for (const Note& note : report.errors) AddError(report, note, out);
  }

  void Finish(const Counts& counts, std::string& out) override {
    if (counts.known > 0) {
      out += Counted(counts.known, "finding") + (counts.known == 1
                                                     ? " stands in the baseline and is not told\n"
                                                     : " stand in the baseline and are not told\n");
    }
    out += Sum(counts);
    if (counts.would_be_denied > 0) {
      out += "; " + Counted(counts.would_be_denied, "finding") +
             " would be denied without the policy's default";
    }
    out += '\n';
  }

 private:
  std::string_view Colour(std::string_view escape) const { return colour_ ? escape : ""; }
  std::string_view ColourOf(std::string_view word) const {
    return Colour(word == "error" ? kRed : word == "ignored" ? kCyan : kYellow);
  }

  // "FILE:LINE:COLUMN: error: "; without a line "FILE: ".
  void Head(std::string_view file, const YamlMark& place, std::string_view word,
            std::string& out) const {
    out.append(Colour(kBold)).append(ShownPath(file)).append(":");
    if (place.line > 0) {
      out += std::to_string(place.line) + ":" + std::to_string(place.column) + ":";
    }
    out.append(Colour(kPlain)).append(" ");
    if (word.empty()) return;
    out.append(ColourOf(word)).append(word).append(":").append(Colour(kPlain)).append(" ");
  }

  void AddError(const FileReport& report, const Note& note, std::string& out) const {
    Head(report.file, note.place, "", out);
    out.append(ShownLines(note.text)).append("\n");
    out += Excerpt(report.text, {note.place, note.place}, Colour(kGreen), Colour(kPlain));
  }

  static std::string From(const ObjectReport& object) {
    return object.source.empty() ? "" : " (rendered from " + object.source + ")";
  }

  void AddObject(const FileReport& report, const ObjectReport& object, std::string& out) const {
    for (const Note& note : object.warnings) {
      Head(report.file, note.place, "warning", out);
      out += object.title + From(object) + ": " + ShownLines(note.text) + "\n\n";
    }
    for (const Note& note : object.errors) AddError(report, note, out);
    Mode hardest = Mode::kOff;
    std::size_t told = 0;
    for (const ReportedFinding& finding : object.findings) {
      if (Word(finding).empty()) continue;
      ++told;
      hardest = std::max(hardest, std::max(finding.mode, finding.would_be));
    }
    // What one edit mends is said beside it; else the repairs say it, once for all.
    const bool alone = object.repairs.empty() || object.repairs.front().repair.as_said || told == 1;
    std::vector<const ReportedFinding*> earlier;
    for (const ReportedFinding& finding : object.findings) {
      if (!finding.ignored_because.empty()) AddIgnored(report, object, finding, out);
      if (Word(finding).empty()) continue;
      // A warning that says no edit stays.
      const bool repaired = std::max(finding.mode, finding.would_be) == hardest &&
                            (hardest == Mode::kDeny || finding.has_edits());
      AddFinding(report, object, finding, out);
      AddChange(finding, alone || !repaired, earlier, out);
      earlier.push_back(&finding);
      out += '\n';
    }
    if (told > 0) AddRepairs(object, out);
  }

  void AddIgnored(const FileReport& report, const ObjectReport& object,
                  const ReportedFinding& finding, std::string& out) const {
    Head(report.file, finding.place.begin, "ignored", out);
    out += object.title + From(object) + ": " + std::string(finding.rule->id) + ": " +
           finding.summary + " (ignored because: " + finding.ignored_because + ")\n\n";
  }

  void AddFinding(const FileReport& report, const ObjectReport& object,
                  const ReportedFinding& finding, std::string& out) const {
    Head(report.file, finding.place.begin, Word(finding), out);
    out += object.title + From(object) + ": " + finding.summary + "\n";
    out += Excerpt(report.text, finding.place, Colour(kGreen), Colour(kPlain));
    out += finding.paragraph;
  }

  // Where one change mends several faults, it is said once. (The same words about another field are
  // another change.)
  static void AddChange(const ReportedFinding& finding, bool say,
                        const std::vector<const ReportedFinding*>& earlier, std::string& out) {
    if (!say || finding.change.empty()) return;
    const auto same = std::find_if(earlier.begin(), earlier.end(), [&](const auto* other) {
      return other->change == finding.change && other->edits == finding.edits;
    });
    const bool said = same != earlier.end() && (*same)->rule != finding.rule;
    out += said ? "  -> the change for " + std::string((*same)->rule->id) + " mends this too\n"
                : "  -> " + finding.change + "\n";
  }

  static void AddRepairs(const ObjectReport& object, std::string& out) {
    std::vector<repair::Repair> repairs;
    for (const ReportedRepair& repair : object.repairs) repairs.push_back(repair.repair);
    const std::string text = admission::WhatWouldRun(repairs) + object.why_no_repair;
    if (!text.empty()) out += text + "\n";
  }

  const bool colour_;
};

}  // namespace

std::unique_ptr<Format> NewTextFormat(bool colour) { return std::make_unique<TextFormat>(colour); }

}  // namespace tpu_admission::offline
