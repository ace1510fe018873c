#include "support/lsp_client.h"

#include <algorithm>

#include "offline/lsp_text.h"

namespace tpu_admission::support {

using offline::EditorText;
using offline::PositionEncoding;
using offline::TextPosition;

std::shared_ptr<const admission::Settings> SharedSettings(const std::string& policy) {
  auto catalog = tpu::Catalog::Load(tpu::BuiltInCatalogText(), "built-in catalog").value();
  return std::make_shared<const admission::Settings>(
      admission::Settings{rules::Engine(std::move(catalog), rules::Cluster{}),
                          admission::Policy::Load(policy, "policy").value(), ""});
}

LspClient::LspClient(Json capabilities, const std::string& policy,
                     offline::LanguageServer::FindTerms find_terms)
    : server_(SharedSettings(policy), {.namespace_name = "", .today = Day{}, .rules = {}},
              std::move(find_terms)) {
  Request("initialize", {{"processId", nullptr}, {"capabilities", std::move(capabilities)}});
  Notify("initialized", Json::object());
}

void LspClient::Sort(const std::vector<std::string>& sent) {
  for (const std::string& text : sent) {
    const Json message = Json::parse(text);
    if (message.contains("id")) {
      answer_ = message;
    } else if (message["method"] == "textDocument/publishDiagnostics") {
      published_[message["params"]["uri"]] = message["params"];
    } else {
      messages.push_back(message);
    }
  }
}

void LspClient::Miss() { Sort(server_.Miss("it is no JSON")); }

std::vector<Json> LspClient::Raw(const std::string& body) {
  const Result<k8s::JsonView> message = parser_.Parse(body);
  std::vector<Json> answers;
  if (!message) return {Json::parse(offline::LanguageServer::ParseError(message.error().message))};
  for (const std::string& text : server_.Handle(*message)) answers.push_back(Json::parse(text));
  return answers;
}

Json LspClient::Request(const std::string& method, Json params) {
  const std::string body = Json{
      {"jsonrpc", "2.0"},
      {"id", ++next_id_},
      {"method", method},
      {"params",
       std::move(params)}}.dump();
  answer_ = nullptr;
  Sort(server_.Handle(parser_.Parse(body).value()));
  return answer_;
}

void LspClient::Notify(const std::string& method, Json params) {
  const std::string body =
      Json{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}.dump();
  Sort(server_.Handle(parser_.Parse(body).value()));
}

void LspClient::Open(const std::string& text, const std::string& uri) {
  Notify("textDocument/didOpen",
         {{"textDocument",
           {{"uri", uri}, {"languageId", "yaml"}, {"version", version_}, {"text", text}}}});
}

void LspClient::Change(Json range, const std::string& text, const std::string& uri) {
  Notify("textDocument/didChange",
         {{"textDocument", {{"uri", uri}, {"version", ++version_}}},
          {"contentChanges", Json::array({{{"range", std::move(range)}, {"text", text}}})}});
}

Json LspClient::Diagnostics(const std::string& uri) {
  Sort(server_.Publish());
  return published_[uri]["diagnostics"];
}

Json LspClient::Actions(Json range, const std::string& uri) {
  return Request("textDocument/codeAction",
                 {{"textDocument", {{"uri", uri}}},
                  {"range", std::move(range)},
                  {"context", {{"diagnostics", Json::array()}}}})["result"];
}

std::vector<std::string> LspClient::Completions(int line, int character) {
  std::vector<std::string> labels;
  const Json answer = Request("textDocument/completion",
                              {{"textDocument", {{"uri", "file:///a.yaml"}}},
                               {"position", {{"line", line}, {"character", character}}}});
  for (const Json& item : answer["result"]) labels.push_back(item["label"]);
  return labels;
}

Json Range(int begin_line, int begin, int end_line, int end) {
  return {{"start", {{"line", begin_line}, {"character", begin}}},
          {"end", {{"line", end_line}, {"character", end}}}};
}

std::string Applied(const std::string& text, const Json& edits) {
  const EditorText before(text, PositionEncoding::kUtf16);
  struct Edit {
    std::size_t begin, end;
    std::string text;
  };
  std::vector<Edit> all;
  for (const Json& edit : edits) {
    const auto offset = [&](const Json& place) {
      return before.OffsetOf(TextPosition{place["line"], place["character"]});
    };
    all.push_back({offset(edit["range"]["start"]), offset(edit["range"]["end"]), edit["newText"]});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  std::string after;
  std::size_t done = 0;
  for (const Edit& edit : all) {
    after += text.substr(done, edit.begin - done) + edit.text;
    done = edit.end;
  }
  return after + text.substr(done);
}

}  // namespace tpu_admission::support
