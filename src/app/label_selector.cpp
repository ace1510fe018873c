#include "app/label_selector.h"

#include <algorithm>

namespace tpu_admission::app {
namespace {

using nlohmann::json;

// Throws json::exception if the expression is none.
bool Holds(const json& expression, const json& labels) {
  const std::string key = expression.at("key");
  const std::string wanted = expression.at("operator");
  const bool there = labels.contains(key);
  if (wanted == "Exists") return there;
  if (wanted == "DoesNotExist") return !there;
  const json& values = expression.at("values");
  const bool among = there && std::find(values.begin(), values.end(), labels[key]) != values.end();
  return wanted == "In" ? among : !among;  // NotIn holds where the label is missing
}

}  // namespace

Result<bool> Selects(const std::string& selector, const json& labels) {
  if (selector.empty()) return true;
  try {
    const json parsed = json::parse(selector);
    const json all_labels = parsed.value("matchLabels", json::object());
    const json expressions = parsed.value("matchExpressions", json::array());
    return std::all_of(all_labels.items().begin(), all_labels.items().end(),
                       [&](const auto& wanted) {
                         return labels.contains(wanted.key()) &&
                                labels[wanted.key()] == wanted.value();
                       }) &&
           std::all_of(expressions.begin(), expressions.end(),
                       [&](const json& expression) { return Holds(expression, labels); });
  } catch (const json::exception& error) {
    return Error{std::string("--namespace-selector is no LabelSelector: ") + error.what()};
  }
}

}  // namespace tpu_admission::app
