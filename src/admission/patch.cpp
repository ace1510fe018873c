#include "admission/patch.h"

#include <string_view>

#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/json_string.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::admission {
namespace {

using k8s::JsonView;
using namespace std::string_view_literals;

constexpr std::string_view kToleration =
    R"({"key":"google.com/tpu","operator":"Exists","effect":"NoSchedule"})";

// Collects operations. Paths are made of known names and numbers only, and need no escaping.
class Patch {
 public:
  explicit Patch(std::size_t usual_bytes) { text_.reserve(usual_bytes); }

  void Add(std::string_view path, std::string_view value) {
    Begin("add", path).append(value);
    End();
  }
  // What is appended to the text from here to End() is the value.
  std::string& Begin(std::string_view operation, std::string_view path) {
    Separate();
    text_.append(R"({"op":")"sv).append(operation).append(R"(","path":")"sv).append(path);
    return text_.append(kValue);
  }
  // The same with a head that many operations share.
  std::string& BeginBy(std::string_view head) {
    Separate();
    return text_.append(head);
  }
  static constexpr std::string_view kAdd = R"({"op":"add","path":")";
  static constexpr std::string_view kValue = R"(","value":)";
  void End() { text_ += '}'; }
  std::string Finish() && {
    if (!text_.empty()) text_ += ']';
    return std::move(text_);
  }

 private:
  void Separate() { text_ += text_.empty() ? '[' : ','; }

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

constexpr std::string_view kVariable = R"({"name":")";

// Behind kVariable. The name is a constant of letters and underscores.
void AppendRest(std::string& json, const rules::NewVariable& variable) {
  json.append(variable.name);
  json += variable.is_field ? R"(","valueFrom":{"fieldRef":{"fieldPath":)"sv : R"(","value":)"sv;
  AppendJsonString(json, variable.value);
  json += variable.is_field ? "}}}"sv : "}"sv;
}
void AppendVariable(std::string& json, const rules::NewVariable& variable) {
  AppendRest(json.append(kVariable), variable);
}

std::string& AppendPathOfEnv(std::string& text, std::string_view list, std::size_t container) {
  text.append("/spec/"sv).append(list);
  AppendPointerIndex(text, container);
  return text.append("/env"sv);
}
std::string PathOfEnv(std::string_view list, std::size_t container) {
  std::string path;
  return AppendPathOfEnv(path, list, container);
}

void AddOperations(const rules::AddVariables& fix, JsonView pod, Patch& patch) {
  if (pod["spec"][fix.list].Element(fix.index)["env"].is_array()) {
    std::string head;
    head.reserve(112);  // of most
    AppendPathOfEnv(head.append(Patch::kAdd), fix.list, fix.index).append("/-"sv);
    head.append(Patch::kValue).append(kVariable);
    for (const rules::NewVariable& variable : fix.variables) {
      AppendRest(patch.BeginBy(head), variable);
      patch.End();
    }
    return;
  }
  std::string& list = patch.Begin("add", PathOfEnv(fix.list, fix.index));
  for (const rules::NewVariable& variable : fix.variables) {
    list += &variable == &fix.variables.front() ? '[' : ',';
    AppendVariable(list, variable);
  }
  list += ']';
  patch.End();
}

void AddOperations(const rules::ReplaceVariable& fix, JsonView, Patch& patch) {
  std::string path = PathOfEnv(fix.list, fix.index);
  AppendPointerIndex(path, fix.place);
  AppendVariable(patch.Begin("replace", path), fix.variable);
  patch.End();
}

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";

// Whether all of `affinity` that terms are added to has the type that Kubernetes gives it, or is
// not there: what is of another type is left alone.
bool TakesTerms(JsonView affinity) {
  if (affinity.has_value() && !affinity.is_object()) return false;
  for (const std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    const JsonView terms = affinity[kind][kRequired];
    if (affinity[kind].has_value() && !affinity[kind].is_object()) return false;
    if (terms.has_value() && !terms.is_array()) return false;
  }
  return true;
}

std::string Required(const std::string& term) {
  return std::string("{\"").append(kRequired).append("\":[").append(term).append("]}");
}

// Adds `term` to the required ones of `kind`, and what is missing of the way to them.
void AddAffinityTerm(JsonView affinity, std::string_view kind, const std::string& term,
                     Patch& patch) {
  const std::string path = std::string("/spec/affinity/").append(kind);
  const std::string list = path + "/" + std::string(kRequired);
  if (!affinity[kind].is_object()) {
    patch.Add(path, Required(term));
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
  if (!TakesTerms(affinity)) return;
  const std::string with = AffinityTerm(Requirement(fix.label, "In", fix.value));
  const std::string without = AffinityTerm(Requirement(fix.label, "Exists") + "," +
                                           Requirement(fix.label, "NotIn", fix.value));
  if (!affinity.is_object()) {
    return patch.Add("/spec/affinity", R"({"podAffinity":)" + Required(with) +
                                           R"(,"podAntiAffinity":)" + Required(without) + "}");
  }
  AddAffinityTerm(affinity, "podAffinity", with, patch);
  AddAffinityTerm(affinity, "podAntiAffinity", without, patch);
}

void AddText(std::string_view path, std::string_view text, Patch& patch) {
  AppendJsonString(patch.Begin("add", path), text);
  patch.End();
}
void AddOperations(const rules::SetHostname& fix, JsonView, Patch& patch) {
  AddText("/spec/hostname", fix.name, patch);
}
void AddOperations(const rules::SetSubdomain& fix, JsonView, Patch& patch) {
  AddText("/spec/subdomain", fix.name, patch);
}

// Enough for most.
std::size_t UsualBytes(std::span<const rules::Fix> fixes) {
  constexpr std::size_t kOperation = 128;
  std::size_t bytes = 0;
  for (const rules::Fix& fix : fixes) {
    bytes += kOperation;
    const auto* const add = std::get_if<rules::AddVariables>(&fix);
    if (add == nullptr) continue;
    for (const rules::NewVariable& each : add->variables) bytes += kOperation + each.value.size();
  }
  return bytes;
}

}  // namespace

std::string BuildPatch(JsonView pod, std::span<const rules::Fix> fixes) {
  Patch patch(UsualBytes(fixes));
  for (const rules::Fix& fix : fixes) {
    std::visit([&](const auto& kind) { AddOperations(kind, pod, patch); }, fix);
  }
  return std::move(patch).Finish();
}

}  // namespace tpu_admission::admission
