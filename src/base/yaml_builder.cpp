#include "base/yaml_builder.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "base/yaml_number.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::yaml {
namespace {

using Kind = YamlNode::Kind;

constexpr std::string_view kMergeTag = "tag:yaml.org,2002:merge";
constexpr const char* kNoMapping = "<< takes a mapping or a list of mappings";

bool IsMerge(const RawScalar& key) {
  return key.tag.empty() ? key.plain && key.text == "<<" : key.tag == kMergeTag;
}

void Grow(YamlNode& collection, const YamlNode& item) {
  collection.values += item.values;
  collection.height = std::max(collection.height, item.height + 1);
}

}  // namespace

// The members of a mapping, as they gather. Small mappings, nearly all, cost no index.
class Builder::MapDraft {
 public:
  explicit MapDraft(std::size_t members) {
    members_.reserve(members);
    own_.reserve(members);
  }

  // A member of the mapping's own that has the key.
  const YamlMember* FindOwn(std::string_view key) {
    const std::size_t found = Find(key);
    return found < members_.size() && own_[found] ? &members_[found] : nullptr;
  }
  // What comes later counts.
  void Set(const YamlMember& member, bool own) {
    const std::size_t found = Find(member.key);
    if (found < members_.size()) {
      members_[found] = member;
      own_[found] = own;
    } else {
      members_.push_back(member);
      own_.push_back(own);
    }
    merged_ |= !own;
  }
  // The mapping's own, then the merged.
  std::vector<YamlMember> TakeMembers() {
    if (!merged_) return std::move(members_);
    std::vector<YamlMember> sorted;
    sorted.reserve(members_.size());
    for (const bool own : {true, false}) {
      for (std::size_t i = 0; i < members_.size(); ++i) {
        if (own_[i] == own) sorted.push_back(members_[i]);
      }
    }
    return sorted;
  }

 private:
  static constexpr std::size_t kSmall = 16;

  // members_.size() if there is none.
  std::size_t Find(std::string_view key) {
    if (members_.size() <= kSmall) {
      const auto found = std::find_if(members_.begin(), members_.end(),
                                      [&](const YamlMember& member) { return member.key == key; });
      return static_cast<std::size_t>(found - members_.begin());
    }
    for (; indexed_ < members_.size(); ++indexed_) {
      index_.emplace(members_[indexed_].key, indexed_);
    }
    const auto found = index_.find(key);
    return found == index_.end() ? members_.size() : found->second;
  }

  std::vector<YamlMember> members_;
  std::vector<bool> own_;
  std::unordered_map<std::string_view, std::size_t> index_;
  std::size_t indexed_ = 0;
  bool merged_ = false;
};

bool Builder::Fail(YamlMark mark, std::string message) {
  stream_.errors.push_back({mark, std::move(message)});
  return false;
}

std::string_view Builder::Keep(std::string_view text) {
  if (text.empty()) return {};
  char* const copy = static_cast<char*>(stream_.memory->allocate(text.size(), 1));
  text.copy(copy, text.size());
  return {copy, text.size()};
}

template <typename T>
std::span<const T> Builder::Keep(const std::vector<T>& values) {
  if (values.empty()) return {};
  T* const copy = static_cast<T*>(stream_.memory->allocate(values.size() * sizeof(T), alignof(T)));
  std::uninitialized_copy(values.begin(), values.end(), copy);
  return {copy, values.size()};
}

YamlNode* Builder::NewNode(Kind kind, YamlMark start, YamlMark end) {
  void* const memory = stream_.memory->allocate(sizeof(YamlNode), alignof(YamlNode));
  auto* const node = new (memory) YamlNode;  // the stream's memory runs no destructors
  node->kind = kind;
  node->start = start;
  node->end = end;
  return node;
}

bool Builder::IsKeyNext() const {
  if (frames_.empty() || frames_.back().node->kind != Kind::kMap) return false;
  return (children_.size() - frames_.back().first) % 2 == 0;
}

bool Builder::Attach(const Child& child) {
  if (++values_ > limits_.max_values) {
    is_full_ = values_before_ > 0;
    return Fail(child.start, "more than " + std::to_string(limits_.max_values) + " values");
  }
  children_.push_back(child);
  return true;
}

bool Builder::Scalar(const RawScalar& scalar, std::string_view anchor, YamlMark start,
                     YamlMark end) {
  const bool key = IsKeyNext();
  YamlNode* const node = NewNode(Kind::kString, start, end);
  node->text = Keep(scalar.text);
  const bool merge = key && IsMerge(scalar);
  if (!merge && !(key && IsNoNumber(scalar.text, scalar.tag, scalar.plain))) {
    Result<yaml::Scalar> value = ResolveScalar(scalar.text, scalar.tag, scalar.plain);
    if (!value) return Fail(start, value.error().message);
    node->kind = value->type;
    if (value->type != Kind::kString) {
      node->json = Keep(value->text);
    } else if (value->text != scalar.text) {
      node->text = Keep(value->text);
    }
  }
  if (!anchor.empty()) anchors_[std::string(anchor)] = node;
  return Attach({node, start, end, merge});
}

