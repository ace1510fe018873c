// An API server of one page a request: collections of objects, discovery, and reports that are
// applied and deleted.
#pragma once

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tpu_admission/kube/collections.h"

namespace tpu_admission::support {

class FakeServer final : public kube::Collections {
 public:
  using Json = nlohmann::json;

  // "batch/v1", "jobs"; "v1", "pods".
  void Serve(const std::string& api_version, const std::string& resource) {
    served_[api_version].insert(resource);
  }
  void ServeReports(const std::string& api_version, const std::string& resource) {
    Serve(api_version, resource);
    Serve(api_version, "cluster" + resource);
  }
  // Lists leave out what the objects are, as those of built-in kinds do.
  void Put(const std::string& list, Json object) {
    object.erase("kind");
    object.erase("apiVersion");
    lists_[list].push_back(std::move(object));
  }
  void Clear(const std::string& list) { lists_[list].clear(); }

  kube::Answer Read(const std::string& target) override {
    reads_.push_back(target);
    const std::string path = target.substr(0, target.find('?'));
    if (failing.contains(path)) return Failed(kube::Outcome::kRefused, "GET " + path + ": no");
    if (path == "/apis") return Ok(Groups());
    if (const auto version = VersionAt(path); !version.empty()) return Ok(Resources(version));
    if (too_large > 0 && Number(target, "limit=") > too_large) {
      return Failed(kube::Outcome::kTooLarge, "too large");
    }
    return Ok(Page(path, target));
  }

  kube::Answer Apply(const std::string& path, const std::string& object) override {
    if (!refusal.empty()) return Failed(kube::Outcome::kRefused, refusal);
    ++writes;
    reports[path] = Json::parse(object);
    return Ok({});
  }

  kube::Answer Delete(const std::string& path) override {
    deletions.push_back(path);
    return reports.erase(path) > 0 ? Ok({}) : Failed(kube::Outcome::kNotFound, path);
  }

  std::map<std::string, Json> reports;  // by path
  std::set<std::string> failing;        // paths
  std::string refusal;                  // of whatever is applied
  std::size_t too_large = 0;            // pages with more objects are; 0: none
  int writes = 0;
  std::vector<std::string> deletions;  // paths
  const std::vector<std::string>& reads() const { return reads_; }

 private:
  static kube::Answer Ok(const Json& body) {
    kube::Answer answer;
    answer.outcome = kube::Outcome::kOk;
    answer.body = body.dump();
    return answer;
  }
  static kube::Answer Failed(kube::Outcome outcome, const std::string& error) {
    kube::Answer answer;
    answer.outcome = outcome;
    answer.error = error;
    return answer;
  }

  static std::size_t Number(const std::string& target, const std::string& key) {
    const std::size_t at = target.find(key);
    return at == target.npos ? 0 : std::stoul(target.substr(at + key.size()));
  }

  static std::string PathOf(const std::string& api_version) {
    return (api_version.find('/') == api_version.npos ? "/api/" : "/apis/") + api_version;
  }
  std::string VersionAt(const std::string& path) const {
    for (const auto& [version, resources] : served_) {
      if (PathOf(version) == path) return version;
    }
    return "";
  }

  Json Groups() const {
    Json groups = Json::array();
    for (const auto& [version, resources] : served_) {
      const std::size_t slash = version.find('/');
      if (slash == version.npos) continue;
      groups.push_back({{"name", version.substr(0, slash)},
                        {"versions", {{{"version", version.substr(slash + 1)}}}}});
    }
    return {{"kind", "APIGroupList"}, {"groups", groups}};
  }
  Json Resources(const std::string& version) const {
    Json resources = Json::array();
    for (const std::string& name : served_.at(version)) {
      resources.push_back({{"name", name}, {"verbs", {"get", "list"}}});
      resources.push_back({{"name", name + "/status"}, {"verbs", {"get"}}});
    }
    return {{"kind", "APIResourceList"}, {"resources", resources}};
  }

  // Reports lie where they were applied; a list of them is of all namespaces.
  std::vector<Json> All(const std::string& path) const {
    const auto list = lists_.find(path);
    if (list != lists_.end()) return list->second;
    std::vector<Json> all;
    const std::size_t slash = path.rfind('/');
    for (const auto& [at, report] : reports) {
      const bool here =
          at.starts_with(path.substr(0, slash)) && at.find(path.substr(slash) + "/") != at.npos;
      if (here) all.push_back(report);
    }
    return all;
  }

  Json Page(const std::string& path, const std::string& target) const {
    const std::vector<Json> all = All(path);
    const std::size_t begin = Number(target, "continue=");
    const std::size_t end = std::min(all.size(), begin + Number(target, "limit="));
    Json items = Json::array();
    for (std::size_t i = begin; i < end; ++i) items.push_back(all[i]);
    Json page = {{"kind", "List"}, {"items", items}, {"metadata", {{"resourceVersion", "7"}}}};
    if (end < all.size()) page["metadata"]["continue"] = std::to_string(end);
    return page;
  }

  std::map<std::string, std::set<std::string>> served_;
  std::map<std::string, std::vector<Json>> lists_;
  std::vector<std::string> reads_;
};

}  // namespace tpu_admission::support
