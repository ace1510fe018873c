#include "tpu_admission/offline/lsp.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "offline/lsp_answers.h"
#include "offline/lsp_params.h"
#include "tpu_admission/base/json_tree.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/base/version.h"
#include "tpu_admission/offline/fix.h"

namespace tpu_admission::offline {
namespace {

using k8s::JsonView;
using Json = LspJson;

// Of JSON-RPC and of the protocol.
enum class ErrorCode {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kNotInitialized = -32002,
};

std::string MessageText(const Json& message) { return Dumped(message); }

std::string ErrorAnswer(Json id, ErrorCode code, std::string_view why) {
  return MessageText({{"jsonrpc", "2.0"},
                      {"id", std::move(id)},
                      {"error", {{"code", static_cast<int>(code)}, {"message", why}}}});
}

}  // namespace

struct LanguageServer::State {
  struct Open {
    std::optional<std::int64_t> version;
    EditorDocument document;
    std::shared_ptr<const Terms> terms = nullptr;
    bool is_left_out = false;
    bool told = false;     // what is said of it is what was published
    bool lost = false;     // what it says now is not known: a change was missed, or it was refused
    bool refused = false;  // for its size, which was told
  };
  // What becomes of a request: a result, or why there is none.
  struct Outcome {
    Json result = nullptr;
    std::optional<ErrorCode> error = std::nullopt;
    std::string why = {};
  };
  static Outcome Wrong(std::string why) {
    return {nullptr, ErrorCode::kInvalidParams, std::move(why)};
  }

  std::shared_ptr<const Terms> own_terms;
  FindTerms find_terms;
  enum class Phase { kNew, kInitialized, kShutDown, kEnded } phase = Phase::kNew;
  bool was_shut_down = false;
  bool missed = false;
  PositionEncoding encoding = PositionEncoding::kUtf16;
  ClientAbilities client;
  std::map<std::string, Open, std::less<>> documents;
  std::size_t judged = 0;
  std::vector<std::string> out;

  EditorDocument::Judge JudgeBy(const Terms& terms) {
    return [this, &terms](std::string text, const workload::Companions& all) {
      ++judged;
      return JudgePiece(*terms.settings, terms.wish, encoding, std::move(text), all);
    };
  }

  // By what stands in all of the document.
  static Mender MendBy(const Terms& terms, const EditorDocument& document) {
    return [&](const std::string& text) {
      return FixText(*terms.settings, terms.wish, 'a', text, &document.companions()).text;
    };
  }

  Open* Find(JsonView params) {
    const auto found = documents.find(params["textDocument"]["uri"].StringOr(""));
    if (found == documents.end() || found->second.lost || found->second.is_left_out) return nullptr;
    return &found->second;
  }

  void FindTermsOf(const std::string& uri, Open& open) {
    TermsOfDocument found;
    if (find_terms) found = find_terms(uri);
    if (!found.word.empty()) Tell(found.word);
    if (found.terms == nullptr) found.terms = own_terms;
    if (found.terms == open.terms && found.is_left_out == open.is_left_out) return;
    open.terms = std::move(found.terms);
    open.is_left_out = found.is_left_out;
    open.document.Forget();
    if (!open.lost) open.told = false;
  }

  void Notify(std::string_view method, Json params) {
    out.push_back(
        MessageText({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}));
  }
  void Tell(const std::string& what) {
    constexpr int kWarning = 2;
    Notify("window/showMessage", {{"type", kWarning}, {"message", "tpu-admission: " + what}});
  }

  std::size_t AllTextBytes() const {
    std::size_t sum = 0;
    for (const auto& [uri, open] : documents) sum += open.document.text().text().size();
    return sum;
  }

  // Of a document that is too large nothing is kept, with a word, until it is told whole again. Of
  // one too many not even that.
  void KeepWithinBounds(const std::string& uri) {
    Open& open = documents.find(uri)->second;
    const std::size_t bytes = open.document.text().text().size();
    const bool is_one_too_many = documents.size() > kMaxOpenDocuments;
    std::string why;
    if (bytes > kMaxTextBytes) why = "it is larger than 16 MiB";
    if (AllTextBytes() > kMaxAllTextBytes) why = "all open files together are larger than 128 MiB";
    if (is_one_too_many) why = "more than 1000 files are open";
    const bool is_news = !std::exchange(open.refused, !why.empty());
    if (why.empty()) return;
    if (is_news) Tell(Printable(uri, 200) + " is not checked: " + why);
    if (is_one_too_many) return Forget(uri);
    Lose(uri, open);
  }
  void Lose(const std::string& uri, Open& open) {
    open.lost = open.told = true;
    open.document.ChangeAll("");
    Clear(uri);
  }
  void Forget(const std::string& uri) {
    documents.erase(uri);
    Clear(uri);
  }
  void Clear(const std::string& uri) {
    Notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", Json::array()}});
  }