bool Builder::Alias(std::string_view anchor, YamlMark start, YamlMark end) {
  const auto found = anchors_.find(std::string(anchor));
  if (found == anchors_.end()) return Fail(start, "unknown anchor " + Quoted(anchor));
  const YamlNode* const node = found->second;
  const bool open = std::any_of(frames_.begin(), frames_.end(),
                                [&](const Frame& frame) { return frame.node == node; });
  if (open) return Fail(start, "the value of anchor " + Quoted(anchor) + " contains itself");
  return Repeat(*node, start) && Attach({node, start, end});
}

// Counts what stands once in the text and at another place too, and holds it against the limits.
bool Builder::Repeat(const YamlNode& value, YamlMark mark) {
  repeated_ += value.values;
  if (repeated_ > limits_.max_aliased_values) {
    return Fail(mark, "the text is too large once its aliases are expanded");
  }
  if (frames_.size() + value.height <= limits_.max_depth) return true;
  return Fail(mark, "more than " + std::to_string(limits_.max_depth) +
                        " lists and mappings inside each other");
}

bool Builder::Open(Kind kind, std::string_view tag, std::string_view anchor, YamlMark start) {
  const std::string_view own =
      kind == Kind::kMap ? "tag:yaml.org,2002:map" : "tag:yaml.org,2002:seq";
  if (!tag.empty() && tag != "!" && tag != own) return Fail(start, UnknownTag(tag).message);
  if (frames_.size() >= limits_.max_depth) {
    return Fail(start, "more than " + std::to_string(limits_.max_depth) +
                           " lists and mappings inside each other");
  }
  YamlNode* const node = NewNode(kind, start, start);
  node->height = 1;
  if (!anchor.empty()) anchors_[std::string(anchor)] = node;
  frames_.push_back({node, children_.size()});
  return true;
}

bool Builder::Close(YamlMark end, bool by_last) {
  const Frame frame = frames_.back();
  YamlNode& node = *frame.node;
  const std::span<const Child> children = std::span(children_).subspan(frame.first);
  node.end = by_last && !children.empty() ? children.back().end : end;
  if (node.kind == Kind::kMap) {
    if (!CloseMap(node, children)) return false;
  } else {
    std::vector<const YamlNode*> items;
    for (const Child& child : children) items.push_back(child.node);
    node.items = Keep(items);
    for (const YamlNode* const item : items) Grow(node, *item);
  }
  children_.resize(frame.first);
  frames_.pop_back();
  return Attach({&node, node.start, node.end});
}

// As kubectl does it: in the order of the text, and a merge replaces the members before it. (YAML's
// own document lets the mapping's members win wherever they stand.)
bool Builder::CloseMap(YamlNode& map, std::span<const Child> children) {
  MapDraft draft(children.size() / 2);
  for (std::size_t i = 0; i + 1 < children.size(); i += 2) {
    if (children[i].merge) {
      if (!Merge(children[i + 1], draft)) return false;
      continue;
    }
    std::string_view key;
    if (!KeyText(children[i], key)) return false;
    if (const YamlMember* const first = draft.FindOwn(key)) {
      return Fail(children[i].start, "duplicate key " + Quoted(key) + " (first on line " +
                                         std::to_string(first->mark.line) + ", again on line " +
                                         std::to_string(children[i].start.line) + ")");
    }
    draft.Set({key, children[i].start, children[i + 1].node}, true);
  }
  map.members = Keep(draft.TakeMembers());
  for (const YamlMember& member : map.members) Grow(map, *member.value);
  return true;
}

bool Builder::Merge(const Child& value, MapDraft& draft) {
  if (value.node->kind == Kind::kMap) return MergeMap(*value.node, value.start, draft);
  // An alias of a list is refused, as kubectl does.
  const bool list =
      value.node->kind == Kind::kList && value.start.offset == value.node->start.offset;
  if (!list) return Fail(value.start, kNoMapping);
  // Backwards: the first of a list counts.
  for (auto item = value.node->items.rbegin(); item != value.node->items.rend(); ++item) {
    if ((*item)->kind != Kind::kMap) return Fail((*item)->start, kNoMapping);
    if (!MergeMap(**item, value.start, draft)) return false;
  }
  return true;
}

bool Builder::MergeMap(const YamlNode& map, YamlMark mark, MapDraft& draft) {
  for (const YamlMember& member : map.members) {
    ++repeated_;  // the work, even if the key is taken
    if (!Repeat(*member.value, mark)) return false;
    draft.Set(member, false);
  }
  return true;
}

// Of a key; kubectl turns every scalar into a string (1 -> "1", yes -> "true", 0x10 -> "16").
bool Builder::KeyText(const Child& key, std::string_view& text) {
  const YamlNode& node = *key.node;
  if (node.kind == Kind::kList || node.kind == Kind::kMap) {
    return Fail(key.start, "a list or mapping cannot be a key; write a string");
  }
  if (node.kind == Kind::kNull) return Fail(key.start, "a key cannot be null");
  text = node.kind == Kind::kString  ? node.text
         : node.kind == Kind::kFloat ? Keep(FloatKey(node.json))
                                     : node.json;
  return true;
}

void Builder::Finish() {
  const std::size_t index = stream_.documents.size() + stream_.errors.size();
  if (!children_.empty()) stream_.documents.push_back({children_.front().node, index});
  values_before_ = values_;
  repeated_before_ = repeated_;
  Drop();
}

void Builder::Drop() {
  values_ = values_before_;
  repeated_ = repeated_before_;
  frames_.clear();
  children_.clear();
  anchors_.clear();
}

}  // namespace tpu_admission::yaml
