#include "support/memory_api.h"

#include <utility>

namespace tpu_admission::support {

using kube::Answer;
using kube::ObjectPath;
using kube::Outcome;

Answer MemoryApi::Answered(Outcome outcome, unsigned status, const std::string& text) const {
  Answer answer;
  answer.outcome = outcome;
  answer.status = status;
  (outcome == Outcome::kOk ? answer.body : answer.error) = text;
  if (clock_ != nullptr && status != 0) answer.server_time = clock_->Now();
  return answer;
}

std::optional<Answer> MemoryApi::Failure(const std::string& verb, const ObjectPath& path) {
  const std::string call = verb + " " + path.text;
  calls_.insert(call);
  const Outcome outcome = fail ? fail(verb, path) : Outcome::kOk;
  if (outcome != Outcome::kOk) {
    return Answered(outcome, outcome == Outcome::kUnreachable ? 0 : 403, call + ": failed");
  }
  if (!objects_.contains(path.text)) return Answered(Outcome::kNotFound, 404, call + ": not found");
  return std::nullopt;
}

Answer MemoryApi::Get(const ObjectPath& path) {
  if (auto failure = Failure("GET", path)) return *failure;
  return Answered(Outcome::kOk, 200, Text(path));
}

const std::string& MemoryApi::Text(const ObjectPath& path) {
  std::string& text = texts_[path.text];
  if (text.empty()) text = objects_.at(path.text).dump();
  return text;
}

Answer MemoryApi::Patch(const ObjectPath& path, kube::PatchKind kind, const std::string& patch) {
  if (auto failure = Failure("PATCH", path)) return *failure;
  if (before_write) before_write(path);
  const Json& now = objects_.at(path.text);
  Json next = now;
  try {
    if (kind == kube::PatchKind::kMerge) {
      next.merge_patch(Json::parse(patch));
    } else {
      next = next.patch(Json::parse(patch));
    }
  } catch (const Json::exception& error) {
    return Answered(Outcome::kRefused, 422, error.what());
  }
  if (next["metadata"]["resourceVersion"] != now["metadata"]["resourceVersion"]) {
    return Answered(Outcome::kConflict, 409, "the object has been modified");
  }
  Put(path, std::move(next));
  ++writes_;
  if (after_write) after_write(path);
  if (std::exchange(lose_next_answer, false)) return Answered(Outcome::kUnreachable, 0, "lost");
  return Answered(Outcome::kOk, 200, Text(path));
}

void MemoryApi::Put(const ObjectPath& path, Json object) {
  if (!path.kind.empty()) object["kind"] = path.kind;
  object["metadata"]["name"] = path.name();
  object["metadata"]["resourceVersion"] = std::to_string(++version_);
  objects_[path.text] = std::move(object);
  texts_.erase(path.text);
}

void MemoryApi::Change(const ObjectPath& path, const std::function<void(Json&)>& change) {
  Json object = objects_.at(path.text);
  change(object);
  Put(path, std::move(object));
}

}  // namespace tpu_admission::support
