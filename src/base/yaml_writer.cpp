#include "base/yaml_writer.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/yaml_scalar.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/json_string.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::yaml {
namespace {

using MaybeError = std::optional<Error>;

class Writer {
 public:
  explicit Writer(Budget& budget) : budget_(budget) {}

  MaybeError Value(const Node& node, std::size_t depth);
  bool Note(const YamlMark& key, const Node& value);
  // The document; takes what it cost off the budget. Once.
  YamlDocument Take();

 private:
  MaybeError Scalar(const Node& node);
  MaybeError Sequence(const Node& node, std::size_t depth);
  MaybeError Mapping(const Node& node, std::size_t depth);
  MaybeError OwnMembers(const Node& node, std::size_t depth, bool& first);
  MaybeError MergedMembers(const Node& node, std::size_t depth, bool& first);
  MaybeError Merge(const Node& value, std::size_t depth, bool& first);
  MaybeError MergeMapping(const Node& mapping, std::size_t depth, bool& first);
  MaybeError Member(const std::string& key, const Node& value, std::size_t depth, bool& first);
  MaybeError Visit(const Node& node);

  Budget& budget_;
  std::string pointer_;
  std::size_t pointer_bytes_ = 0;
  std::size_t aliased_values_ = 0;
  int expanding_ = 0;  // aliases and merges that we are in
  YamlDocument out_;
};

// `<<` without quotes, or whatever carries the tag !!merge.
bool IsMerge(const Node& key) {
  if (key.kind != Node::Kind::kScalar) return false;
  return key.tag.empty() ? key.plain && key.text == "<<" : key.tag == "tag:yaml.org,2002:merge";
}

Result<std::string> KeyText(const Node& key) {
  const Node& node = key.Resolved();
  if (node.kind != Node::Kind::kScalar) {
    return ErrorAt(key.start, "a list or mapping cannot be a key; write a string");
  }
  Result<std::string> text = ResolveKey(node.text, node.tag, node.plain);
  if (!text) return ErrorAt(key.start, text.error().message);
  return text;
}

Error Duplicate(const YamlMark& key, const std::string& name, const YamlMark& first) {
  return ErrorAt(key, "duplicate key " + Quoted(name) + " (first on line " +
                          std::to_string(first.line) + ", again on line " +
                          std::to_string(key.line) + ")");
}

// False if the pointer of this moment already has a place.
bool Writer::Note(const YamlMark& key, const Node& value) {
  const Node& node = value.Resolved();
  const bool added = out_.places.try_emplace(pointer_, YamlPlace{key, node.start, node.end}).second;
  if (added) pointer_bytes_ += pointer_.size();
  return added;
}

YamlDocument Writer::Take() {
  const auto less = [](std::size_t left, std::size_t used) { return left - std::min(left, used); };
  budget_.json_bytes = less(budget_.json_bytes, out_.json.size());
  budget_.pointer_bytes = less(budget_.pointer_bytes, pointer_bytes_);
  budget_.aliased_values = less(budget_.aliased_values, aliased_values_);
  return std::move(out_);
}

// Counts a node that the text does not have at this place, and stops where the budget ends.
MaybeError Writer::Visit(const Node& node) {
  if (expanding_ > 0) ++aliased_values_;
  const bool fits = aliased_values_ <= budget_.aliased_values &&
                    out_.json.size() <= budget_.json_bytes &&
                    pointer_bytes_ <= budget_.pointer_bytes;
  if (fits) return std::nullopt;
  return ErrorAt(node.start, "the text is too large once its aliases are expanded");
}

MaybeError Writer::Value(const Node& node, std::size_t depth) {
  const Node& value = node.Resolved();
  if (MaybeError error = Visit(node)) return error;
  if (value.kind == Node::Kind::kScalar) return Scalar(value);
  if (depth >= budget_.max_depth) {
    return ErrorAt(node.start, "more than " + std::to_string(budget_.max_depth) +
                                   " lists and mappings inside each other");
  }
  const int alias = node.kind == Node::Kind::kAlias ? 1 : 0;
  expanding_ += alias;
  MaybeError error =
      value.kind == Node::Kind::kMapping ? Mapping(value, depth + 1) : Sequence(value, depth + 1);
  expanding_ -= alias;
  return error;
}

MaybeError Writer::Scalar(const Node& node) {
  const Result<yaml::Scalar> scalar = ResolveScalar(node.text, node.tag, node.plain);
  if (!scalar) return ErrorAt(node.start, scalar.error().message);
  if (scalar->type == yaml::Scalar::Type::kString) {
    AppendJsonString(out_.json, scalar->text);
  } else {
    out_.json += scalar->text;
  }
  return std::nullopt;
}

MaybeError Writer::Sequence(const Node& node, std::size_t depth) {
  out_.json += '[';
  const std::size_t parent = pointer_.size();
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const Node& item = *node.items[i];
    if (i > 0) out_.json += ',';
    AppendPointerIndex(pointer_, i);
    Note(item.Resolved().start, item);
    if (MaybeError error = Value(item, depth)) return error;
    pointer_.resize(parent);
  }
  out_.json += ']';
  return std::nullopt;
}

