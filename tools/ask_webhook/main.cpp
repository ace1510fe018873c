// ask-webhook: sends manifests to a running tpu-admission as the API server would, and prints what
// a kubectl user would read. No cluster needed; `./dev run` uses it.
#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "ask_webhook/https_client.h"
#include "tpu_admission/base/base64.h"
#include "tpu_admission/base/files.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/base/yaml.h"

namespace tpu_admission::tools {
namespace {

using Json = nlohmann::ordered_json;

Json JsonOf(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kString:
      return node.text;
    case YamlNode::Kind::kList: {
      Json list = Json::array();
      for (const YamlNode* const item : node.items) list.push_back(JsonOf(*item));
      return list;
    }
    case YamlNode::Kind::kMap: {
      Json map = Json::object();
      for (const YamlMember& member : node.members) {
        map[std::string(member.key)] = JsonOf(*member.value);
      }
      return map;
    }
    default:
      return Json::parse(node.json);
  }
}

Result<Json> ReadManifest(const std::string& path) {
  constexpr std::size_t kMaxBytes = 16 << 20;
  TPU_ADMISSION_TRY(const std::string text, DiskFiles().ReadInput(path, kMaxBytes));
  const YamlStream stream = ReadYaml(text);
  if (!stream.errors.empty()) return Error{path + ":" + stream.errors.front().Text()};
  if (stream.documents.size() != 1) return Error{path + ": wanted one document"};
  return JsonOf(*stream.documents.front().root);
}

// "batch/v1" and "Job" -> group, version and the plural that the API server would name.
Json ReviewOf(const Json& object) {
  const std::string api_version = object.value("apiVersion", "v1");
  const std::string kind = object.value("kind", "");
  const std::size_t slash = api_version.find('/');
  const std::string group = slash == std::string::npos ? "" : api_version.substr(0, slash);
  const std::string version =
      slash == std::string::npos ? api_version : api_version.substr(slash + 1);
  const std::string plural = LowerCase(kind) + "s";
  const Json metadata = object.value("metadata", Json::object());
  return {{"apiVersion", "admission.k8s.io/v1"},
          {"kind", "AdmissionReview"},
          {"request",
           {{"uid", "5d1f2b1e-7c3a-4f0e-9a55-0c5d3c0f7a11"},
            {"kind", {{"group", group}, {"version", version}, {"kind", kind}}},
            {"resource", {{"group", group}, {"version", version}, {"resource", plural}}},
            {"name", metadata.value("name", "")},
            {"namespace", metadata.value("namespace", "default")},
            {"operation", "CREATE"},
            {"userInfo", {{"username", "you"}}},
            {"object", object},
            {"oldObject", nullptr},
            {"dryRun", false},
            {"options", {{"apiVersion", "meta.k8s.io/v1"}, {"kind", "CreateOptions"}}}}}};
}

class Asker {
 public:
  explicit Asker(HttpsTarget target) : target_(std::move(target)) {}

  // What `kubectl apply -f path` would print; false if the webhook could not be asked.
  bool Apply(const std::string& path) {
    std::cout << "$ kubectl apply -f " << path << '\n';
    Result<Json> object = ReadManifest(path);
    if (!object) return Complain(object.error());
    if (object->value("kind", "") == "Pod") {
      const Result<Json> mutated = Ask("/mutate", *object);
      if (!mutated) return Complain(mutated.error());
      if (mutated->contains("patch")) Patch(*object, (*mutated)["patch"]);
    }
    const Result<Json> response = Ask("/validate", *object);
    if (!response) return Complain(response.error());
    Print(path, *object, *response);
    return true;
  }

 private:
  static bool Complain(const Error& error) {
    std::cerr << "ask-webhook: " << error.message << '\n';
    return false;
  }

  Result<Json> Ask(const std::string& endpoint, const Json& object) {
    const Result<std::string> answer = PostJson(target_, endpoint, ReviewOf(object).dump());
    if (!answer) return answer.error();
    return Json::parse(*answer)["response"];
  }

  void Patch(Json& object, const std::string& base64) {
    const Json patch = Json::parse(DecodeBase64(base64).value_or(""));
    object = Json(nlohmann::json(object).patch(nlohmann::json(patch)));
    patch_ = patch;
  }

  void Print(const std::string& path, const Json& object, const Json& response) {
    for (const auto& warning : response.value("warnings", Json::array())) {
      std::cout << "Warning: " << warning.get<std::string>() << '\n';
    }
    if (response.value("allowed", false)) {
      std::string kind = LowerCase(object.value("kind", ""));
      const std::string api_version = object.value("apiVersion", "");
      const std::size_t slash = api_version.find('/');
      if (slash != std::string::npos) kind += "." + api_version.substr(0, slash);
      std::cout << kind << '/' << object["metadata"].value("name", "") << " created\n";
    } else {
      std::cout << "Error from server (Forbidden): error when creating \"" << path
                << "\": admission webhook \"validate.tpu-admission.io\" denied the request: "
                << response["status"].value("message", "") << '\n';
    }
    if (!patch_.empty()) std::cout << "  patched by mutate.tpu-admission.io:\n";
    for (const auto& operation : patch_) std::cout << "    " << operation.dump() << '\n';
    patch_ = Json::array();
    std::cout << '\n';
  }

  HttpsTarget target_;
  Json patch_ = Json::array();
};

}  // namespace
}  // namespace tpu_admission::tools

int main(int argc, char** argv) {
  using namespace tpu_admission::tools;
  CLI::App app("Sends manifests to tpu-admission and prints what a kubectl user would read.");
  HttpsTarget target;
  target.server_name = "localhost";
  std::vector<std::string> files;
  app.add_option("--port", target.port, "the admission port")->required();
  app.add_option("--ca-file", target.ca_file, "certificate to trust, PEM")->required();
  app.add_option("--server-name", target.server_name, "name in the server's certificate");
  app.add_option("FILE", files, "manifests, one document each")->required();
  CLI11_PARSE(app, argc, argv);
  Asker asker(target);
  bool all_asked = true;
  for (const std::string& file : files) all_asked = asker.Apply(file) && all_asked;
  return all_asked ? 0 : 2;
}
