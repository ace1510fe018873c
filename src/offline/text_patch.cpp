#include "tpu_admission/offline/text_patch.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "offline/yaml_text.h"
#include "tpu_admission/base/json_pointer.h"

namespace tpu_admission::offline {
namespace {

using Json = nlohmann::ordered_json;
using Kind = YamlNode::Kind;

Json JsonOf(const YamlNode& node) {
  switch (node.kind) {
    case Kind::kString:
      return std::string(node.text);
    case Kind::kList: {
      Json list = Json::array();
      for (const YamlNode* item : node.items) list.push_back(JsonOf(*item));
      return list;
    }
    case Kind::kMap: {
      Json map = Json::object();
      for (const YamlMember& member : node.members) {
        map[std::string(member.key)] = JsonOf(*member.value);
      }
      return map;
    }
    default:
      return Json::parse(node.json, nullptr, false);
  }
}

// {key: value, ...} in one line.
std::string Flow(const Json& value) {
  std::string text;
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      text += (text.empty() ? "" : ", ") + WrittenKey(key) + ": " + Flow(member);
    }
    return "{" + text + "}";
  }
  if (value.is_array()) {
    for (const Json& item : value) text += (text.empty() ? "" : ", ") + Flow(item);
    return "[" + text + "]";
  }
  if (!value.is_string()) return value.dump();
  const auto& word = value.get_ref<const std::string&>();
  return IsPlainString(word) ? word : value.dump();
}

// How a text writes what is inside of something else.
struct Layout {
  std::string eol;
  std::size_t list_indent = 0;  // of the dash, from the key of the list
};

// Members as lines of their own, each with `indent` blanks but the first.
std::string Block(const Json& map, std::size_t indent, const Layout& layout) {
  const std::string line = layout.eol + std::string(indent, ' ');
  std::string text;
  for (const auto& [key, value] : map.items()) {
    if (!text.empty()) text += line;
    text += WrittenKey(key) + ":";
    if (value.is_object() && !value.empty()) {
      text += line + "  " + Block(value, indent + 2, layout);
    } else if (value.is_array() && !value.empty() && value.front().is_object()) {
      const std::size_t dash = indent + layout.list_indent;
      for (const Json& item : value) {
        text += layout.eol + std::string(dash, ' ') + "- " + Block(item, dash + 2, layout);
      }
    } else {
      text += " " + Flow(value);
    }
  }
  return text;
}

// Where lines may be put behind what ends at `end`: the beginning of the next line, or the end of
// the text, which may lack the end of its line.
TextChange LinesAfter(std::string_view text, std::size_t end, std::string lines,
                      const Layout& layout) {
  const bool at_start = end > 0 && text[end - 1] == '\n';
  const std::size_t newline = at_start ? end - 1 : text.find('\n', end);
  if (newline == text.npos) return {text.size(), text.size(), layout.eol + std::move(lines)};
  return {newline + 1, newline + 1, std::move(lines) + layout.eol};
}

// The end of the last value that is written inside `collection`.
std::size_t EndOfLast(const YamlNode& collection) {
  std::size_t end = collection.start.offset;
  const auto take = [&](const YamlNode& value) {
    const bool inside =
        value.start.offset >= collection.start.offset && value.end.offset <= collection.end.offset;
    if (inside) end = std::max(end, value.end.offset);
  };
  for (const YamlNode* item : collection.items) take(*item);
  for (const YamlMember& member : collection.members) {
    end = std::max(end, member.mark.offset < collection.end.offset ? member.mark.offset : 0);
    take(*member.value);
  }
  return end;
}

Layout LayoutOf(std::string_view text, const YamlNode& map) {
  Layout layout{text.find("\r\n") == text.npos ? "\n" : "\r\n", 0};
  for (const YamlMember& member : map.members) {
    const YamlNode& value = *member.value;
    const bool block = value.kind == Kind::kList && value.start.offset < text.size() &&
                       text[value.start.offset] == '-';
    if (block && value.start.column > member.mark.column) {
      layout.list_indent = value.start.column - member.mark.column;
    }
  }
  return layout;
}

using NodePath = std::vector<const YamlNode*>;  // from the root

// The nodes that the pointer leads through; shorter than the pointer if it leads nowhere.
NodePath Follow(const YamlNode& root, std::string_view pointer, std::string& missing) {
  NodePath way{&root};
  while (!pointer.empty()) {
    const std::string token = TakePointerToken(pointer);
    const YamlNode* next = nullptr;
    if (const YamlMember* member = way.back()->Find(token)) {
      next = member->value;
    } else if (std::size_t index = 0; way.back()->kind == Kind::kList) {
      const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
      const bool whole = error == std::errc() && end == token.data() + token.size();
      if (whole && index < way.back()->items.size()) next = way.back()->items[index];
    }
    if (next == nullptr) {
      missing = token;
      return pointer.empty() ? way : NodePath();
    }
    way.push_back(next);
  }
  return way;
}

