// The nodes of a cluster as an API server lists and watches them: pages, events since a version,
// versions that are forgotten. The in-memory twin of kube::Client's lists and watches.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/fake_clock.h"
#include "tpu_admission/kube/watch_api.h"

namespace tpu_admission::support {

class FakeNodes final : public kube::WatchApi {
 public:
  using Json = nlohmann::json;

  // A watch takes its length by this clock.
  explicit FakeNodes(FakeClock& clock) : clock_(clock) {}

  void Add(const std::string& name, const std::string& pool, const std::string& accelerator,
           const std::string& topology, const std::string& chips = "4") {
    const bool is_new = !nodes_.contains(name);
    nodes_[name] = {{"metadata",
                     {{"name", name},
                      {"resourceVersion", std::to_string(++version_)},
                      {"annotations", {{"long", "text"}}},
                      {"labels",
                       {{"cloud.google.com/gke-nodepool", pool},
                        {"cloud.google.com/gke-tpu-accelerator", accelerator},
                        {"cloud.google.com/gke-tpu-topology", topology},
                        {"cloud.google.com/gke-accelerator-count", chips}}}}}};
    events_.push_back(
        {version_, {{"type", is_new ? "ADDED" : "MODIFIED"}, {"object", nodes_[name]}}});
  }
  void Remove(const std::string& name) {
    Json object = nodes_.at(name);
    nodes_.erase(name);
    object["metadata"]["resourceVersion"] = std::to_string(++version_);
    events_.push_back({version_, {{"type", "DELETED"}, {"object", object}}});
  }
  // Events until now cannot be watched any more.
  void Compact() {
    ++version_;
    compacted_ = version_;
  }

  // What every call is answered instead, if set: nullopt lets it through.
  std::function<std::optional<kube::Answer>()> fail;
  // Instead of the next events.
  std::vector<std::string> strange_events;
  // The watch breaks off after its events.
  bool breaks = false;
  // A watch lasts as long as it was asked to; else it ends at once.
  bool lasts = true;

  // Each page is empty, and names another.
  bool circles = false;

  // Larger pages are too large for the client.
  int most_in_page = 500;

  int lists = 0, pages = 0, watches = 0;
  std::string selector;

  kube::Answer List(const kube::ListQuery& query) override {
    ++pages;
    if (query.continue_token.empty()) ++lists;
    selector = query.label_selector;
    if (fail) {
      if (auto answer = fail()) return *answer;
    }
    if (circles) return Ok(R"({"metadata":{"resourceVersion":"1","continue":"n1"},"items":[]})");
    if (query.limit > most_in_page) return Failed(kube::Outcome::kTooLarge, 0);
    Json items = Json::array();
    auto node =
        query.continue_token.empty() ? nodes_.begin() : nodes_.lower_bound(query.continue_token);
    for (int i = 0; i < query.limit && node != nodes_.end(); ++i) items.push_back((node++)->second);
    if (items.empty()) items = nullptr;  // as Go writes it
    Json metadata = {{"resourceVersion", std::to_string(version_)}};
    if (node != nodes_.end()) metadata["continue"] = node->first;
    return Ok(Json{{"metadata", metadata}, {"items", items}}.dump());
  }

  kube::Answer Watch(const kube::WatchQuery& query, const Take& take) override {
    ++watches;
    if (fail) {
      if (auto answer = fail()) return *answer;
    }
    for (const std::string& event : std::exchange(strange_events, {})) {
      if (!take(event)) return Ok("");
    }
    const int since = std::stoi(query.resource_version);
    if (since < compacted_) {
      take(R"({"type":"ERROR","object":{"kind":"Status","code":410,"message":"too old"}})");
      return Ok("");
    }
    for (const auto& [version, event] : events_) {
      if (version > since && !take(event.dump())) return Ok("");
    }
    if (breaks) return Failed(kube::Outcome::kUnreachable, 0);
    if (lasts) clock_.Advance(query.length);
    return Ok("");
  }

  static kube::Answer Failed(kube::Outcome outcome, unsigned status) {
    kube::Answer answer;
    answer.outcome = outcome;
    answer.status = status;
    answer.error = "nodes: failed";
    return answer;
  }

 private:
  static kube::Answer Ok(std::string body) {
    kube::Answer answer;
    answer.outcome = kube::Outcome::kOk;
    answer.status = 200;
    answer.body = std::move(body);
    return answer;
  }

  FakeClock& clock_;
  std::map<std::string, Json> nodes_;
  std::vector<std::pair<int, Json>> events_;
  int version_ = 10;
  int compacted_ = 0;
};

}  // namespace tpu_admission::support
