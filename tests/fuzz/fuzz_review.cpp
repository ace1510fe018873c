// Any bytes at both endpoints: the answer is a review or a refusal, /mutate never denies, and a
// patch applies, takes nothing of the user's away, keeps the pod valid and leaves nothing to patch.
// What one review takes in memory and allocations is within the bounds of hostile_shapes_test.cpp.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "fuzz/heap.h"
#include "fuzz/require.h"
#include "tpu_admission/admission/handler.h"
#include "tpu_admission/base/base64.h"
#include "tpu_admission/k8s/quantity.h"

namespace tpu_admission::admission {
namespace {

using k8s::Quantity;
using nlohmann::json;

constexpr std::size_t kMostBytes = 16u << 20;
constexpr std::size_t kMostAllocations = 400'000;

// As it is installed, or with every fix that there is.
enum class Setup { kDefault, kEveryFix };

std::shared_ptr<const Settings> Load(Setup setup) {
  const auto catalog = tpu::Catalog::Load(tpu::BuiltInCatalogText(), "built-in").value();
  std::string policy;
  if (setup == Setup::kEveryFix) {
    policy = "fixes:\n";
    for (const rules::Rule* const rule : rules::AllRules()) {
      if (rule->fix != nullptr) policy.append("  ").append(rule->id).append(": true\n");
    }
  }
  return std::make_shared<const Settings>(Settings{
      rules::Engine(
          catalog,
          {.region = "us-east5", .platform = rules::Platform::kStandard, .gke_version = ""}),
      Policy::Load(policy, "fuzz").value(), ""});
}

Handler& TheHandler(Setup setup) {
  static const SnapshotCell<Settings> settings(Load(Setup::kDefault));
  static const SnapshotCell<Settings> all_settings(Load(Setup::kEveryFix));
  static Handler handler(settings), all_handler(all_settings);
  return setup == Setup::kDefault ? handler : all_handler;
}

json Response(Endpoint endpoint, std::string_view body, Setup setup = Setup::kDefault) {
  std::string out;
  Handler& handler = TheHandler(setup);
  const fuzz::HeapUse use;
  const Record record = handler.Handle(endpoint, body, Day(), out);
  REQUIRE(use.peak() < body.size() + kMostBytes);
  REQUIRE(use.allocations() < kMostAllocations);
  REQUIRE(out.size() < 200'000);
  if (record.outcome == Outcome::kInvalid) return json();
  const json response = json::parse(out).at("response");
  REQUIRE(response.at("uid") == record.request.uid);
  const json warnings = response.value("warnings", json::array());
  for (const json& warning : warnings) REQUIRE(warning.get<std::string>().size() <= kWarningBytes);
  return response;
}

// The review as nlohmann reads it. What has duplicate keys or numbers that no double holds, which
// no object of an API server has, is nothing.
json Parsed(std::string_view body) try {
  bool duplicates = false;
  std::vector<std::set<std::string>> keys;
  json review = json::parse(body, [&](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key) {
      duplicates = duplicates || !keys.back().insert(parsed.get<std::string>()).second;
    }
    return true;
  });
  return duplicates ? json() : review;
} catch (const json::out_of_range&) {
  return {};
}

// Everything of `before` is in `after`, where it was. The default dnsPolicy means nothing beside
// hostNetwork, an empty name is none, and GKE's own localhost gives way where a policy says so.
void RequireAllKept(const json& before, const json& after) {
  if (before.is_object() && before.value("value", json()) == "localhost") return;
  if (before.is_null() || before == after || before == "" || before == "ClusterFirst") return;
  REQUIRE(before.type() == after.type() && before.is_structured() && after.size() >= before.size());
  if (before.is_object()) {
    for (const auto& [key, value] : before.items()) RequireAllKept(value, after.at(key));
  } else {
    for (std::size_t i = 0; i < before.size(); ++i) RequireAllKept(before[i], after[i]);
  }
}

std::size_t DoubledVariables(const json& container) {
  if (!container.contains("env") || !container["env"].is_array()) return 0;
  std::multiset<json> names;
  for (const json& variable : container["env"]) {
    if (variable.is_object()) names.insert(variable.value("name", json()));
  }
  return names.size() - std::set<json>(names.begin(), names.end()).size();
}

// Requests above their limits.
std::size_t Excesses(const json& container) {
  const json resources = container.value("resources", json());
  if (!resources.is_object()) return 0;
  const json requests = resources.value("requests", json());
  const json limits = resources.value("limits", json());
  if (!requests.is_object() || !limits.is_object()) return 0;
  std::size_t excesses = 0;
  for (const auto& [name, request] : requests.items()) {
    if (!limits.contains(name)) continue;
    const auto amount = [](const json& value) {
      return Quantity::Parse(value.is_string() ? value.get<std::string>() : value.dump());
    };
    const auto asked = amount(request);
    const auto limit = amount(limits[name]);
    if (asked && limit && *limit < *asked) ++excesses;
  }
  return excesses;
}

void RequireNoLessValid(const json& before, const json& after) {
  for (const char* const list : {"containers", "initContainers"}) {
    const json& old_list = before.at("spec").value(list, json());
    const json& new_list = after.at("spec").value(list, json());
    REQUIRE(old_list.size() == new_list.size());
    if (!old_list.is_array()) continue;
    for (std::size_t i = 0; i < old_list.size(); ++i) {
      if (!old_list[i].is_object()) continue;
      REQUIRE(DoubledVariables(new_list[i]) <= DoubledVariables(old_list[i]));
      REQUIRE(Excesses(new_list[i]) <= Excesses(old_list[i]));
    }
  }
}

void CheckPatch(std::string_view body, const json& response, Setup setup) {
  REQUIRE(response.at("patchType") == "JSONPatch");
  const json patch = json::parse(DecodeBase64(response.at("patch").get<std::string>()).value());
  json review = Parsed(body);
  if (review.is_null()) return;
  json& object = review["request"]["object"];
  const json before = object;
  object = object.patch(patch);  // throws: a crash
  RequireAllKept(before, object);
  RequireNoLessValid(before, object);
  REQUIRE(!Response(Endpoint::kMutate, review.dump(), setup).contains("patch"));
}

}  // namespace
}  // namespace tpu_admission::admission

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace ta = tpu_admission::admission;
  const std::string_view body = tpu_admission::fuzz::Text(data, size);
  const nlohmann::json validated = ta::Response(ta::Endpoint::kValidate, body);
  if (validated.is_object()) REQUIRE(!validated.contains("patch"));
  for (const ta::Setup setup : {ta::Setup::kDefault, ta::Setup::kEveryFix}) {
    const nlohmann::json mutated = ta::Response(ta::Endpoint::kMutate, body, setup);
    // /mutate looks at less, and refuses nothing that /validate takes.
    REQUIRE(!mutated.is_null() || validated.is_null());
    if (!mutated.is_object()) continue;
    REQUIRE(mutated.at("allowed") == true);
    if (mutated.contains("patch")) ta::CheckPatch(body, mutated, setup);
  }
  return 0;
}
