// A cluster that kubectl would see: the objects are set by hand. The in-memory twin of
// cluster::KubectlProgram, for the calls that we make of it.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tpu_admission/base/text.h"
#include "tpu_admission/cluster/kubectl.h"

namespace tpu_admission::support {

class FakeCluster final : public cluster::Kubectl {
 public:
  explicit FakeCluster(nlohmann::json objects = nlohmann::json::array())
      : objects_(std::move(objects)) {}

  // Resources that the user may not list.
  void Forbid(const std::string& resource) { forbidden_.insert(resource); }
  // What every list is instead.
  void FailAllLists(const std::string& error) { failure_ = Error{error}; }
  void AnswerAllLists(const std::string& text) { answer_ = text; }
  const std::vector<std::string>& calls() const { return calls_; }

  Status Run(const std::vector<std::string>& arguments, const Take& take) override {
    std::string call;
    for (const std::string& argument : arguments) call += (call.empty() ? "" : " ") + argument;
    calls_.push_back(call);
    if (arguments.front() == "api-resources") return take(Resources());
    if (failure_) return *failure_;
    if (!answer_.empty()) return take(answer_);
    const std::string name =
        arguments.size() > 2 && arguments[2].front() != '-' ? arguments[2] : "";
    const std::string space = After(arguments, "-n");
    nlohmann::json items = nlohmann::json::array();
    std::istringstream resources(arguments.at(1));
    for (std::string resource; std::getline(resources, resource, ',');) {
      if (forbidden_.contains(resource)) return Error{"(Forbidden): cannot list " + resource};
      for (const nlohmann::json& object : objects_) {
        const nlohmann::json& metadata = object["metadata"];
        if (!Is(object, resource)) continue;
        if (!space.empty() && metadata.value("namespace", space) != space) continue;
        if (name.empty() || metadata["name"] == name) items.push_back(object);
      }
    }
    if (name.empty()) {
      return take(nlohmann::json{{"apiVersion", "v1"}, {"items", items}, {"kind", "List"}}.dump(4));
    }
    if (!items.empty()) return take(items.front().dump());
    return Error{"Error from server (NotFound): \"" + name + "\" not found",
                 std::errc::no_such_file_or_directory};
  }

 private:
  // "job", "jobs" or "jobs.batch"
  static bool Is(const nlohmann::json& object, const std::string& resource) {
    const std::string full = ResourceOf(object);
    const std::string kind = LowerCase(object["kind"].get<std::string>());
    return resource == full || resource == kind || resource == full.substr(0, full.find('.'));
  }
  static std::string ResourceOf(const nlohmann::json& object) {
    std::string name = LowerCase(object["kind"].get<std::string>());
    name += name.back() == 's' ? "es" : "s";
    const std::string version = object["apiVersion"];
    const std::size_t slash = version.find('/');
    return slash == version.npos ? name : name + "." + version.substr(0, slash);
  }
  std::string Resources() const {
    std::set<std::string> names = forbidden_;
    for (const nlohmann::json& object : objects_) names.insert(ResourceOf(object));
    std::string lines;
    for (const std::string& name : names) lines += name + "\n";
    return lines;
  }
  static std::string After(const std::vector<std::string>& arguments, const std::string& flag) {
    const auto at = std::find(arguments.begin(), arguments.end(), flag);
    return at == arguments.end() || at + 1 == arguments.end() ? "" : *(at + 1);
  }

  nlohmann::json objects_;
  std::set<std::string> forbidden_;
  std::optional<Error> failure_;
  std::string answer_;
  std::vector<std::string> calls_;
};

}  // namespace tpu_admission::support
