#include "tpu_admission/offline/text_patch.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "offline/comment_lines.h"
#include "offline/halves.h"
#include "offline/scalar_text.h"
#include "offline/yaml_text.h"
#include "tpu_admission/base/json_pointer.h"

namespace tpu_admission::offline {
namespace {

using Json = nlohmann::ordered_json;  // as it is to be written
using Tree = nlohmann::json;
using NodeKind = YamlNode::Kind;

Tree TreeOf(const YamlNode& node) {
  switch (node.kind) {
    case NodeKind::kString:
      return std::string(node.text);
    case NodeKind::kList: {
      Tree list = Tree::array();
      for (const YamlNode* item : node.items) list.push_back(TreeOf(*item));
      return list;
    }
    case NodeKind::kMap: {
      Tree map = Tree::object();
      for (const YamlMember& member : node.members) {
        map[std::string(member.key)] = TreeOf(*member.value);
      }
      return map;
    }
    default:
      return Tree::parse(node.json, nullptr, false);
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
  Layout layout{LineEndAt(text, map.start.offset), 0};
  for (const YamlMember& member : map.members) {
    const YamlNode& value = *member.value;
    const bool block = value.kind == NodeKind::kList && value.start.offset < text.size() &&
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
    const YamlNode* const next = way.back()->Child(token);
    if (next == nullptr) {
      missing = token;
      return pointer.empty() ? way : NodePath();
    }
    way.push_back(next);
  }
  return way;
}

// A value where nothing, or an empty collection, is written.
std::optional<TextChange> Filled(std::string_view text, const YamlNode& old,
                                 const std::string& value) {
  const std::size_t begin = ValueBegin(text, old);
  const bool empty = old.items.empty() && old.members.empty();
  if (!empty || begin > text.size()) return std::nullopt;
  if (HasComment(text.substr(begin, old.end.offset - begin))) return std::nullopt;
  const bool zero = old.end.offset == begin;
  const bool after_colon = zero && begin > 0 && text[begin - 1] == ':';
  return TextChange{begin, old.end.offset, (after_colon ? " " : "") + value};
}

std::optional<TextChange> Added(std::string_view text, const YamlNode& root,
                                std::string_view pointer, const Json& value) {
  std::string missing;
  const NodePath way = Follow(root, pointer, missing);
  if (way.empty()) return std::nullopt;
  const YamlNode& node = *way.back();
  const bool json = IsJson(text, root);
  const std::string flow = json ? value.dump() : Flow(value);
  if (missing.empty()) return Filled(text, node, flow);
  const bool list = node.kind == NodeKind::kList && missing == "-";
  if (!list && node.kind != NodeKind::kMap) return std::nullopt;
  const bool none = node.items.empty() && node.members.empty();
  const std::string key = WrittenKey(missing, json);
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
  // The dashes of a list may stand under its key, and so do the comments of its items.
  const YamlNode* const last = list ? nullptr : node.members.back().value;
  const bool under_key =
      last != nullptr && last->kind == NodeKind::kList && last->start.column == column;
  const std::size_t end = BehindComments(text, EndOfLast(node), column + (under_key ? 0 : 1));
  return LinesAfter(text, end, indent + lines, layout);
}

// What somebody must write in the place of the patch.
std::string ByHand(const TextPatch& patch) {
  std::string told;
  for (const Json& operation : Json::parse(patch.operations)) {
    AppendByHand(told, std::string(patch.pointer) + operation.value("path", ""),
                 Flow(operation.value("value", Json())));
  }
  return "; add by hand: " + told;
}

// A patch as what it does to the text and to the tree.
struct Prepared {
  std::size_t patch = 0;            // its place among the patches
  std::vector<TextChange> changes;  // in the order of the text
  Tree operations = Tree::array();
};

// How deep the first of new lines stands; an item is deeper than the key under which it may stand.
std::size_t DepthOf(const TextChange& change) {
  const std::string_view text = change.text;
  const std::size_t begin = std::min(text.find_first_not_of("\r\n"), text.size());
  const std::size_t word = std::min(text.find_first_not_of(' ', begin), text.size());
  return 2 * (word - begin) + (text.substr(word).starts_with("- ") ? 1 : 0);
}

// In the order of the text. What is put at one place stands behind collections that end there: the
// inner one ends first.
void SortByPlace(std::vector<TextChange>& changes) {
  std::stable_sort(changes.begin(), changes.end(), [](const TextChange& a, const TextChange& b) {
    return a.begin != b.begin ? a.begin < b.begin : DepthOf(a) > DepthOf(b);
  });
}

Status SortChanges(std::vector<TextChange>& changes) {
  SortByPlace(changes);
  for (std::size_t i = 1; i < changes.size(); ++i) {
    if (changes[i].begin < changes[i - 1].end) return Error{"two additions meet in the text"};
  }
  return OkStatus();
}

// The operations as far as one change can make each.
Result<Prepared> Prepare(std::string_view text, const YamlNode& root, const TextPatch& patch) try {
  Prepared prepared;
  for (const Json& operation : Json::parse(patch.operations)) {
    const std::string path = std::string(patch.pointer) + operation.value("path", "");
    std::optional<TextChange> change;
    if (operation.value("op", "") == "add") change = Added(text, root, path, operation["value"]);
    if (!change) {
      return Error{"the text has no place for it" + ByHand(patch)};
    }
    // What is put at one place stands in the order of the operations.
    auto& changes = prepared.changes;
    if (!changes.empty() && changes.back().begin == change->begin &&
        changes.back().end == change->end) {
      const char before = change->begin == 0 ? '\0' : text[change->begin - 1];
      const bool in_empty_flow = before == '{' || before == '[';
      changes.back().text += (in_empty_flow ? ", " : "") + change->text;
    } else {
      changes.push_back(*std::move(change));
    }
    Tree moved = operation;
    moved["path"] = path;
    prepared.operations.push_back(std::move(moved));
  }
  TPU_ADMISSION_TRY_STATUS(SortChanges(prepared.changes));
  return prepared;
} catch (const nlohmann::json::exception& error) {
  return Error{std::string("the patch cannot be applied: ") + error.what()};
}

// Ranges of the text that are changed.
class Taken {
 public:
  // False if one of them meets what is there. Things may be put at one place.
  bool Add(const std::vector<TextChange>& changes) {
    const bool meets = std::any_of(changes.begin(), changes.end(),
                                   [this](const TextChange& each) { return Meets(each); });
    if (meets) return false;
    for (const TextChange& each : changes) ranges_.emplace(each.begin, each.end);
    return true;
  }

 private:
  bool Meets(const TextChange& change) const {
    for (auto at = ranges_.lower_bound(change.begin);
         at != ranges_.end() && at->first <= change.end; ++at) {
      const bool both_are_put_here = at->second == change.begin && change.end == change.begin;
      if (!both_are_put_here && (at->first < change.end || at->second > change.begin)) return true;
    }
    const auto next = ranges_.lower_bound(change.begin);
    return next != ranges_.begin() && std::prev(next)->second > change.begin;
  }

  std::multimap<std::size_t, std::size_t> ranges_;
};

// Patches of one document, and which of them its text takes.
class Patcher {
 public:
  Patcher(const YamlDocument& document, const DocumentText& slice,
          std::span<const TextPatch> patches)
      : tree_(TreeOf(*document.root)), slice_(slice), patches_(patches) {}

  // Takes all of them, or the halves that can be taken.
  void Take(std::span<const Prepared> all) {
    const auto take = [this](std::span<const Prepared> some) {
      if (too_much_) return true;  // told at the end
      if (!Holds(taken_, some)) return false;
      for (const Prepared& each : some) taken_.push_back(&each);
      return true;
    };
    TakeInHalves<Prepared>(all, take, [this](const Prepared& alone) {
      const bool goes_later = !taken_.empty() && Holds({}, {&alone, 1});
      if (goes_later || too_much_) return;
      left_.push_back({alone.patch, std::string(kInTheWay) + ByHand(patches_[alone.patch])});
    });
  }

  PatchedText Done() const {
    PatchedText done;
    for (const Prepared* each : taken_) {
      done.changes.insert(done.changes.end(), each->changes.begin(), each->changes.end());
    }
    SortByPlace(done.changes);
    done.problems = left_;
    if (too_much_) done.problems.push_back({std::nullopt, kTooLargeToTry});
    return done;
  }

 private:
  // Whether the text with the changes of both reads as the tree with their operations.
  bool Holds(const std::vector<const Prepared*>& before, std::span<const Prepared> more) try {
    tried_ += slice_.text.size();
    too_much_ = tried_ > slice_.text.size() + kMostTried;
    if (too_much_) return false;
    Tree wanted = tree_;
    std::vector<TextChange> changes;
    const auto add = [&](const Prepared& each) {
      wanted.patch_inplace(each.operations);
      changes.insert(changes.end(), each.changes.begin(), each.changes.end());
    };
    for (const Prepared* each : before) add(*each);
    for (const Prepared& each : more) add(each);
    SortByPlace(changes);
    const std::optional<std::string> changed = slice_.With(std::move(changes));
    if (!changed) return false;
    const YamlStream after = ReadYaml(*changed);
    return after.documents.size() == 1 && after.errors.empty() &&
           TreeOf(*after.documents.front().root) == wanted;
  } catch (const nlohmann::json::exception&) {
    return false;
  }

  const Tree tree_;
  const DocumentText slice_;
  const std::span<const TextPatch> patches_;
  std::vector<const Prepared*> taken_;
  std::vector<PatchProblem> left_;
  std::size_t tried_ = 0;
  bool too_much_ = false;
};

}  // namespace

PatchedText PatchText(std::string_view text, const YamlStream& stream, std::size_t document,
                      std::span<const TextPatch> patches) {
  const YamlDocument* const found = FindDocument(stream, document);
  if (found == nullptr) return {{}, {{std::nullopt, "there is no such document"}}};
  std::vector<PatchProblem> problems;
  std::vector<Prepared> apart;  // the others come in the next round
  Taken taken;
  for (std::size_t i = 0; i < patches.size(); ++i) {
    Result<Prepared> prepared = Prepare(text, *found->root, patches[i]);
    if (!prepared) {
      problems.push_back({i, prepared.error().message});
    } else if (taken.Add(prepared->changes)) {
      prepared->patch = i;
      apart.push_back(*std::move(prepared));
    }
  }
  Patcher patcher(*found, DocumentTextOf(text, stream, *found), patches);
  patcher.Take(apart);
  PatchedText patched = patcher.Done();
  patched.problems.insert(patched.problems.begin(), problems.begin(), problems.end());
  return patched;
}

Result<std::vector<TextChange>> PatchText(std::string_view text, const YamlStream& stream,
                                          std::size_t document, std::string_view pointer,
                                          std::string_view patch) {
  const TextPatch alone{pointer, patch};
  PatchedText patched = PatchText(text, stream, document, {&alone, 1});
  if (!patched.problems.empty()) return Error{patched.problems.front().text};
  return std::move(patched.changes);
}

}  // namespace tpu_admission::offline