MaybeError Writer::Mapping(const Node& node, std::size_t depth) {
  bool first = true;
  out_.json += '{';
  if (MaybeError error = OwnMembers(node, depth, first)) return error;
  if (MaybeError error = MergedMembers(node, depth, first)) return error;
  out_.json += '}';
  return std::nullopt;
}

// Writes the member whose pointer and place are noted already.
MaybeError Writer::Member(const std::string& key, const Node& value, std::size_t depth,
                          bool& first) {
  if (!first) out_.json += ',';
  first = false;
  AppendJsonString(out_.json, key);
  out_.json += ':';
  return Value(value, depth);
}

MaybeError Writer::OwnMembers(const Node& node, std::size_t depth, bool& first) {
  const std::size_t parent = pointer_.size();
  for (std::size_t i = 0; i + 1 < node.items.size(); i += 2) {
    const Node& key = *node.items[i];
    const Node& value = *node.items[i + 1];
    if (IsMerge(key)) continue;
    const Result<std::string> name = KeyText(key);
    if (!name) return name.error();
    AppendPointerToken(pointer_, *name);
    if (!Note(key.start, value)) {
      return Duplicate(key.start, *name, out_.places.at(pointer_).key);
    }
    if (MaybeError error = Member(*name, value, depth, first)) return error;
    pointer_.resize(parent);
  }
  return std::nullopt;
}

// After the mapping's own members, so that those win; of several merges the first wins.
MaybeError Writer::MergedMembers(const Node& node, std::size_t depth, bool& first) {
  for (std::size_t i = 0; i + 1 < node.items.size(); i += 2) {
    if (!IsMerge(*node.items[i])) continue;
    ++expanding_;
    if (MaybeError error = Merge(*node.items[i + 1], depth, first)) return error;
    --expanding_;
  }
  return std::nullopt;
}

MaybeError Writer::Merge(const Node& value, std::size_t depth, bool& first) {
  const Node& node = value.Resolved();
  if (node.kind == Node::Kind::kMapping) return MergeMapping(node, depth, first);
  const bool list = value.kind == Node::Kind::kSequence;
  if (list) {
    for (const Node* const item : node.items) {
      const Node& part = item->Resolved();
      if (part.kind != Node::Kind::kMapping) {
        return ErrorAt(item->start, "<< takes a mapping or a list of mappings");
      }
      if (MaybeError error = MergeMapping(part, depth, first)) return error;
    }
    return std::nullopt;
  }
  return ErrorAt(value.start, "<< takes a mapping or a list of mappings");
}

MaybeError Writer::MergeMapping(const Node& mapping, std::size_t depth, bool& first) {
  if (depth >= budget_.max_depth) {
    return ErrorAt(mapping.start, "too many << inside each other");
  }
  const std::size_t parent = pointer_.size();
  for (std::size_t i = 0; i + 1 < mapping.items.size(); i += 2) {
    const Node& key = *mapping.items[i];
    const Node& value = *mapping.items[i + 1];
    if (MaybeError error = Visit(key)) return error;
    if (IsMerge(key)) continue;
    const Result<std::string> name = KeyText(key);
    if (!name) return name.error();
    AppendPointerToken(pointer_, *name);
    if (Note(key.start, value)) {
      if (MaybeError error = Member(*name, value, depth, first)) return error;
    }
    pointer_.resize(parent);
  }
  return MergedMembers(mapping, depth + 1, first);
}

}  // namespace

Result<YamlDocument> WriteJson(const Document& document, Budget& budget) {
  Writer writer(budget);
  writer.Note(document.root->Resolved().start, *document.root);
  if (MaybeError error = writer.Value(*document.root, 0)) return std::move(*error);
  YamlDocument out = writer.Take();
  out.start = document.root->start;
  return out;
}

}  // namespace tpu_admission::yaml
