#include "admission/patch.h"

#include <string_view>

#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/json_string.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::admission {
namespace {

using k8s::JsonView;

constexpr std::string_view kToleration =
    R"({"key":"google.com/tpu","operator":"Exists","effect":"NoSchedule"})";

// Collects operations. Paths are made of known names and numbers only, and need no escaping.
class Patch {
 public:
  void Add(std::string_view path, std::string_view value) { Append("add", path, value); }
  void Replace(std::string_view path, std::string_view value) { Append("replace", path, value); }
  std::string Finish() && { return text_.empty() ? text_ : std::move(text_) + "]"; }

 private:
  void Append(std::string_view operation, std::string_view path, std::string_view value) {
    if (text_.empty()) text_.reserve(kUsualBytes);
    text_ += text_.empty() ? '[' : ',';
    text_.append(R"({"op":")").append(operation).append(R"(","path":")").append(path);
    text_.append(R"(","value":)").append(value).append("}");
  }

  static constexpr std::size_t kUsualBytes = 512;
  std::string text_;
};

std::string CpuText(std::int64_t millis) { return '"' + std::to_string(millis) + "m\""; }
std::string MemoryText(std::int64_t mib) { return '"' + std::to_string(mib) + "Mi\""; }

void AddOperations(const rules::AddToleration&, JsonView pod, Patch& patch) {
  // A null list counts as none: `add` puts the new one in its place.
  if (pod["spec"]["tolerations"].is_array()) {
    patch.Add("/spec/tolerations/-", kToleration);
  } else {
    patch.Add("/spec/tolerations", '[' + std::string(kToleration) + ']');
  }
}

std::string RequestsObject(const rules::AddRequests& fix) {
  std::string object = "{";
  if (fix.cpu_millis) object += "\"cpu\":" + CpuText(*fix.cpu_millis);
  if (fix.memory_mib) {
    object += (fix.cpu_millis ? "," : "") + ("\"memory\":" + MemoryText(*fix.memory_mib));
  }
  return object + '}';
}

void AddOperations(const rules::AddRequests& fix, JsonView pod, Patch& patch) {
  const JsonView resources = pod["spec"][fix.list].Element(fix.index)["resources"];
  std::string path = "/spec";
  AppendPointerToken(path, fix.list);
  AppendPointerIndex(path, fix.index);
  path += "/resources";
  if (!resources.is_object()) {
    patch.Add(path, "{\"requests\":" + RequestsObject(fix) + '}');
  } else if (!resources["requests"].is_object()) {
    patch.Add(path + "/requests", RequestsObject(fix));
  } else {
    if (fix.cpu_millis) patch.Add(path + "/requests/cpu", CpuText(*fix.cpu_millis));
    if (fix.memory_mib) patch.Add(path + "/requests/memory", MemoryText(*fix.memory_mib));
  }
}

void AddOperations(const rules::SetDnsPolicy&, JsonView, Patch& patch) {
  // `add` of a member that is there replaces it: the API server has written its default by now.
  patch.Add("/spec/dnsPolicy", R"("ClusterFirstWithHostNet")");
}

std::string VariableObject(const rules::NewVariable& variable) {
  std::string object = "{\"name\":";
  AppendJsonString(object, variable.name);
  object += variable.is_field ? R"(,"valueFrom":{"fieldRef":{"fieldPath":)" : R"(,"value":)";
  AppendJsonString(object, variable.value);
  return object + (variable.is_field ? "}}}" : "}");
}

std::string PathOfEnv(std::string_view list, std::size_t container) {
  std::string path = "/spec";
  AppendPointerToken(path, list);
  AppendPointerIndex(path, container);
  return path + "/env";
}

void AddOperations(const rules::AddVariables& fix, JsonView pod, Patch& patch) {
  const std::string path = PathOfEnv(fix.list, fix.index);
  if (pod["spec"][fix.list].Element(fix.index)["env"].is_array()) {
    for (const auto& variable : fix.variables) patch.Add(path + "/-", VariableObject(variable));
    return;
  }
  std::string list;
  for (const rules::NewVariable& variable : fix.variables) {
    list += (list.empty() ? "[" : ",") + VariableObject(variable);
  }
  patch.Add(path, list + "]");
}

void AddOperations(const rules::ReplaceVariable& fix, JsonView, Patch& patch) {
  std::string path = PathOfEnv(fix.list, fix.index);
  AppendPointerIndex(path, fix.place);
  patch.Replace(path, VariableObject(fix.variable));
}

// Adds `term` to the list `key` of `kind`, and what is missing of the way to it.
void AddAffinityTerm(JsonView affinity, std::string_view kind, const std::string& term,
                     Patch& patch) {
  constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  const std::string path = std::string("/spec/affinity/").append(kind);
  const std::string list = path + "/" + std::string(kRequired);
  if (!affinity[kind].is_object()) {
    patch.Add(path, std::string("{\"").append(kRequired).append("\":[") + term + "]}");
  } else if (!affinity[kind][kRequired].is_array()) {
    patch.Add(list, "[" + term + "]");
  } else {
    patch.Add(list + "/-", term);
  }
}

std::string AffinityTerm(const std::string& expressions) {
  return R"({"labelSelector":{"matchExpressions":[)" + expressions + R"(]},"topologyKey":")" +
         std::string(workload::kGkeNodePool) + "\"}";
}

std::string Requirement(std::string_view label, std::string_view op, std::string_view value = {}) {
  std::string text = "{\"key\":";
  AppendJsonString(text, label);
  text.append(R"(,"operator":")").append(op).append("\"");
  if (value.empty()) return text + "}";
  text += ",\"values\":[";
  AppendJsonString(text, value);
  return text + "]}";
}

// As JobSet does for its exclusive placement.
void AddOperations(const rules::KeepTogether& fix, JsonView pod, Patch& patch) {
  const JsonView affinity = pod["spec"]["affinity"];
  if (!affinity.is_object()) patch.Add("/spec/affinity", "{}");
  AddAffinityTerm(affinity, "podAffinity", AffinityTerm(Requirement(fix.label, "In", fix.value)),
                  patch);
  AddAffinityTerm(affinity, "podAntiAffinity",
                  AffinityTerm(Requirement(fix.label, "Exists") + "," +
                               Requirement(fix.label, "NotIn", fix.value)),
                  patch);
}

void AddText(std::string_view path, std::string_view text, Patch& patch) {
  std::string value;
  AppendJsonString(value, text);
  patch.Add(path, value);
}
void AddOperations(const rules::SetHostname& fix, JsonView, Patch& patch) {
  AddText("/spec/hostname", fix.name, patch);
}
void AddOperations(const rules::SetSubdomain& fix, JsonView, Patch& patch) {
  AddText("/spec/subdomain", fix.name, patch);
}

}  // namespace

std::string BuildPatch(JsonView pod, std::span<const rules::Fix> fixes) {
  Patch patch;
  for (const rules::Fix& fix : fixes) {
    std::visit([&](const auto& kind) { AddOperations(kind, pod, patch); }, fix);
  }
  return std::move(patch).Finish();
}

}  // namespace tpu_admission::admission
