#include "tpu_admission/k8s/json_edit.h"

#include <algorithm>
#include <vector>

#include "k8s/json_node.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/json_string.h"

namespace tpu_admission::k8s {
namespace {

using Kind = JsonNode::Kind;

JsonNode String(std::string_view text, Arena& arena) {
  JsonNode node;
  const std::string_view copy = arena.Text(text);
  node.text = copy.data();
  node.size = static_cast<std::uint32_t>(copy.size());
  node.kind = Kind::kString;
  return node;
}

JsonNode Scalar(const JsonScalar& value, Arena& arena) {
  if (const auto* text = std::get_if<std::string>(&value)) return String(*text, arena);
  JsonNode node;
  node.integer = std::get<std::int64_t>(value);
  node.kind = Kind::kInteger;
  return node;
}

std::span<JsonNode> CopyChildren(const JsonNode& node, std::size_t more, Arena& arena) {
  const std::size_t count = node.kind == Kind::kObject ? 2 * std::size_t{node.size} : node.size;
  const std::span<JsonNode> children = arena.Array<JsonNode>(count + more);
  std::copy_n(node.children, count, children.begin());
  return children;
}

JsonNode Set(const JsonNode& node, std::string_view pointer, const JsonEdit& edit, Arena& arena);

JsonNode SetMember(const JsonNode& node, const std::string& key, std::string_view rest,
                   const JsonEdit& edit, Arena& arena) {
  std::uint32_t place = node.size;
  for (std::uint32_t i = node.size; i-- > 0 && place == node.size;) {
    if (node.children[2 * i].string() == key) place = i;
  }
  const bool is_new = place == node.size;
  if (is_new && !edit.value) return node;
  JsonNode changed = node;
  std::span<JsonNode> children = CopyChildren(node, is_new ? 2 : 0, arena);
  changed.children = children.data();
  if (rest.empty() && !edit.value) {
    std::copy(children.begin() + 2 * place + 2, children.end(), children.begin() + 2 * place);
    --changed.size;
    return changed;
  }
  if (is_new) {
    children[2 * place] = String(key, arena);
    children[2 * place + 1] = JsonNode();
    ++changed.size;
  }
  children[2 * place + 1] = Set(children[2 * place + 1], rest, edit, arena);
  return changed;
}

JsonNode Set(const JsonNode& node, std::string_view pointer, const JsonEdit& edit, Arena& arena) {
  if (pointer.empty()) return edit.value ? Scalar(*edit.value, arena) : node;
  const std::string token = TakePointerToken(pointer);
  if (node.kind == Kind::kArray) {
    const std::optional<std::size_t> index = PointerIndex(token);
    if (!index || *index >= node.size) return node;
    JsonNode changed = node;
    std::span<JsonNode> children = CopyChildren(node, 0, arena);
    children[*index] = Set(children[*index], pointer, edit, arena);
    changed.children = children.data();
    return changed;
  }
  if (node.kind == Kind::kObject) return SetMember(node, token, pointer, edit, arena);
  if (node.kind != Kind::kNull) return node;
  JsonNode empty;
  empty.children = nullptr;
  empty.kind = Kind::kObject;
  return SetMember(empty, token, pointer, edit, arena);
}

void AppendOperation(std::string& patch, std::string_view op, std::string_view path,
                     std::string_view value) {
  patch += patch.empty() ? "[" : ",";
  patch.append(R"({"op":")").append(op).append(R"(","path":)");
  AppendJsonString(patch, path);
  if (!value.empty()) patch.append(R"(,"value":)").append(value);
  patch += '}';
}

}  // namespace

JsonView At(JsonView root, std::string_view pointer) {
  while (!pointer.empty() && root.present()) {
    const std::string token = TakePointerToken(pointer);
    if (root.is_array()) {
      const std::optional<std::size_t> index = PointerIndex(token);
      root = index ? root.Element(*index) : JsonView();
    } else {
      root = root[token];
    }
  }
  return root;
}

JsonView Edited(JsonView root, std::span<const JsonEdit> edits, Arena& arena) {
  if (!root.present()) return root;
  for (const JsonEdit& edit : edits) {
    const std::span<JsonNode> node = arena.Array<JsonNode>(1);
    node[0] = Set(*static_cast<const JsonNode*>(root.value_), edit.pointer, edit, arena);
    root = JsonView(node.data());
  }
  return root;
}

std::string AsJson(const JsonScalar& scalar) {
  if (const auto* number = std::get_if<std::int64_t>(&scalar)) return std::to_string(*number);
  std::string text;
  AppendJsonString(text, std::get<std::string>(scalar));
  return text;
}

std::string AsChanges(JsonView root, std::span<const JsonEdit> edits) {
  std::string list = "[";
  for (const JsonEdit& edit : edits) {
    if (list.size() > 1) list += ',';
    list += R"({"pointer":)";
    AppendJsonString(list, edit.pointer);
    const JsonView old = At(root, edit.pointer);
    if (const auto text = old.AsString()) {
      AppendJsonString(list.append(R"(,"old":)"), *text);
    } else if (const auto number = old.AsInteger()) {
      list.append(R"(,"old":)").append(std::to_string(*number));
    }
    if (edit.value) list.append(R"(,"new":)").append(AsJson(*edit.value));
    list += '}';
  }
  return list + "]";
}

std::string AsPatch(JsonView root, std::span<const JsonEdit> edits) {
  std::string patch;
  std::vector<std::string> made;  // maps that earlier operations added
  for (const JsonEdit& edit : edits) {
    const bool there = At(root, edit.pointer).present();
    if (!edit.value) {
      if (there) AppendOperation(patch, "remove", edit.pointer, "");
      continue;
    }
    for (std::size_t slash = edit.pointer.find('/', 1); slash != std::string::npos;
         slash = edit.pointer.find('/', slash + 1)) {
      std::string parent = edit.pointer.substr(0, slash);
      if (At(root, parent).has_value() || std::find(made.begin(), made.end(), parent) != made.end())
        continue;
      AppendOperation(patch, "add", parent, "{}");
      made.push_back(std::move(parent));
    }
    AppendOperation(patch, there ? "replace" : "add", edit.pointer, AsJson(*edit.value));
  }
  return patch.empty() ? "[]" : patch + "]";
}

}  // namespace tpu_admission::k8s
