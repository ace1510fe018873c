// An API server in memory: the twin of kube::Client. Optimistic locking, merge patches and JSON
// patches work as in the real one; tests/e2e holds both against the same controller.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tpu_admission/kube/api.h"

namespace tpu_admission::support {

class MemoryApi final : public kube::Api {
 public:
  using Json = nlohmann::json;

  // Answers carry the time of `clock`, if there is one.
  explicit MemoryApi(const Clock* clock = nullptr) : clock_(clock) {}

  kube::Answer Get(const kube::ObjectPath& path) override;
  kube::Answer Patch(const kube::ObjectPath& path, kube::PatchKind kind,
                     const std::string& patch) override;

  // What other people do; every change gives the object another resourceVersion.
  void Put(const kube::ObjectPath& path, Json object);
  void Change(const kube::ObjectPath& path, const std::function<void(Json&)>& change);
  void Remove(const kube::ObjectPath& path) { objects_.erase(path.text); }
  bool Has(const kube::ObjectPath& path) const { return objects_.contains(path.text); }
  const Json& object(const kube::ObjectPath& path) const { return objects_.at(path.text); }

  // Fails every call so, if set: down, forbidden and the like.
  std::function<kube::Outcome(const std::string& verb, const kube::ObjectPath&)> fail;
  // Before and after a write that is carried out; may change objects or throw.
  std::function<void(const kube::ObjectPath&)> before_write;
  std::function<void(const kube::ObjectPath&)> after_write;
  // The next write is carried out, but its answer is lost.
  bool lose_next_answer = false;

  int writes() const { return writes_; }
  const std::set<std::string>& calls() const { return calls_; }  // "GET /path"

 private:
  const std::string& Text(const kube::ObjectPath& path);
  kube::Answer Answered(kube::Outcome outcome, unsigned status, const std::string& text) const;
  std::optional<kube::Answer> Failure(const std::string& verb, const kube::ObjectPath& path);

  const Clock* const clock_;
  std::map<std::string, Json> objects_;
  std::map<std::string, std::string> texts_;  // of objects_, made when they are asked for
  std::set<std::string> calls_;
  int version_ = 100;
  int writes_ = 0;
};

}  // namespace tpu_admission::support
