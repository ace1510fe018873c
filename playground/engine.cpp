// What the page calls: the language server, `explain` and `plan`, in WebAssembly. One thread. Every
// answer is text that lives until the next call.
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tpu_admission/base/yaml.h"
#include "tpu_admission/k8s/yaml_tree.h"
#include "tpu_admission/offline/lsp.h"
#include "tpu_admission/offline/mention.h"
#include "tpu_admission/offline/plan.h"
#include "tpu_admission/rules/readme.h"

namespace {

using namespace tpu_admission;  // NOLINT
using Json = nlohmann::ordered_json;

const admission::Settings& Settings() {
  static const admission::Settings settings{
      rules::Engine(tpu::Catalog::Load(tpu::BuiltInCatalogText(), "built-in catalog").value(),
                    rules::Cluster{}),
      admission::Policy::Load("", "").value(), ""};
  return settings;
}

const char* Answer(std::string text) {
  static std::string answer;
  answer = std::move(text);
  return answer.c_str();
}

Json ToJson(const offline::Way& way) {
  Json zones = Json::array();
  for (const tpu::Zone* zone : way.zones) zones.push_back(zone->name);
  return {{"accelerator", way.generation->label},
          {"topology", way.placement.topology.Text()},
          {"machine", way.placement.machine->name},
          {"hosts", way.placement.hosts},
          {"chips_per_host", way.placement.chips_per_host()},
          {"slices", way.slices},
          {"total_chips", way.total_chips()},
          {"zones", std::move(zones)}};
}

Json ErrorJson(const Error& error) { return {{"error", error.message}}; }

}  // namespace

extern "C" {

// A message of the Language Server Protocol; answers a JSON list of those to send, diagnostics too.
// The text of the page is no stranger's JSON, so the YAML reader reads it. `today`: 2026-12-31.
const char* tpu_handle(const char* message, const char* today) {
  static offline::LanguageServer server(
      std::shared_ptr<const admission::Settings>(std::shared_ptr<void>(), &Settings()),
      {.namespace_name = "", .today = ParseDay(today).value_or(Day{}), .rules = {}});
  const YamlStream stream = ReadYaml(message);
  if (stream.documents.size() != 1) {
    return Answer("[" + offline::LanguageServer::ParseError("the message is no JSON") + "]");
  }
  k8s::Arena arena;
  std::string list = "[";
  const auto add = [&](const std::vector<std::string>& messages) {
    for (const std::string& each : messages) list.append(list.size() > 1 ? "," : "").append(each);
  };
  add(server.Handle(k8s::TreeOf(*stream.documents.front().root, arena)));
  add(server.Publish());
  return Answer(list + "]");
}

// "yes" if the text speaks of TPUs, else nothing.
const char* tpu_mentions(const char* text) {
  return Answer(offline::MentionsTpus(text) ? "yes" : "");
}

// The README of a rule, or nothing.
const char* tpu_explain(const char* rule) {
  const rules::Rule* found = rules::FindRule(rule);
  return Answer(found == nullptr ? "" : std::string(rules::ReadmeOf(*found)));
}

// {"ways": [...]}; with a number of `way`, from 1, {"text": "..."}: what --emit writes for `kind`;
// or
// {"error": "..."}. What is not said is empty or 0.
const char* tpu_plan(const char* accelerator, const char* topology, int chips, int slices, int way,
                     const char* kind) {
  offline::Wish wish;
  wish.accelerator = accelerator;
  wish.topology = topology;
  wish.chips = chips;
  wish.slices = slices < 1 ? 1 : slices;
  const auto ways = offline::Plan(Settings().engine.catalog(), wish);
  if (!ways) return Answer(ErrorJson(ways.error()).dump());
  if (way > 0 && std::size_t(way) <= ways->size()) {
    const auto text = offline::Emit(kind, (*ways)[std::size_t(way) - 1], {}, {});
    return Answer((text ? Json{{"text", *text}} : ErrorJson(text.error())).dump());
  }
  Json list = Json::array();
  for (const offline::Way& each : *ways) list.push_back(ToJson(each));
  return Answer(Json{{"ways", std::move(list)}}.dump());
}
}
