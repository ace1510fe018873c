#include "tpu_admission/k8s/json.h"

#include <algorithm>
#include <cstdint>

#include "k8s/json_node.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/same_text.h"

namespace tpu_admission::k8s {
namespace {

using Kind = JsonNode::Kind;

const JsonNode* Of(const void* value) { return static_cast<const JsonNode*>(value); }

bool Is(const void* value, Kind kind) { return value != nullptr && Of(value)->kind == kind; }

// The value of the last member with this key; nullptr if there is none.
const JsonNode* Find(const JsonNode& object, std::string_view key) {
  for (const JsonNode* at = object.children + 2 * std::size_t{object.size};
       at != object.children;) {
    at -= 2;
    if (SameText(at->string(), key)) return at + 1;
  }
  return nullptr;
}

bool EqualNodes(const JsonNode& a, const JsonNode& b);

// Members in another order are looked up, but only in small objects: a stranger must not choose
// how long this takes. The API server writes members in a fixed order anyway.
bool EqualMembers(const JsonNode& a, const JsonNode& b) {
  constexpr std::uint32_t kSmall = 64;
  for (std::uint32_t i = 0; i < a.size; ++i) {
    const JsonNode& key = a.children[2 * i];
    const JsonNode* other = &b.children[2 * i + 1];
    if (b.children[2 * i].string() != key.string()) {
      other = a.size <= kSmall ? Find(b, key.string()) : nullptr;
    }
    if (other == nullptr || !EqualNodes(a.children[2 * i + 1], *other)) return false;
  }
  return true;
}

bool EqualElements(const JsonNode& a, const JsonNode& b) {
  for (std::uint32_t i = 0; i < a.size; ++i) {
    if (!EqualNodes(a.children[i], b.children[i])) return false;
  }
  return true;
}

// Recursion is as deep as the parser lets a value be.
bool EqualNodes(const JsonNode& a, const JsonNode& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Kind::kInteger:
      return a.integer == b.integer;
    case Kind::kDouble:
      return a.number == b.number;
    case Kind::kString:
      return a.string() == b.string();
    case Kind::kArray:
      return a.size == b.size && EqualElements(a, b);
    case Kind::kObject:
      return a.size == b.size && EqualMembers(a, b);
    default:
      return true;
  }
}

// Appends the way from `root` to `node`; false, and nothing, if it does not lie there.
bool AppendWay(std::string& pointer, const JsonNode& root, const JsonNode& node) {
  if (&root == &node) return true;
  const bool is_object = root.kind == Kind::kObject;
  if (!is_object && root.kind != Kind::kArray) return false;
  const std::size_t here = pointer.size();
  for (std::uint32_t i = 0; i < root.size; ++i) {
    if (is_object) {
      AppendPointerToken(pointer, root.children[2 * i].string());
    } else {
      AppendPointerIndex(pointer, i);
    }
    if (AppendWay(pointer, root.children[is_object ? 2 * i + 1 : i], node)) return true;
    pointer.resize(here);
  }
  return false;
}

}  // namespace

bool JsonView::is_null() const { return Is(value_, Kind::kNull); }
bool JsonView::is_object() const { return Is(value_, Kind::kObject); }
bool JsonView::is_array() const { return Is(value_, Kind::kArray); }

JsonView JsonView::operator[](std::string_view key) const {
  return is_object() ? JsonView(Find(*Of(value_), key)) : JsonView();
}

JsonView JsonView::Follow(std::string_view path) const {
  JsonView view = *this;
  while (!path.empty() && view.present()) {
    const std::size_t slash = path.find('/');
    view = view[path.substr(0, slash)];
    path = slash == path.npos ? std::string_view() : path.substr(slash + 1);
  }
  return view;
}

std::size_t JsonView::size() const { return is_array() || is_object() ? Of(value_)->size : 0; }

JsonView JsonView::Element(std::size_t index) const {
  if (!is_array() || index >= size()) return {};
  return JsonView(&Of(value_)->children[index]);
}

std::string_view JsonView::MemberKey(std::size_t index) const {
  if (!is_object() || index >= size()) return {};
  return Of(value_)->children[2 * index].string();
}

JsonView JsonView::Member(std::size_t index) const {
  if (!is_object() || index >= size()) return {};
  return JsonView(&Of(value_)->children[2 * index + 1]);
}

std::optional<std::string_view> JsonView::AsString() const {
  if (!Is(value_, Kind::kString)) return std::nullopt;
  return Of(value_)->string();
}

std::string_view JsonView::StringOr(std::string_view otherwise) const {
  return AsString().value_or(otherwise);
}

std::optional<std::int64_t> JsonView::AsInteger() const {
  if (Is(value_, Kind::kInteger)) return Of(value_)->integer;
  if (!Is(value_, Kind::kDouble)) return std::nullopt;
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  const double number = Of(value_)->number;
  if (!(number >= -kLimit && number < kLimit)) return std::nullopt;
  const auto whole = static_cast<std::int64_t>(number);
  return static_cast<double>(whole) == number ? std::optional(whole) : std::nullopt;
}

std::optional<double> JsonView::AsDouble() const {
  if (Is(value_, Kind::kInteger)) return static_cast<double>(Of(value_)->integer);
  if (!Is(value_, Kind::kDouble)) return std::nullopt;
  return Of(value_)->number;
}

bool JsonView::HoldsStringsAlone() const {
  if (!is_object()) return false;
  const JsonNode* const end = Of(value_)->children + 2 * std::size_t{Of(value_)->size};
  for (const JsonNode* key = Of(value_)->children; key != end; key += 2) {
    if (key[1].kind != Kind::kString) return false;
  }
  return true;
}

bool JsonView::IsTrue() const { return Is(value_, Kind::kTrue); }

bool JsonView::IsFalse() const { return Is(value_, Kind::kFalse); }

std::string PointerTo(JsonView root, JsonView value) {
  std::string pointer;
  AppendWay(pointer, *Of(root.value_), *Of(value.value_));
  return pointer;
}

bool Equal(JsonView a, JsonView b) {
  if (!a.present() || !b.present()) return a.present() == b.present();
  return EqualNodes(*Of(a.value_), *Of(b.value_));
}

}  // namespace tpu_admission::k8s
