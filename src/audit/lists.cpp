#include "audit/lists.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "tpu_admission/base/json_tree.h"
#include "tpu_admission/cluster/object_splitter.h"
#include "tpu_admission/kube/json_bounds.h"

namespace tpu_admission::audit {
namespace {

using Json = nlohmann::json;

constexpr int kPage = 500;
constexpr int kMostPages = 20'000;

// What the API server says of itself, which is never much.
Result<Json> ReadJson(kube::Collections& api, const std::string& path, std::string_view kind) {
  const kube::Answer answer = api.Read(path);
  if (!answer.ok()) {
    const bool absent = answer.outcome == kube::Outcome::kNotFound;
    return Error{answer.error, absent ? std::errc::no_such_file_or_directory : std::errc{}};
  }
  if (const Status bounds = kube::WithinBounds(answer.body); !bounds) {
    return Error{"GET " + path + ": " + bounds.error().message};
  }
  Json json = kube::ParseJson<Json>(answer.body);
  // Whoever takes another answer for an empty one would delete the reports of all.
  if (TextAt(json, "/kind") != kind) {
    return Error{"GET " + path + ": the answer is no " + std::string(kind)};
  }
  return json;
}

std::string PathOf(std::string_view group, std::string_view version) {
  if (group.empty()) return std::string("/api/").append(version);
  return std::string("/apis/").append(group).append("/").append(version);
}

// By its envelope, whatever its kind calls its lists. A page of a proxy and a Status are none.
bool IsList(const Json& envelope) {
  const auto items = envelope.is_object() ? envelope.find("items") : envelope.end();
  const std::string kind = TextAt(envelope, "/kind");
  return !kind.empty() && kind != "Status" && At(envelope, "/metadata").is_object() &&
         items != envelope.end() && (items->is_array() || items->is_null());
}

bool CanBeListed(const Json& resource) {
  const Json& verbs = At(resource, "/verbs");
  return verbs.is_array() && std::find(verbs.begin(), verbs.end(), "list") != verbs.end();
}

}  // namespace

Status Discovery::Read() {
  versions_ = {{"", {"v1"}}};
  TPU_ADMISSION_TRY(const Json list, ReadJson(api_, "/apis", "APIGroupList"));
  for (const Json& group : At(list, "/groups")) {
    // What could not stand in a path as it is, is no name.
    const std::string group_name = TextAt(group, "/name");
    if (!kube::IsObjectName(group_name)) continue;
    std::vector<std::string>& versions = versions_[group_name];
    const std::string preferred = TextAt(group, "/preferredVersion/version");
    if (kube::IsObjectName(preferred)) versions.push_back(preferred);
    for (const Json& version : At(group, "/versions")) {
      const std::string name = TextAt(version, "/version");
      if (name != preferred && kube::IsObjectName(name)) versions.push_back(name);
    }
  }
  return OkStatus();
}

Result<Discovery::Resources> Discovery::Of(const std::string& path) {
  const auto known = resources_.find(path);
  if (known != resources_.end()) return known->second;
  TPU_ADMISSION_TRY(const Json list, ReadJson(api_, path, "APIResourceList"));
  Resources resources;
  for (const Json& resource : At(list, "/resources")) {
    if (CanBeListed(resource)) resources.insert(TextAt(resource, "/name"));
  }
  resources_[path] = resources;
  return resources;
}

Result<Collection> Discovery::Find(const workload::Kind& kind) {
  const auto versions = versions_.find(std::string(kind.group));
  if (versions == versions_.end()) return Collection{};
  for (const std::string& version : versions->second) {
    const std::string path = PathOf(kind.group, version);
    TPU_ADMISSION_TRY(const Resources resources, Of(path));
    if (!resources.contains(std::string(kind.resource))) continue;
    const std::string prefix = kind.group.empty() ? "" : std::string(kind.group) + "/";
    return Collection{path + "/" + std::string(kind.resource), prefix + version,
                      std::string(kind.name)};
  }
  return Collection{};
}

Result<bool> Discovery::Has(const std::string& group, const std::string& version,
                            const std::string& resource) {
  const auto versions = versions_.find(group);
  if (versions == versions_.end()) return false;
  const auto& all = versions->second;
  if (std::find(all.begin(), all.end(), version) == all.end()) return false;
  TPU_ADMISSION_TRY(const Resources resources, Of(PathOf(group, version)));
  return resources.contains(resource);
}

Status ForEachObject(kube::Collections& api, const Collection& collection,
                     const std::string& label_selector,
                     const std::function<void(std::string_view)>& each) {
  const std::string head =
      R"({"apiVersion":")" + collection.api_version + R"(","kind":")" + collection.kind + R"(",)";
  std::string named;
  const auto take = [&](std::string_view object) -> Status {
    named = head;
    named += object.substr(1);  // what the object says itself comes later, and so counts
    each(named);
    return OkStatus();
  };
  int limit = kPage;
  std::string next;
  for (int page = 0; page < kMostPages; ++page) {
    std::string target = collection.path + "?limit=" + std::to_string(limit);
    if (!label_selector.empty()) target += "&labelSelector=" + kube::Escaped(label_selector);
    if (!next.empty()) target += "&continue=" + kube::Escaped(next);
    const kube::Answer answer = api.Read(target);
    if (answer.outcome == kube::Outcome::kTooLarge && limit > 1) {
      limit /= 2;
      continue;
    }
    if (!answer.ok()) return Error{answer.error};
    const Json envelope = kube::ParseJson<Json>(Envelope(answer.body));
    // Whoever takes a part for the whole would delete the reports of the rest.
    if (!IsList(envelope)) {
      return Error{"GET " + collection.path + ": the answer is no list"};
    }
    const bool is_empty = envelope["items"].is_null();
    cluster::ObjectSplitter splitter(take);
    Status status = is_empty ? OkStatus() : splitter.Feed(answer.body);
    if (status) status = splitter.Finish();
    if (!status) return Error{"GET " + collection.path + ": " + status.error().message};
    const std::string from = std::exchange(next, TextAt(envelope, "/metadata/continue"));
    if (next.empty()) return OkStatus();
    if (next == from) break;
  }
  return Error{"GET " + collection.path + ": the list goes in circles"};
}

std::string Envelope(std::string_view list) {
  std::string envelope;
  int arrays = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const char c = list[i];
    const bool escape = in_string && c == '\\' && i + 1 < list.size();
    if (!in_string && c == ']') --arrays;
    if (arrays == 0) envelope.append(list.substr(i, escape ? 2 : 1));
    if (escape) {
      ++i;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && c == '[') {
      ++arrays;
    }
  }
  return envelope;
}

}  // namespace tpu_admission::audit
