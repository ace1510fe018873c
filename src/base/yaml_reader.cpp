#include "base/yaml_reader.h"

#include <yaml.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/yaml_marks.h"
#include "base/yaml_scalar.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::yaml {
namespace {

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

std::string Text(const yaml_char_t* text) {
  return text == nullptr ? std::string() : reinterpret_cast<const char*>(text);
}

// Builds the trees event by event. Collections that are being read stand on a stack, so the depth
// of the text costs no depth of calls.
class TreeBuilder {
 public:
  TreeBuilder(const Marks& marks, std::size_t max_depth) : marks_(marks), max_depth_(max_depth) {}

  std::optional<Error> Take(const yaml_event_t& event);
  std::vector<Document> TakeDocuments() { return std::move(documents_); }

 private:
  YamlMark Mark(const yaml_mark_t& mark) const {
    return marks_.At(mark.index, mark.line, mark.column);
  }
  Node* Add(const yaml_event_t& event, Node::Kind kind);
  void Attach(Node* node);
  std::optional<Error> Scalar(const yaml_event_t& event);
  std::optional<Error> Alias(const yaml_event_t& event);
  std::optional<Error> Open(const yaml_event_t& event);
  void Close(const yaml_event_t& event);

  const Marks& marks_;
  std::size_t max_depth_;
  std::vector<Document> documents_;
  std::vector<Node*> open_;
  std::unordered_map<std::string, const Node*> anchors_;
};

std::optional<Error> TreeBuilder::Take(const yaml_event_t& event) {
  switch (event.type) {
    case YAML_DOCUMENT_START_EVENT:
      documents_.emplace_back();
      anchors_.clear();
      return std::nullopt;
    case YAML_SCALAR_EVENT:
      return Scalar(event);
    case YAML_ALIAS_EVENT:
      return Alias(event);
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
      return Open(event);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
      Close(event);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

Node* TreeBuilder::Add(const yaml_event_t& event, Node::Kind kind) {
  Document& document = documents_.back();
  Node* node = document.nodes.emplace_back(std::make_unique<Node>()).get();
  node->kind = kind;
  node->start = Mark(event.start_mark);
  node->end = Mark(event.end_mark);
  Attach(node);
  return node;
}

void TreeBuilder::Attach(Node* node) {
  if (open_.empty()) {
    documents_.back().root = node;
  } else {
    open_.back()->items.push_back(node);
  }
}

std::optional<Error> TreeBuilder::Scalar(const yaml_event_t& event) {
  const auto& scalar = event.data.scalar;
  Node* const node = Add(event, Node::Kind::kScalar);
  node->plain = scalar.style == YAML_PLAIN_SCALAR_STYLE;
  node->tag = Text(scalar.tag);
  node->text.assign(reinterpret_cast<const char*>(scalar.value), scalar.length);
  if (scalar.anchor != nullptr) anchors_[Text(scalar.anchor)] = node;
  return std::nullopt;
}

std::optional<Error> TreeBuilder::Alias(const yaml_event_t& event) {
  const std::string name = Text(event.data.alias.anchor);
  const auto anchor = anchors_.find(name);
  const YamlMark mark = Mark(event.start_mark);
  if (anchor == anchors_.end()) return ErrorAt(mark, "unknown anchor " + Quoted(name));
  if (anchor->second->open) {
    return ErrorAt(mark, "the value of anchor " + Quoted(name) + " contains itself");
  }
  Add(event, Node::Kind::kAlias)->target = anchor->second;
  return std::nullopt;
}

std::optional<Error> TreeBuilder::Open(const yaml_event_t& event) {
  const bool mapping = event.type == YAML_MAPPING_START_EVENT;
  const yaml_char_t* const anchor =
      mapping ? event.data.mapping_start.anchor : event.data.sequence_start.anchor;
  const std::string tag =
      Text(mapping ? event.data.mapping_start.tag : event.data.sequence_start.tag);
  const bool fits = tag.empty() || tag == "!" || tag == (mapping ? YAML_MAP_TAG : YAML_SEQ_TAG);
  if (!fits) return ErrorAt(Mark(event.start_mark), UnknownTag(tag).message);
  if (open_.size() >= max_depth_) {
    return ErrorAt(Mark(event.start_mark), "more than " + std::to_string(max_depth_) +
                                               " lists and mappings inside each other");
  }
  Node* const node = Add(event, mapping ? Node::Kind::kMapping : Node::Kind::kSequence);
  node->open = true;
  node->flow = mapping ? event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
                       : event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
  if (anchor != nullptr) anchors_[Text(anchor)] = node;
  open_.push_back(node);
  return std::nullopt;
}

void TreeBuilder::Close(const yaml_event_t& event) {
  Node* const node = open_.back();
  open_.pop_back();
  node->open = false;
  // libyaml ends a collection in block style where the next token begins; its last item knows
  // better.
  const bool by_item = !node->flow && !node->items.empty();
  node->end = by_item ? node->items.back()->end : Mark(event.end_mark);
}

std::string Problem(const yaml_parser_t& parser) {
  std::string problem = parser.problem == nullptr ? "no memory" : parser.problem;
  if (parser.context != nullptr) problem = std::string(parser.context) + ": " + problem;
  return problem;
}

// A problem of the reader (a control character) has a byte offset, all others have a mark.
Error ParserError(const yaml_parser_t& parser, const Marks& marks, std::string_view text) {
  if (parser.error == YAML_READER_ERROR) {
    return ErrorAt(MarkOfByte(text, parser.problem_offset), Problem(parser));
  }
  const yaml_mark_t& mark = parser.problem_mark;
  return ErrorAt(marks.At(mark.index, mark.line, mark.column), Problem(parser));
}

}  // namespace

Result<std::vector<Document>> ReadDocuments(std::string_view text, std::size_t skipped,
                                            std::size_t max_depth) {
  const Marks marks(text, skipped);
  Parser parser(text);
  TreeBuilder builder(marks, max_depth);
  for (;;) {
    Event event;
    if (!parser.Next(event)) return ParserError(parser.raw(), marks, text);
    if (event.type == YAML_STREAM_END_EVENT) return builder.TakeDocuments();
    if (std::optional<Error> error = builder.Take(event)) return std::move(*error);
  }
}

}  // namespace tpu_admission::yaml
