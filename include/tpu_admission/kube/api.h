// The border to the Kubernetes API server: objects are read and patched by name, and nothing else.
// No list, watch, create or delete: whoever uses this needs the verbs get and patch on named
// objects.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/base/clock.h"

namespace tpu_admission::kube {

// The path of one object, made by one of the functions below. Names are not escaped: IsObjectName()
// must have said yes to them.
struct ObjectPath {
  std::string text;
  std::string_view kind = {};  // of the object that is there: "Secret"

  // Of the object.
  std::string_view name() const;
  friend bool operator==(const ObjectPath& a, const ObjectPath& b) { return a.text == b.text; }
};

ObjectPath NamespacePath(std::string_view name);
ObjectPath SecretPath(std::string_view namespace_name, std::string_view name);
ObjectPath ConfigMapPath(std::string_view namespace_name, std::string_view name);
ObjectPath LeasePath(std::string_view namespace_name, std::string_view name);
ObjectPath MutatingConfigurationPath(std::string_view name);
ObjectPath ValidatingConfigurationPath(std::string_view name);

// Whether `name` is a DNS subdomain (RFC 1123), as names of the objects above must be.
bool IsObjectName(std::string_view name);

enum class Outcome {
  kOk,
  kNotFound,     // 404
  kConflict,     // 409: the object is another one by now; read it again
  kTooLarge,     // the answer has more bytes than the client takes
  kRefused,      // any other answer that a repetition does not change: 401, 403, 422...
  kUnreachable,  // no answer within the deadline, no trusted one, no object, or 429 and 5xx to the
                 // last
};

struct Answer {
  Outcome outcome = Outcome::kUnreachable;
  unsigned status = 0;  // of HTTP; 0 if there was no answer
  // What was asked for, as JSON; only of kOk. Of an ObjectPath it is that object, by its kind and
  // name, with a resourceVersion: without one a patch is carried out whatever stands there.
  std::string body;
  std::string error;                  // one line for a person, with method and path; empty if kOk
  std::vector<std::string> warnings;  // fields "Warning" as they came, e.g. `299 - "text"`
  // The API server's clock, which certificates are judged by; only if it answered.
  std::optional<Clock::Wall> server_time;

  bool ok() const { return outcome == Outcome::kOk; }
};

// How a patch is written: RFC 7386 (members replace members, null removes) or RFC 6902 (a list of
// operations).
enum class PatchKind { kMerge, kJson };

// Calls block, for a limited time. One thread at a time.
//
// A patch must set metadata.resourceVersion to that of the object that was read: then it is carried
// out on that object or not at all (kConflict), and repeating it after a lost answer is safe.
class Api {
 public:
  virtual ~Api() = default;
  virtual Answer Get(const ObjectPath& path) = 0;
  virtual Answer Patch(const ObjectPath& path, PatchKind kind, const std::string& patch) = 0;
};

}  // namespace tpu_admission::kube
