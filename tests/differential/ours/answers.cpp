// What we make of an input, for tests that hold it against Go's answer. Reads questions
//
//   KIND LENGTH\n BYTES
//
// from stdin until its end, and answers each with a line: "-" for what is refused.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "support/asker.h"
#include "support/yaml_json.h"
#include "tpu_admission/k8s/json.h"
#include "tpu_admission/k8s/quantity.h"
#include "unit/admission/random_pod.h"

namespace tpu_admission {
namespace {

using nlohmann::json;

// The value as a line of JSON that cannot be misread: keys in order, the last of duplicates.
json TreeOf(k8s::JsonView view) {
  if (view.is_object()) {
    json object = json::object();
    for (std::size_t i = 0; i < view.size(); ++i) {
      object[std::string(view.MemberKey(i))] = TreeOf(view[view.MemberKey(i)]);
    }
    return object;
  }
  if (view.is_array()) {
    json list = json::array();
    for (std::size_t i = 0; i < view.size(); ++i) list.push_back(TreeOf(view.Element(i)));
    return list;
  }
  if (const auto text = view.AsString()) return std::string(*text);
  if (const auto integer = view.AsInteger()) return *integer;
  if (const auto number = view.AsDouble()) return *number;
  if (view.is_null()) return nullptr;
  return view.IsTrue();
}

std::string OfQuantity(const std::string& text) {
  const auto quantity = k8s::Quantity::Parse(text);
  if (!quantity) return "-";
  const auto integer = quantity->AsInteger();
  return (integer ? std::to_string(*integer) : "no") + ' ' +
         std::to_string(quantity->MillisRoundedDown()) + ' ' + quantity->Text();
}

std::string OfJson(const std::string& text) {
  static k8s::JsonParser parser;
  const auto parsed = parser.Parse(text);
  return parsed ? TreeOf(*parsed).dump() : "-";
}

std::string OfYaml(const std::string& text) {
  const auto documents = ParseYaml(text);
  if (!documents) return "-" + documents.error().message;
  std::string list;
  for (const YamlJson& document : *documents) list += (list.empty() ? "[" : ",") + document.json;
  return (list.empty() ? "[" : list) + "]";
}

// An odd pod, our patch of it, and what RFC 6902 makes of both by another library.
std::string OfPatch(const std::string& seed) {
  static Asker asker;
  const json pod = RandomPod(std::stoull(seed));
  const json patch = asker.Mutate(Review(pod)).patch();
  if (patch.is_null()) return "-";
  return json{{"pod", pod}, {"patch", patch}, {"patched", pod.patch(patch)}}.dump();
}

}  // namespace
}  // namespace tpu_admission

int main() {
  const std::map<std::string, std::string (*)(const std::string&)> kinds = {
      {"quantity", tpu_admission::OfQuantity},
      {"json", tpu_admission::OfJson},
      {"yaml", tpu_admission::OfYaml},
      {"patch", tpu_admission::OfPatch}};
  std::string kind;
  std::size_t length = 0;
  while (std::cin >> kind >> length) {
    std::cin.get();
    std::string bytes(length, '\0');
    std::cin.read(bytes.data(), static_cast<std::streamsize>(length));
    std::string answer = kinds.at(kind)(bytes);
    std::replace(answer.begin(), answer.end(), '\n', ' ');
    std::cout << answer << std::endl;
  }
}