  void DidOpen(JsonView params) {
    const JsonView document = params["textDocument"];
    const auto uri = document["uri"].AsString();
    const auto text = document["text"].AsString();
    if (!uri || !text) return;
    const std::string name(*uri);
    Open& open =
        documents
            .insert_or_assign(name, Open{VersionIn(document),
                                         EditorDocument(EditorText(std::string(*text), encoding))})
            .first->second;
    FindTermsOf(name, open);
    KeepWithinBounds(name);
  }

  // It may be what documents are judged by.
  void DidSave(JsonView) {
    for (auto& [uri, open] : documents) FindTermsOf(uri, open);
  }

  void DidChange(JsonView params) {
    const std::string uri(params["textDocument"]["uri"].StringOr(""));
    const auto found = documents.find(uri);
    if (found == documents.end()) return;
    Open& open = found->second;
    const JsonView changes = params["contentChanges"];
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const JsonView change = changes.Element(i);
      const auto text = change["text"].AsString();
      const auto range = RangeIn(change["range"]);
      if (!text) continue;
      if (!change["range"].has_value()) {
        open.document.ChangeAll(std::string(*text));
        open.lost = false;
      } else if (range && !open.lost) {
        open.document.Change(*range, *text);
      }
    }
    if (open.lost) return;
    open.version = VersionIn(params["textDocument"]);
    open.told = false;
    KeepWithinBounds(uri);
  }

  void DidClose(JsonView params) {
    const std::string uri(params["textDocument"]["uri"].StringOr(""));
    if (documents.contains(uri)) Forget(uri);
  }

  void Miss(const std::string& why) {
    bool news = !std::exchange(missed, true);
    for (auto& [uri, open] : documents) {
      if (open.lost) continue;
      news = true;
      Lose(uri, open);
    }
    if (news) Tell("a message is lost: " + why + "; close open files and open them again");
  }

  Outcome Initialize(JsonView params) {
    if (phase != Phase::kNew)
      return {nullptr, ErrorCode::kInvalidRequest, "initialize came before"};
    phase = Phase::kInitialized;
    const JsonView capabilities = params["capabilities"];
    encoding = EncodingFor(capabilities);
    client = AbilitiesIn(capabilities);
    return {{{"capabilities", Capabilities(encoding)},
             {"serverInfo", {{"name", "tpu-admission"}, {"version", Version()}}}}};
  }

  // Answers a question about a place of an open document by `ask`.
  template <typename Place, typename Ask>
  Outcome About(JsonView params, const std::optional<Place>& place, Json otherwise, Ask ask) {
    if (!params["textDocument"]["uri"].AsString())
      return Wrong("params.textDocument.uri is no text");
    if (!place) return Wrong("params name no place: line and character are numbers from 0");
    Open* open = Find(params);
    if (open == nullptr) return {std::move(otherwise)};
    const auto& pieces = open->document.Pieces(JudgeBy(*open->terms));
    const std::string_view uri = params["textDocument"]["uri"].StringOr("");
    const NamedDocument named{uri, open->version, open->document, pieces};
    return {ask(named, *open->terms, *place)};
  }

  Outcome Hover(JsonView params) {
    return About(params, PositionIn(params["position"]), nullptr,
                 [&](const NamedDocument& named, const Terms& terms, const TextPosition& place) {
                   return HoverAt(named, place, terms.settings->engine.catalog(), client);
                 });
  }
  Outcome Completion(JsonView params) {
    return About(params, PositionIn(params["position"]), Json::array(),
                 [&](const NamedDocument& named, const Terms& terms, const TextPosition& place) {
                   return CompletionsAt(named, place, *terms.settings, terms.wish);
                 });
  }
  Outcome CodeAction(JsonView params) {
    // Kinds are told by their beginning: `source` stands for `source.fixAll` too.
    const JsonView only = params["context"]["only"];
    bool quickfix = !only.has_value();
    bool fix_all = false;
    for (std::size_t i = 0; i < only.size(); ++i) {
      const std::string kind(only.Element(i).StringOr(""));
      quickfix = quickfix || kind.empty() || kind == "quickfix";
      fix_all =
          fix_all || (!kind.empty() &&
                      std::string_view("source.fixAll.tpu-admission.").starts_with(kind + "."));
    }
    return About(params, RangeIn(params["range"]), Json::array(),
                 [&](const NamedDocument& named, const Terms& terms, const TextRange& range) {
                   Json actions = quickfix ? QuickFixes(named, range, client) : Json::array();
                   if (!fix_all) return actions;
                   for (Json& action : FixAll(named, MendBy(terms, named.document), client)) {
                     actions.push_back(std::move(action));
                   }
                   return actions;
                 });
  }
  Outcome Shutdown(JsonView) {
    phase = Phase::kShutDown;
    was_shut_down = true;
    documents.clear();
    return {};
  }

