// The Language Server Protocol 3.17: the rules in an editor while people type.
//
// A pure machine: messages in, messages out, no I/O and no clock. It tells diagnostics with exact
// ranges, quick fixes from repairs, hover with what `explain` says, and completion accelerator ->
// topology -> chips -> hosts, in which what the rules deny comes last. A completion costs at most
// a reading of the document that it is in and a judgement of one object for each value, within
// the bounds of src/offline/tried_values.h; what is larger costs a look at its lines. Belongs to
// one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/admission/judge.h"
#include "tpu_admission/k8s/json.h"
#include "tpu_admission/offline/check.h"

namespace tpu_admission::offline {

// By what a document is judged.
struct Terms {
  std::shared_ptr<const admission::Settings> settings;
  CheckWish wish;
};
struct TermsOfDocument {
  std::shared_ptr<const Terms> terms = nullptr;  // nullptr: those of the server
  bool is_left_out = false;                      // nothing is said of it
  std::string word = {};                         // to tell the user once; empty: nothing
};

class LanguageServer {
 public:
  // Bounds. What is beyond them is refused, or told in words; nothing else changes.
  static constexpr std::size_t kMaxOpenDocuments = 1000;
  static constexpr std::size_t kMaxTextBytes = kMaxManifestBytes;  // of one document
  static constexpr std::size_t kMaxAllTextBytes = 128 << 20;       // of all together
  static constexpr std::size_t kMaxDiagnostics = 1000;             // of one document

  // What is known of the document of a URI. Asked when it is opened, and of all open documents when
  // one of them was saved: terms that are no others cost no judgement.
  using FindTerms = std::function<TermsOfDocument(const std::string& uri)>;

  LanguageServer(std::shared_ptr<const admission::Settings> settings, CheckWish wish,
                 FindTerms find_terms = nullptr);
  ~LanguageServer();
  LanguageServer(const LanguageServer&) = delete;
  LanguageServer& operator=(const LanguageServer&) = delete;

  // Takes a message; returns what is to be sent at once, as JSON text. Views die with the call.
  std::vector<std::string> Handle(k8s::JsonView message);
  // The diagnostics of all documents that changed since the last call. Judging is left until then,
  // so that a burst of changes costs one judgement.
  std::vector<std::string> Publish();

  // After a message that nobody could read: any open document may say something else by now, so
  // nothing is said of it until it is told whole again.
  std::vector<std::string> Miss(const std::string& why);

  // What to answer to bytes that are no JSON, or that nobody reads for their size.
  static std::string ParseError(std::string_view why);
  static std::string Refusal(std::string_view why);

  bool ended() const;  // `exit` came
  // Of the process: 0 if `shutdown` came before `exit`.
  int exit_code() const;
  // How many pieces of text were judged so far: for tests and benchmarks.
  std::size_t judged() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The messages in a stream of bytes, each behind its header (`Content-Length: N`).
class MessageStream {
 public:
  static constexpr std::size_t kMaxHeaderBytes = 4096;
  static constexpr std::size_t kMaxBodyBytes = 32 << 20;

  struct Item {
    enum class Kind {
      kNone,       // more bytes are needed
      kMessage,    // `body`, which lives until the next call of the stream
      kTooLarge,   // a body of more than kMaxBodyBytes, which is passed over
      kMalformed,  // no header: what follows cannot be understood any more
    };
    Kind kind = Kind::kNone;
    std::string_view body = {};
  };

  void Add(std::string_view bytes);
  Item Next();

  // With its header.
  static std::string Framed(std::string_view body);

 private:
  Item Header();

  std::string bytes_;
  std::size_t read_ = 0;  // of bytes_, already given out
  std::size_t skip_ = 0;  // bytes of a body that is passed over
  bool in_body_ = false;
  std::size_t body_bytes_ = 0;
  bool broken_ = false;
};

}  // namespace tpu_admission::offline
