// One document that is open in an editor: its text, cut where YAML documents end, and what the
// rules say of each piece. A change costs the judgement of the pieces that it touches, and of all
// with TPU workloads where it changes what objects leave to each other; what is broken costs its
// own piece.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "offline/lsp_text.h"
#include "tpu_admission/offline/check.h"

namespace tpu_admission::offline {

struct TextRange {
  TextPosition begin;
  TextPosition end;

  // Whether they share a place; ranges that touch do.
  bool Meets(const TextRange& other) const { return begin <= other.end && other.begin <= end; }
};

// DiagnosticSeverity of the protocol.
enum class Severity { kError = 1, kWarning = 2, kInformation = 3, kHint = 4 };

// Something to say about a place of a piece.
struct Remark {
  TextRange range;  // lines count from the piece's first
  Severity severity = Severity::kError;
  std::string message;
  const ReportedFinding* finding = nullptr;  // of the piece's report, if it is one
  const ObjectReport* object = nullptr;      // that it is about; nullptr: the text
};

// A part of a text that is read by itself. Immutable: pieces of a document with the same text share
// one.
struct Piece {
  FileReport report;                // with the text
  workload::Companions companions;  // what its objects leave to others
  std::size_t lines = 0;
  std::vector<Remark> remarks;
  bool speaks_of_tpus = false;
};

// `text` is one piece, `all` what stands in the document beside its objects.
std::shared_ptr<Piece> JudgePiece(const admission::Settings& settings, CheckWish wish,
                                  PositionEncoding encoding, std::string text,
                                  const workload::Companions& all);

class EditorDocument {
 public:
  explicit EditorDocument(EditorText text) : text_(std::move(text)) {}

  const EditorText& text() const { return text_; }
  // Puts `with` in the place of a range; a range that ends before it begins is taken as the other
  // way round.
  void Change(const TextRange& range, std::string_view with);
  void ChangeAll(std::string text);
  // What was said of it may be different by now.
  void Forget();

  struct PlacedPiece {
    std::size_t offset = 0;  // of its first byte
    std::size_t line = 0;
    std::size_t document = 0;  // the number of the first YAML document in it
    std::shared_ptr<const Piece> piece;

    TextRange Placed(const TextRange& range) const;  // of the piece -> of the document
  };
  using Judge =
      std::function<std::shared_ptr<Piece>(std::string text, const workload::Companions& all)>;
  // The pieces of the text as it is now; `judge` is asked for those of which it may say something
  // new.
  const std::vector<PlacedPiece>& Pieces(const Judge& judge);
  // Whether a remark of a piece is to be told: of a file that does not speak of TPUs only what is
  // about an object. Only after Pieces().
  bool IsTold(const Remark& remark) const { return remark.object != nullptr || speaks_of_tpus_; }
  // What the objects of all pieces leave to each other. Only after Pieces().
  const workload::Companions& companions() const { return companions_; }
  // The piece that a line is of; nullptr if the text has none. Only after Pieces().
  const PlacedPiece* PieceAt(std::size_t line) const;

 private:
  EditorText text_;
  bool changed_ = true;
  bool speaks_of_tpus_ = false;
  std::vector<PlacedPiece> pieces_;
  workload::Companions companions_;  // of all pieces
};

}  // namespace tpu_admission::offline
