#include "offline/lsp_document.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "tpu_admission/base/text.h"
#include "tpu_admission/base/yaml_chunk.h"
#include "tpu_admission/offline/mention.h"

namespace tpu_admission::offline {
namespace {

constexpr std::size_t kErrorBytes = 400;

// What the policy only records, and what its author asked to ignore, is but hinted at.
Severity SeverityOf(const ReportedFinding& finding) {
  if (!finding.ignored_because.empty()) return Severity::kHint;
  if (finding.mode == rules::Mode::kDeny) return Severity::kError;
  if (finding.mode == rules::Mode::kWarn || finding.would_be == rules::Mode::kDeny) {
    return Severity::kWarning;
  }
  return finding.would_be == rules::Mode::kWarn ? Severity::kInformation : Severity::kHint;
}

std::string MessageOf(const ReportedFinding& finding) {
  std::string message = finding.summary;
  if (!finding.ignored_because.empty()) {
    message += " (ignored because: " + finding.ignored_because + ")";
  }
  if (!finding.change.empty()) message += "\n-> " + finding.change;
  if (finding.more > 0) message += "\nand " + std::to_string(finding.more) + " more like it";
  return message;
}

// What is to be said about a text, with places as bytes.
class Remarks {
 public:
  explicit Remarks(const FileReport& report) : report_(report) {
    for (const ObjectReport& object : report.objects) Add(object);
    // A template is no mistake.
    const Severity severity = report.is_template ? Severity::kInformation : Severity::kWarning;
    for (const Note& error : report.errors) {
      AddNote(error, severity, "not checked: " + Printable(error.text, kErrorBytes), nullptr);
    }
    for (const Note& warning : report.warnings) {
      AddNote(warning, Severity::kWarning, warning.text, nullptr);
    }
  }

  std::vector<Remark> Placed(PositionEncoding encoding) && {
    const std::vector<TextPosition> places = PositionsOf(report_.text, encoding, offsets_);
    for (std::size_t i = 0; i < remarks_.size(); ++i) {
      remarks_[i].range = {places[2 * i], places[2 * i + 1]};
    }
    return std::move(remarks_);
  }

 private:
  void Add(const ObjectReport& object) {
    for (const ReportedFinding& finding : object.findings) {
      if (Word(finding).empty() && finding.ignored_because.empty()) continue;
      Add(finding.place.begin.offset, finding.place.end.offset,
          Remark{{}, SeverityOf(finding), MessageOf(finding), &finding, &object});
    }
    for (const Note& error : object.errors) {
      AddNote(error, Severity::kError, error.text, &object);
    }
    for (const Note& warning : object.warnings) {
      AddNote(warning, Severity::kWarning, warning.text, &object);
    }
  }

  // From the place to the end of its line; of an empty rest of a line, the line before it.
  void AddNote(const Note& note, Severity severity, std::string message,
               const ObjectReport* object) {
    const std::string_view text = report_.text;
    std::size_t begin = std::min(note.place.offset, text.size());
    std::size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
    if (begin == end) {
      end = text.find_last_not_of(kSpace, begin == 0 ? 0 : begin - 1) + 1;
      begin = std::min(text.find_last_of("\r\n", end == 0 ? 0 : end - 1) + 1, end);
    }
    Add(begin, end, Remark{{}, severity, std::move(message), nullptr, object});
  }

  // Of what has several lines, the first: an editor underlines all of a range.
  void Add(std::size_t begin, std::size_t end, Remark remark) {
    end = std::min(
        {std::max(begin, end), report_.text.find_first_of("\r\n", begin), report_.text.size()});
    offsets_.push_back(begin);
    offsets_.push_back(std::max(begin, end));
    remarks_.push_back(std::move(remark));
  }

  const FileReport& report_;
  std::vector<std::size_t> offsets_;  // begin and end of each remark
  std::vector<Remark> remarks_;
};

}  // namespace

std::shared_ptr<Piece> JudgePiece(const admission::Settings& settings, CheckWish wish,
                                  PositionEncoding encoding, std::string text,
                                  const workload::Companions& all) {
  wish.with_fixes = true;
  auto piece = std::make_shared<Piece>();
  piece->report = CheckText(settings, wish, "", std::move(text), &all);
  const std::string& kept = piece->report.text;
  piece->lines = PositionsOf(kept, encoding, {kept.size()}).front().line;
  piece->speaks_of_tpus = MentionsTpus(kept);
  piece->remarks = Remarks(piece->report).Placed(encoding);
  return piece;
}

TextRange EditorDocument::PlacedPiece::Placed(const TextRange& range) const {
  return {{range.begin.line + line, range.begin.character},
          {range.end.line + line, range.end.character}};
}

void EditorDocument::Change(const TextRange& range, std::string_view with) {
  const std::size_t a = text_.OffsetOf(range.begin);
  const std::size_t b = text_.OffsetOf(range.end);
  text_.Replace(std::min(a, b), std::max(a, b), with);
  changed_ = true;
}

void EditorDocument::ChangeAll(std::string text) {
  text_ = EditorText(std::move(text), text_.encoding());
  changed_ = true;
}

void EditorDocument::Forget() {
  pieces_.clear();
  changed_ = true;
}

const std::vector<EditorDocument::PlacedPiece>& EditorDocument::Pieces(const Judge& judge) {
  if (!std::exchange(changed_, false)) return pieces_;
  struct Known {
    workload::Companions companions;
    std::shared_ptr<const Piece> piece;  // nullptr: to be judged
  };
  const std::vector<PlacedPiece> old = std::exchange(pieces_, {});  // has the texts that are keys
  std::unordered_map<std::string_view, Known> known;
  for (const PlacedPiece& each : old) {
    known.try_emplace(each.piece->report.text, Known{each.piece->companions, each.piece});
  }

  std::vector<std::string_view> chunks;
  workload::Companions all;
  for (std::string_view rest = text_.text(); !rest.empty();) {
    chunks.push_back(rest.substr(0, YamlChunkBytes(rest)));
    rest.remove_prefix(chunks.back().size());
    const auto [chunk, is_new] = known.try_emplace(chunks.back());
    if (is_new) chunk->second.companions = CompanionsOf(chunk->first);
    all.Add(chunk->second.companions);
  }
  if (all != companions_) {
    for (auto& [text, chunk] : known) {
      if (chunk.piece != nullptr && chunk.piece->report.workloads > 0) chunk.piece = nullptr;
    }
    companions_ = std::move(all);
  }

  speaks_of_tpus_ = false;
  PlacedPiece next;
  for (const std::string_view text : chunks) {
    Known& chunk = known.find(text)->second;
    if (chunk.piece == nullptr) {
      const std::shared_ptr<Piece> piece = judge(std::string(text), companions_);
      piece->companions = chunk.companions;
      chunk.piece = piece;
    }
    next.piece = chunk.piece;
    pieces_.push_back(next);
    speaks_of_tpus_ = speaks_of_tpus_ || next.piece->speaks_of_tpus;
    next.offset += text.size();
    next.line += next.piece->lines;
    next.document += next.piece->report.documents;
  }
  return pieces_;
}

const EditorDocument::PlacedPiece* EditorDocument::PieceAt(std::size_t line) const {
  const auto after = std::upper_bound(
      pieces_.begin(), pieces_.end(), line,
      [](std::size_t value, const PlacedPiece& each) { return value < each.line; });
  return after == pieces_.begin() ? nullptr : &*(after - 1);
}

}  // namespace tpu_admission::offline
