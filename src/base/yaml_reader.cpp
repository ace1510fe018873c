#include "base/yaml_reader.h"

#include <yaml.h>

#include <string>
#include <vector>

#include "base/yaml_marks.h"

namespace tpu_admission::yaml {
namespace {

using Kind = YamlNode::Kind;

// libyaml's parser over one text. Owns the C object; neither copied nor moved.
class Parser {
 public:
  explicit Parser(std::string_view text) {
    ready_ = yaml_parser_initialize(&parser_) != 0;
    if (!ready_) return;
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  ~Parser() {
    if (ready_) yaml_parser_delete(&parser_);
  }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  bool Next(yaml_event_t& event) { return ready_ && yaml_parser_parse(&parser_, &event) != 0; }
  const yaml_parser_t& raw() const { return parser_; }

 private:
  yaml_parser_t parser_{};
  bool ready_ = false;
};

struct Event : yaml_event_t {
  Event() : yaml_event_t{} {}
  ~Event() { yaml_event_delete(this); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
};

std::string_view Text(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

// Hands events on.
class Listener {
 public:
  Listener(const Marks& marks, Builder& builder) : marks_(marks), builder_(builder) {}

  bool Take(const yaml_event_t& event) {
    const YamlMark start = Mark(event.start_mark);
    const YamlMark end = Mark(event.end_mark);
    switch (event.type) {
      case YAML_DOCUMENT_END_EVENT:
        builder_.Finish();
        return true;
      case YAML_SCALAR_EVENT:
        return Scalar(event.data.scalar, start, end);
      case YAML_ALIAS_EVENT:
        return builder_.Alias(Text(event.data.alias.anchor), start, end);
      case YAML_SEQUENCE_START_EVENT: {
        const auto& list = event.data.sequence_start;
        return Open(Kind::kList, list.tag, list.anchor, start,
                    list.style == YAML_FLOW_SEQUENCE_STYLE);
      }
      case YAML_MAPPING_START_EVENT: {
        const auto& map = event.data.mapping_start;
        return Open(Kind::kMap, map.tag, map.anchor, start, map.style == YAML_FLOW_MAPPING_STYLE);
      }
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        return Close(end);
      default:
        return true;
    }
  }

 private:
  YamlMark Mark(const yaml_mark_t& mark) const {
    return marks_.At(mark.index, mark.line, mark.column);
  }
  template <typename Data>
  bool Scalar(const Data& scalar, YamlMark start, YamlMark end) {
    const std::string_view text(reinterpret_cast<const char*>(scalar.value), scalar.length);
    const bool plain = scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return builder_.Scalar({text, Text(scalar.tag), plain}, Text(scalar.anchor), start, end);
  }
  bool Open(Kind kind, const yaml_char_t* tag, const yaml_char_t* anchor, YamlMark start,
            bool flow) {
    flow_.push_back(flow);
    return builder_.Open(kind, Text(tag), Text(anchor), start);
  }
  // libyaml ends a collection in block style where the next token begins; its last item knows
  // better.
  bool Close(YamlMark end) {
    const bool flow = flow_.back();
    flow_.pop_back();
    return builder_.Close(end, !flow);
  }

  const Marks& marks_;
  Builder& builder_;
  std::vector<bool> flow_;  // of the open collections: in [] or {}
};

constexpr std::size_t kMaxDirectives = 64;

// The bytes of the first line, without its end. libyaml knows more ends of lines than \n.
std::size_t LineBytes(std::string_view text) {
  for (std::size_t at = text.find_first_of("\n\r\xC2\xE2"); at != text.npos;
       at = text.find_first_of("\n\r\xC2\xE2", at + 1)) {
    const std::string_view rest = text.substr(at);
    const bool ends = rest.front() == '\n' || rest.front() == '\r' ||
                      rest.starts_with("\xC2\x85") || rest.starts_with("\xE2\x80\xA8") ||
                      rest.starts_with("\xE2\x80\xA9");
    if (ends) return at;
  }
  return text.size();
}

bool IsBetweenDocuments(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  const bool mark = line.starts_with("...") && line.find_first_not_of(" \t", 3) != 3;
  return first == line.npos || line[first] == '#' || mark;
}

// The place in `text`, which stands before a document, of the directive that is one too many: for
// each libyaml looks at all that came before. npos: there is none.
std::size_t DirectiveTooMany(std::string_view text) {
  std::size_t directives = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view line = text.substr(at, LineBytes(text.substr(at)));
    if (line.starts_with('%')) {
      if (++directives > kMaxDirectives) return at;
    } else if (!IsBetweenDocuments(line)) {
      break;
    }
    at += line.size();
    const unsigned char end = at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
    at += end == 0xC2 ? 2 : end == 0xE2 ? 3 : 1;
  }
  return text.npos;
}

// libyaml says of a tab at the begin of a line that no token can begin with "that character".
bool IsATab(const yaml_parser_t& parser, std::string_view text, const Marks& marks) {
  const std::size_t at = marks.ByteOf(parser.problem_mark.index);
  return parser.error == YAML_SCANNER_ERROR && at < text.size() && text[at] == '\t';
}

std::string Problem(const yaml_parser_t& parser) {
  std::string problem = parser.problem == nullptr ? "no memory" : parser.problem;
  if (parser.context != nullptr) problem = std::string(parser.context) + ": " + problem;
  return problem;
}

// A problem of the reader (a control character) has a byte offset, all others have a mark.
YamlMark ProblemMark(const yaml_parser_t& parser, const Marks& marks) {
  const yaml_mark_t& mark = parser.problem_mark;
  return parser.error == YAML_READER_ERROR ? marks.AtByte(parser.problem_offset)
                                           : marks.At(mark.index, mark.line, mark.column);
}

}  // namespace

void ReadDocuments(std::string_view text, const YamlMark& start, Builder& builder) {
  const Marks marks(text, start);
  Parser parser(text);
  Listener listener(marks, builder);
  std::size_t begin = 0;         // of what is not read yet
  for (bool between = true;;) {  // documents
    const std::size_t directive = between ? DirectiveTooMany(text.substr(begin)) : text.npos;
    if (directive != text.npos) {
      builder.Fail(marks.AtByte(begin + directive),
                   "more than 64 directives (lines that begin with %) before a document; a "
                   "manifest needs none, take them away");
      return builder.Drop();
    }
    Event event;
    if (!parser.Next(event)) {
      builder.Fail(ProblemMark(parser.raw(), marks),
                   IsATab(parser.raw(), text, marks)
                       ? "a tab stands here, and YAML takes none as indentation; indent by blanks"
                       : Problem(parser.raw()));
      return builder.Drop();
    }
    if (event.type == YAML_STREAM_END_EVENT) return;
    if (!listener.Take(event)) return builder.Drop();
    between = event.type == YAML_DOCUMENT_END_EVENT;
    if (between) begin = marks.ByteOf(event.end_mark.index);
  }
}

}  // namespace tpu_admission::yaml
