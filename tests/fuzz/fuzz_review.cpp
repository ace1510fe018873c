// Any bytes at both endpoints: the answer is a review or a refusal, /mutate never denies, and a
// patch applies and leaves nothing to patch.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/admission/handler.h"

namespace tpu_admission::admission {
namespace {

using nlohmann::json;

void Require(bool condition) {
  if (!condition) std::abort();
}

std::string FromBase64(std::string_view text) {
  static constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(kAlphabet.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFF);
  }
  return bytes;
}

std::shared_ptr<const Settings> Load() {
  const auto catalog = tpu::Catalog::Load(tpu::BuiltInCatalogText(), "built-in").value();
  return std::make_shared<const Settings>(Settings{
      rules::Engine(
          catalog,
          {.region = "us-east5", .platform = rules::Platform::kStandard, .gke_version = ""}),
      Policy::Load("", "default").value(), ""});
}

Handler& TheHandler() {
  static const SnapshotCell<Settings> settings(Load());
  static Handler handler(settings);
  return handler;
}

json Response(Endpoint endpoint, std::string_view body) {
  std::string out;
  const Record record = TheHandler().Handle(endpoint, body, Day(), out);
  if (record.outcome == Outcome::kInvalid) return json();
  const json response = json::parse(out).at("response");
  const json warnings = response.value("warnings", json::array());
  for (const json& warning : warnings) Require(warning.get<std::string>().size() <= kWarningBytes);
  return response;
}

// nlohmann reads what our parser read, except for duplicate keys, which no pod of an API server
// has.
void CheckPatch(std::string_view body, const json& response) {
  Require(response.at("patchType") == "JSONPatch");
  const json patch = json::parse(FromBase64(response.at("patch").get<std::string>()));
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
  if (duplicates) return;
  review["request"]["object"] = review["request"]["object"].patch(patch);  // throws: a crash
  const std::string again = review.dump();
  Require(!Response(Endpoint::kMutate, again).contains("patch"));
}

}  // namespace
}  // namespace tpu_admission::admission

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace ta = tpu_admission::admission;
  const std::string body(reinterpret_cast<const char*>(data), size);
  const nlohmann::json validated = ta::Response(ta::Endpoint::kValidate, body);
  const nlohmann::json mutated = ta::Response(ta::Endpoint::kMutate, body);
  if (validated.is_object()) ta::Require(!validated.contains("patch"));
  if (mutated.is_object()) ta::Require(mutated.at("allowed") == true);
  if (mutated.is_object() && mutated.contains("patch")) ta::CheckPatch(body, mutated);
  return 0;
}
