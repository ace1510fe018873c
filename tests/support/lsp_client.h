// An editor in memory: asks a LanguageServer as a real one would.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tpu_admission/k8s/json.h"
#include "tpu_admission/offline/lsp.h"

namespace tpu_admission::support {

using Json = nlohmann::json;

// The built-in catalog under the standard profile, or a policy.
std::shared_ptr<const admission::Settings> SharedSettings(const std::string& policy = "");

class LspClient {
 public:
  explicit LspClient(Json capabilities = Json::object(), const std::string& policy = "",
                     offline::LanguageServer::FindTerms find_terms = nullptr);

  Json Request(const std::string& method, Json params);  // the whole answer
  void Notify(const std::string& method, Json params);
  void Miss();  // a message that cannot be read
  // What the server answers to bytes that stand for one message.
  std::vector<Json> Raw(const std::string& body);

  void Open(const std::string& text, const std::string& uri = "file:///a.yaml");
  // Replaces a range; version counts on by itself.
  void Change(Json range, const std::string& text, const std::string& uri = "file:///a.yaml");
  // The diagnostics as they were published last.
  Json Diagnostics(const std::string& uri = "file:///a.yaml");
  Json Actions(Json range, const std::string& uri = "file:///a.yaml");
  // The labels of what is proposed.
  std::vector<std::string> Completions(int line, int character);

  offline::LanguageServer& server() { return server_; }
  std::vector<Json> messages;  // of the server, other than answers and diagnostics

 private:
  void Sort(const std::vector<std::string>& sent);

  offline::LanguageServer server_;
  k8s::JsonParser parser_;
  int next_id_ = 0;
  int version_ = 1;
  Json answer_;
  std::map<std::string, Json> published_;
};

Json Range(int begin_line, int begin, int end_line, int end);
// The text with the edits of an action made, by UTF-16 positions.
std::string Applied(const std::string& text, const Json& edits);

}  // namespace tpu_admission::support