// A value where nothing, or an empty collection, is written.
std::optional<TextChange> Filled(std::string_view text, const YamlNode& old, const Json& value) {
  const std::size_t begin = old.start.offset;
  const bool empty = old.items.empty() && old.members.empty();
  if (!empty || begin > text.size()) return std::nullopt;
  const bool zero = old.end.offset == begin;
  const bool after_colon = zero && begin > 0 && text[begin - 1] == ':';
  return TextChange{begin, old.end.offset, (after_colon ? " " : "") + Flow(value)};
}

std::optional<TextChange> Added(std::string_view text, const YamlNode& root,
                                std::string_view pointer, const Json& value) {
  std::string missing;
  const NodePath way = Follow(root, pointer, missing);
  if (way.empty()) return std::nullopt;
  const YamlNode& node = *way.back();
  if (missing.empty()) return Filled(text, node, value);
  const bool list = node.kind == Kind::kList && missing == "-";
  if (!list && node.kind != Kind::kMap) return std::nullopt;
  const bool none = node.items.empty() && node.members.empty();
  const bool json = IsJson(text, root);
  const std::string flow = json ? value.dump() : Flow(value);
  const std::string key = json ? Json(missing).dump() : WrittenKey(missing);
  const std::string member = list ? flow : key + ": " + flow;
  if (IsFlow(text, node)) {
    const std::size_t end = none ? node.start.offset + 1 : EndOfLast(node);
    return TextChange{end, end, (none ? "" : ", ") + member};
  }
  if (none) return std::nullopt;
  const Layout layout = LayoutOf(text, list && way.size() > 1 ? *way[way.size() - 2] : node);
  const std::size_t column =
      list ? node.start.column : node.members.front().mark.column;  // of the dash, or the keys
  const std::string indent(column - 1, ' ');
  std::string lines;
  if (list) {
    lines = "- " + (value.is_object() ? Block(value, column + 1, layout) : Flow(value));
  } else {
    lines = Block({{missing, value}}, column - 1, layout);
  }
  return LinesAfter(text, EndOfLast(node), indent + lines, layout);
}

// The operations as far as one change can make each; `patched` becomes the tree that is wanted.
Result<std::vector<TextChange>> Changes(std::string_view text, const YamlNode& root,
                                        std::string_view pointer, const Json& operations,
                                        Json& patched) {
  std::vector<TextChange> changes;
  for (const Json& operation : operations) {
    const std::string path = std::string(pointer) + operation.value("path", "");
    std::optional<TextChange> change;
    if (operation.value("op", "") == "add") change = Added(text, root, path, operation["value"]);
    if (!change) {
      return Error{FieldPath(path) + " cannot be added to the text; add it by hand"};
    }
    // What is put at one place stands in the order of the operations.
    if (!changes.empty() && changes.back().begin == change->begin &&
        changes.back().end == change->end) {
      changes.back().text += change->text;
    } else {
      changes.push_back(*std::move(change));
    }
    Json moved = operation;
    moved["path"] = path;
    patched.patch_inplace(Json::array({moved}));
  }
  return changes;
}

}  // namespace

Result<std::vector<TextChange>> PatchText(std::string_view text, const YamlStream& stream,
                                          std::size_t document, std::string_view pointer,
                                          std::string_view patch) try {
  const auto found = std::find_if(stream.documents.begin(), stream.documents.end(),
                                  [&](const YamlDocument& each) { return each.index == document; });
  if (found == stream.documents.end()) return Error{"there is no such document"};
  const Json operations = Json::parse(patch);
  Json patched = JsonOf(*found->root);
  TPU_ADMISSION_TRY(std::vector<TextChange> changes,
                    Changes(text, *found->root, pointer, operations, patched));
  std::stable_sort(changes.begin(), changes.end(),
                   [](const TextChange& a, const TextChange& b) { return a.begin < b.begin; });
  const DocumentText slice = DocumentTextOf(text, stream, *found);
  std::vector<TextChange> local = changes;
  for (TextChange& change : local) {
    change.begin -= slice.begin;
    change.end -= slice.begin;
  }
  const YamlStream after = ReadYaml(Changed(slice.text, local));
  const bool same =
      after.documents.size() == 1 && after.errors.empty() &&
      nlohmann::json(JsonOf(*after.documents.front().root)) == nlohmann::json(patched);
  if (!same) return Error{"an anchor, an alias or a merge key stands in the way; add it by hand"};
  return changes;
} catch (const nlohmann::json::exception& error) {
  return Error{std::string("the patch cannot be applied: ") + error.what()};
}

}  // namespace tpu_admission::offline
