#include "tpu_admission/k8s/yaml_tree.h"

#include <charconv>
#include <cstdint>
#include <system_error>

#include "k8s/json_node.h"

namespace tpu_admission::k8s {
namespace {

JsonNode StringNode(std::string_view text) {
  JsonNode node;
  node.kind = JsonNode::Kind::kString;
  node.text = text.data();
  node.size = static_cast<std::uint32_t>(text.size());
  return node;
}

// A whole number that fits is an integer, however it was written (1e3); all others are doubles.
JsonNode NumberNode(std::string_view json) {
  const char* const end = json.data() + json.size();
  JsonNode node;
  node.kind = JsonNode::Kind::kInteger;
  const auto whole = std::from_chars(json.data(), end, node.integer);
  if (whole.ec == std::errc() && whole.ptr == end) return node;
  double number = 0;
  std::from_chars(json.data(), end, number);
  node.kind = JsonNode::Kind::kDouble;
  node.number = number;
  return node;
}

JsonNode NodeOf(const YamlNode& yaml, Arena& arena);

JsonNode ListNode(const YamlNode& yaml, Arena& arena) {
  const std::span<JsonNode> items = arena.Array<JsonNode>(yaml.items.size());
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = NodeOf(*yaml.items[i], arena);
  JsonNode node;
  node.kind = JsonNode::Kind::kArray;
  node.children = items.data();
  node.size = static_cast<std::uint32_t>(items.size());
  return node;
}

JsonNode MapNode(const YamlNode& yaml, Arena& arena) {
  const std::span<JsonNode> members = arena.Array<JsonNode>(2 * yaml.members.size());
  for (std::size_t i = 0; i < yaml.members.size(); ++i) {
    members[2 * i] = StringNode(yaml.members[i].key);
    members[2 * i + 1] = NodeOf(*yaml.members[i].value, arena);
  }
  JsonNode node;
  node.kind = JsonNode::Kind::kObject;
  node.children = members.data();
  node.size = static_cast<std::uint32_t>(yaml.members.size());
  return node;
}

// Recursion is as deep as ReadYaml lets a document be.
JsonNode NodeOf(const YamlNode& yaml, Arena& arena) {
  JsonNode node;
  switch (yaml.kind) {
    case YamlNode::Kind::kNull:
      break;
    case YamlNode::Kind::kBool:
      node.kind = yaml.json == "true" ? JsonNode::Kind::kTrue : JsonNode::Kind::kFalse;
      break;
    case YamlNode::Kind::kInt:
    case YamlNode::Kind::kFloat:
      return NumberNode(yaml.json);
    case YamlNode::Kind::kString:
      return StringNode(yaml.text);
    case YamlNode::Kind::kList:
      return ListNode(yaml, arena);
    case YamlNode::Kind::kMap:
      return MapNode(yaml, arena);
  }
  return node;
}

}  // namespace

JsonView TreeOf(const YamlNode& node, Arena& arena) {
  const std::span<JsonNode> root = arena.Array<JsonNode>(1);
  root.front() = NodeOf(node, arena);
  return JsonView(root.data());
}

}  // namespace tpu_admission::k8s
