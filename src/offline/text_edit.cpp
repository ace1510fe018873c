#include "tpu_admission/offline/text_edit.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "offline/comment_lines.h"
#include "offline/scalar_text.h"
#include "offline/text_proof.h"
#include "offline/yaml_text.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/base/yaml.h"

namespace tpu_admission::offline {
namespace {

using k8s::JsonEdit;
using k8s::JsonScalar;

using Change = TextChange;

// Where the pointer leads: the last node that is there, and what is missing after it.
struct Way {
  const YamlNode* node = nullptr;
  std::vector<std::string> missing;
};

Way Follow(const YamlNode& root, std::string_view pointer) {
  Way way{&root, {}};
  while (!pointer.empty()) {
    const std::string token = TakePointerToken(pointer);
    const YamlNode* const next = way.missing.empty() ? way.node->Child(token) : nullptr;
    if (next != nullptr) {
      way.node = next;
    } else {
      way.missing.push_back(token);
    }
  }
  return way;
}

bool IsCollection(const YamlNode& node) {
  return node.kind == YamlNode::Kind::kMap || node.kind == YamlNode::Kind::kList;
}

std::optional<Scalar> FindScalar(const YamlNode& root, std::string_view pointer) {
  const std::size_t slash = pointer.rfind('/');
  std::string_view last = pointer.substr(slash);
  const Way way = Follow(root, pointer.substr(0, slash));
  const YamlMember* member = way.missing.empty() && way.node->kind == YamlNode::Kind::kMap
                                 ? way.node->Find(TakePointerToken(last))
                                 : nullptr;
  if (member == nullptr || IsCollection(*member->value)) return std::nullopt;
  return Scalar{way.node, member};
}

// What an edit puts where nothing is.
struct Missing {
  std::vector<std::string> path;
  const JsonScalar* value = nullptr;
};

// "key: value" of each; those with a key in common stand in one map.
std::string NewMembers(bool json, const std::vector<Missing>& all, std::size_t depth = 0) {
  std::string written;
  std::vector<bool> done(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (done[i]) continue;
    const std::string& key = all[i].path[depth];
    std::vector<Missing> below;
    for (std::size_t j = i; j < all.size(); ++j) {
      if (all[j].path[depth] != key) continue;
      done[j] = true;
      if (all[j].path.size() > depth + 1) below.push_back(all[j]);
    }
    written += written.empty() ? "" : ", ";
    written += WrittenKey(key, json) + ": ";
    written += below.empty() ? Written(*all[i].value, '\0', json)
                             : "{" + NewMembers(json, below, depth + 1) + "}";
  }
  return written;
}

// Behind "limits:", or in the place of null.
std::optional<Change> InPlaceOfNothing(std::string_view text, const YamlNode& nothing,
                                       const std::string& member) {
  const std::size_t begin = nothing.start.offset;
  const std::size_t end = begin + nothing.text.size();
  const bool is_bare = nothing.text.empty() && begin > 0 && text[begin - 1] == ':';
  if (!is_bare && (nothing.text.empty() || text.substr(begin, end - begin) != nothing.text)) {
    return std::nullopt;
  }
  return Change{begin, end, (is_bare ? " {" : "{") + member + "}"};
}

// Puts `member` into the map, before what is there. A comment stays with its key: in a document's
// own map, where it may speak of all of it, at the top.
std::optional<Change> Insertion(std::string_view text, const YamlNode& root, const YamlNode& map,
                                const std::string& member) {
  const std::size_t start = map.start.offset;
  if (map.kind == YamlNode::Kind::kNull && &map != &root) {
    return InPlaceOfNothing(text, map, member);
  }
  if (map.kind != YamlNode::Kind::kMap || start >= text.size()) return std::nullopt;
  if (text[start] == '{') {
    return Change{start + 1, start + 1, map.members.empty() ? member : member + ", "};
  }
  if (map.members.empty()) return std::nullopt;
  const YamlMark first = map.members.front().mark;
  const std::string indent(first.column - 1, ' ');
  const std::string eol = LineEndAt(text, first.offset);
  const auto above = &map == &root ? std::nullopt : BeginWithComments(text, first.offset);
  if (!above || text.substr(*above, first.offset - *above) == indent) {
    return Change{first.offset, first.offset, member + eol + indent};
  }
  return Change{*above, *above, indent + member + eol};
}

// Where several edits put something into a map that is empty or not there yet, it is made once.
// Takes those edits out of `left`.
std::optional<Change> NewMap(std::string_view text, const YamlNode& root,
                             std::vector<JsonEdit*>& left) {
  const JsonEdit& first = *left.front();
  if (!first.value) return std::nullopt;
  const Way way = Follow(root, first.pointer);
  const bool is_empty = way.node->kind == YamlNode::Kind::kNull ||
                        (way.node->kind == YamlNode::Kind::kMap && way.node->members.empty());
  if (way.missing.size() < (is_empty ? 1 : 2)) return std::nullopt;
  std::vector<Missing> all;
  std::vector<JsonEdit*> others;
  for (JsonEdit* edit : left) {
    const Way other = edit->value ? Follow(root, edit->pointer) : Way();
    const bool same =
        other.node == way.node && !other.missing.empty() &&
        (is_empty || (other.missing.size() > 1 && other.missing.front() == way.missing.front()));
    if (same) {
      all.push_back({other.missing, &*edit->value});
    } else {
      others.push_back(edit);
    }
  }
  const bool json = IsJson(text, root);
  std::optional<Change> change = Insertion(text, root, *way.node, NewMembers(json, all));
  if (change) left = std::move(others);
  return change;
}

// Whether the API takes a word for the number that is set there: an amount of a resource. A count
// must be a number.
bool MayBeAWord(const JsonEdit& edit) {
  const std::string_view list = std::string_view(edit.pointer).substr(0, edit.pointer.rfind('/'));
  return list.ends_with("/requests") || list.ends_with("/limits") ||
         edit.pointer.find("~1", list.size()) != std::string::npos;
}

// The change of the text that makes `edit`; nothing if it cannot be made in place. An amount in the
// place of a quoted word stays quoted, and so becomes a word.
std::optional<Change> ChangeFor(std::string_view text, const YamlNode& root, JsonEdit& edit) {
  if (!edit.value) {
    const std::optional<Scalar> scalar = FindScalar(root, edit.pointer);
    return scalar ? Removal(text, *scalar) : std::nullopt;
  }
  const Way way = Follow(root, edit.pointer);
  const std::size_t start = ValueBegin(text, *way.node);
  if (start >= text.size()) return std::nullopt;
  if (way.missing.empty()) {
    if (IsCollection(*way.node)) return std::nullopt;
    const char first = text[start];
    const auto* const number = std::get_if<std::int64_t>(&*edit.value);
    const bool is_quoted = first == '"' || first == '\'';
    const bool stays = is_quoted && (number == nullptr || MayBeAWord(edit));
    const char quote = stays ? first : '\0';
    std::optional<Change> change =
        Replacement(text, *way.node, Written(*edit.value, quote, IsJson(text, root)));
    if (quote != '\0' && number != nullptr) edit.value = std::to_string(*number);
    return change;
  }
  return Insertion(text, root, *way.node,
                   NewMembers(IsJson(text, root), {{way.missing, &*edit.value}}));
}

// The end of the key, if it is written as it reads, with quotes or without.
std::optional<std::size_t> EndOfKey(std::string_view text, const YamlMember& member) {
  const std::string_view written = text.substr(member.mark.offset);
  if (written.starts_with(member.key)) return member.mark.offset + member.key.size();
  const char quote = written.front();
  const bool quoted = (quote == '"' || quote == '\'') &&
                      written.substr(1).starts_with(member.key) &&
                      written.substr(1 + member.key.size()).starts_with(quote);
  return quoted ? std::optional(member.mark.offset + member.key.size() + 2) : std::nullopt;
}

// Where one edit takes a member out of a map and another puts one in, the new one stands in the
// place of the old, and what is written between key and value stays. None if it is not so.
std::vector<Change> Renaming(std::string_view text, const YamlNode& root, const JsonEdit& removal,
                             const JsonEdit& addition) {
  if (removal.value || !addition.value) return {};
  const std::optional<Scalar> old = FindScalar(root, removal.pointer);
  const Way way = Follow(root, addition.pointer);
  if (!old || way.node != old->map || way.missing.empty()) return {};
  const YamlNode& value = *old->member->value;
  const std::size_t begin = old->member->mark.offset;
  const std::size_t value_end = ValueEnd(text, value);
  if (begin >= text.size() || value_end <= begin) return {};
  const bool json = IsJson(text, root);
  const std::optional<std::size_t> end = EndOfKey(text, *old->member);
  const std::size_t value_begin = ValueBegin(text, value);
  if (way.missing.size() > 1 || !end || value_begin <= *end) {
    if (HasComment(text.substr(begin, value_end - begin))) return {};
    return {{begin, value_end, NewMembers(json, {{way.missing, &*addition.value}})}};
  }
  std::vector<Change> changes{{begin, *end, WrittenKey(way.missing.front(), json)}};
  const auto* const word = std::get_if<std::string>(&*addition.value);
  const bool stays =
      word != nullptr && value.kind == YamlNode::Kind::kString && value.text == *word;
  if (!stays) {
    auto change = Replacement(text, value, Written(*addition.value, '\0', json));
    if (!change) return {};
    changes.push_back(*std::move(change));
  }
  return changes;
}

// With what somebody must write.
Error Refused(std::string_view why, const std::vector<JsonEdit>& edits) {
  std::string told;
  for (const JsonEdit& edit : edits) {
    AppendByHand(told, edit.pointer,
                 edit.value ? std::optional(Written(*edit.value)) : std::nullopt);
  }
  return Error{std::string(why) + "; change by hand: " + told};
}

// In the order of the text, what is to be changed twice alike once; an error if two meet.
Status Sort(std::vector<Change>& changes) {
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  const auto same = [](const Change& a, const Change& b) {
    return a.begin == b.begin && a.end == b.end && a.text == b.text;
  };
  changes.erase(std::unique(changes.begin(), changes.end(), same), changes.end());
  std::size_t done = 0;
  for (const Change& change : changes) {
    if (change.begin < done) return Error{"two changes are of one place"};
    done = change.end;
  }
  return OkStatus();
}

// The changes that make the edits, all of one item or of none.
Status AddChanges(std::string_view text, const YamlNode& root, const std::vector<JsonEdit*>& edits,
                  std::vector<Change>& changes) {
  std::vector<bool> done(edits.size());
  for (std::size_t i = 0; i < done.size(); ++i) {
    for (std::size_t j = 0; j < done.size() && !done[i]; ++j) {
      if (done[j]) continue;
      const std::vector<Change> renaming = Renaming(text, root, *edits[i], *edits[j]);
      if (renaming.empty()) continue;
      changes.insert(changes.end(), renaming.begin(), renaming.end());
      done[i] = done[j] = true;
    }
  }
  std::vector<JsonEdit*> left;
  for (std::size_t i = 0; i < done.size(); ++i) {
    if (!done[i]) left.push_back(edits[i]);
  }
  while (!left.empty()) {
    std::optional<Change> change = NewMap(text, root, left);
    if (!change) {
      JsonEdit& edit = *left.front();
      left.erase(left.begin());
      change = ChangeFor(text, root, edit);
      if (!change) {
        return Error{FieldPath(edit.pointer) + " cannot be changed in the text"};
      }
    }
    changes.push_back(*std::move(change));
  }
  return OkStatus();
}

// The edits become what the text says in the end.
Result<std::vector<Change>> FindChanges(std::string_view text, const YamlDocument& document,
                                        std::vector<JsonEdit>& edits) {
  std::map<std::string_view, std::vector<JsonEdit*>> by_item;  // what meets is in one item
  for (JsonEdit& edit : edits) {
    const std::string_view pointer = edit.pointer;
    by_item[pointer.substr(0, InnermostItemBytes(pointer))].push_back(&edit);
  }
  std::vector<Change> changes;
  Status made = OkStatus();
  for (const auto& [item, some] : by_item) {
    if (made) made = AddChanges(text, *document.root, some, changes);
  }
  if (made) made = Sort(changes);
  if (!made) return Refused(made.error().message, edits);
  return changes;
}

}  // namespace

Result<std::vector<TextChange>> ChangesOf(std::string_view text, const YamlStream& stream,
                                          std::size_t document, std::vector<JsonEdit> edits) {
  const YamlDocument* const found = FindDocument(stream, document);
  if (found == nullptr) return Error{"there is no such document"};
  TPU_ADMISSION_TRY(std::vector<Change> changes, FindChanges(text, *found, edits));
  const DocumentText slice = DocumentTextOf(text, stream, *found);
  const std::optional<std::string> changed = slice.With(changes);
  if (!changed || !ReadsAs(ReadYaml(slice.text), *changed, edits)) return Refused(kInTheWay, edits);
  return changes;
}

std::string Changed(std::string_view text, const std::vector<TextChange>& changes) {
  std::string changed;
  std::size_t done = 0;
  for (const Change& change : changes) {
    changed.append(text.substr(done, change.begin - done)).append(change.text);
    done = change.end;
  }
  return changed.append(text.substr(done));
}

}  // namespace tpu_admission::offline
