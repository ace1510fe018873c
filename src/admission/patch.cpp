#include "admission/patch.h"

#include <string_view>

#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/json_string.h"

namespace tpu_admission::admission {
namespace {

using k8s::JsonView;

constexpr std::string_view kToleration =
    R"({"key":"google.com/tpu","operator":"Exists","effect":"NoSchedule"})";

// Collects operations. Paths are made of known names and numbers only, and need no escaping.
class Patch {
 public:
  void Add(std::string_view path, std::string_view value) {
    if (text_.empty()) text_.reserve(kUsualBytes);
    text_ += text_.empty() ? '[' : ',';
    text_.append(R"({"op":"add","path":")").append(path).append(R"(","value":)");
    text_.append(value).append("}");
  }
  std::string Finish() && { return text_.empty() ? text_ : std::move(text_) + "]"; }

 private:
  static constexpr std::size_t kUsualBytes = 512;  // of a patch with every fix
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

void AddOperations(const rules::AddVariables& fix, JsonView pod, Patch& patch) {
  std::string path = "/spec";
  AppendPointerToken(path, fix.list);
  AppendPointerIndex(path, fix.index);
  path += "/env";
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