  Outcome Request(std::string_view method, JsonView params) {
    using Handler = Outcome (State::*)(JsonView);
    static const std::map<std::string_view, Handler> kHandlers = {
        {"initialize", &State::Initialize},
        {"shutdown", &State::Shutdown},
        {"textDocument/codeAction", &State::CodeAction},
        {"textDocument/completion", &State::Completion},
        {"textDocument/hover", &State::Hover}};
    if (phase == Phase::kNew && method != "initialize") {
      return {nullptr, ErrorCode::kNotInitialized, "initialize comes first"};
    }
    if (phase == Phase::kShutDown) {
      return {nullptr, ErrorCode::kInvalidRequest, "nothing but exit comes after shutdown"};
    }
    const auto found = kHandlers.find(method);
    if (found == kHandlers.end()) {
      return {nullptr, ErrorCode::kMethodNotFound, "there is no method " + Quoted(method)};
    }
    return (this->*found->second)(params);
  }

  // Those that nobody knows are passed over, as the protocol wants.
  void Notification(std::string_view method, JsonView params) {
    if (method == "exit") phase = Phase::kEnded;
    if (phase != Phase::kInitialized) return;
    if (method == "textDocument/didOpen") DidOpen(params);
    if (method == "textDocument/didChange") DidChange(params);
    if (method == "textDocument/didSave") DidSave(params);
    if (method == "textDocument/didClose") DidClose(params);
  }

  void PublishOne(const std::string& uri, Open& open) {
    static const std::vector<EditorDocument::PlacedPiece> kNone;
    const auto& pieces = open.is_left_out ? kNone : open.document.Pieces(JudgeBy(*open.terms));
    Json list = Json::array();
    std::size_t untold = 0;
    for (const auto& placed : pieces) {
      for (const Remark& remark : placed.piece->remarks) {
        if (!open.document.IsTold(remark)) continue;
        if (list.size() >= kMaxDiagnostics) {
          ++untold;
          continue;
        }
        const std::size_t document =
            placed.document + (remark.object == nullptr ? 0 : remark.object->document);
        list.push_back(DiagnosticJson(remark, placed.Placed(remark.range), document));
      }
    }
    if (untold > 0) {
      list.push_back(DiagnosticJson({.range = {},
                                     .severity = Severity::kInformation,
                                     .message = "and " + std::to_string(untold) + " more findings"},
                                    {}, 0));
    }
    Json params = {{"uri", uri}};
    if (open.version) params["version"] = *open.version;
    params["diagnostics"] = std::move(list);
    Notify("textDocument/publishDiagnostics", std::move(params));
    open.told = true;
  }
};

LanguageServer::LanguageServer(std::shared_ptr<const admission::Settings> settings, CheckWish wish,
                               FindTerms find_terms)
    : state_(std::make_unique<State>()) {
  state_->own_terms = std::make_shared<const Terms>(Terms{std::move(settings), std::move(wish)});
  state_->find_terms = std::move(find_terms);
}
LanguageServer::~LanguageServer() = default;

std::vector<std::string> LanguageServer::Handle(JsonView message) {
  if (ended()) return {};
  const auto method = message["method"].AsString();
  const JsonView id = message["id"];
  const bool is_answer = message["result"].present() || message["error"].present();
  if (!method && message.is_object() && is_answer) return {};  // we ask nothing
  const bool good_id = id.AsString() || id.AsInteger();
  if (!method || (id.has_value() && !good_id)) {
    return {ErrorAnswer(nullptr, ErrorCode::kInvalidRequest, "this is no JSON-RPC message")};
  }
  if (id.has_value()) {
    Json own_id = id.AsInteger() ? Json(*id.AsInteger()) : Json(id.StringOr(""));
    State::Outcome outcome = state_->Request(*method, message["params"]);
    state_->out.push_back(outcome.error
                              ? ErrorAnswer(std::move(own_id), *outcome.error, outcome.why)
                              : MessageText({{"jsonrpc", "2.0"},
                                             {"id", std::move(own_id)},
                                             {"result", std::move(outcome.result)}}));
  } else {
    state_->Notification(*method, message["params"]);
  }
  return std::exchange(state_->out, {});
}

std::vector<std::string> LanguageServer::Publish() {
  for (auto& [uri, open] : state_->documents) {
    if (!open.told) state_->PublishOne(uri, open);
  }
  return std::exchange(state_->out, {});
}

std::vector<std::string> LanguageServer::Miss(const std::string& why) {
  state_->Miss(why);
  return std::exchange(state_->out, {});
}

std::string LanguageServer::ParseError(std::string_view why) {
  return ErrorAnswer(nullptr, ErrorCode::kParseError, why);
}
std::string LanguageServer::Refusal(std::string_view why) {
  return ErrorAnswer(nullptr, ErrorCode::kInvalidRequest, why);
}

bool LanguageServer::ended() const { return state_->phase == State::Phase::kEnded; }
int LanguageServer::exit_code() const { return state_->was_shut_down ? 0 : 1; }
std::size_t LanguageServer::judged() const { return state_->judged; }

}  // namespace tpu_admission::offline
