#include "kube/answer.h"

#include <ctime>
#include <nlohmann/json.hpp>
#include <utility>

#include "tpu_admission/base/json_tree.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/kube/json_bounds.h"

namespace tpu_admission::kube {
namespace {

constexpr std::size_t kMaxMessage = 512;

Outcome OutcomeOf(unsigned status) {
  if (status >= 200 && status < 300) return Outcome::kOk;
  if (status == 404) return Outcome::kNotFound;
  if (status == 409) return Outcome::kConflict;
  return IsWorthRetrying(status) ? Outcome::kUnreachable : Outcome::kRefused;
}

// Errors come as an object of kind Status with a message; what is none is shown as it is.
std::string MessageOf(const std::string& body) {
  const std::string message = TextAt(ParseJson<nlohmann::json>(body), "/message");
  return Printable(message.empty() ? body : message, kMaxMessage);
}

}  // namespace

bool IsWorthRetrying(unsigned status) { return status == 429 || status / 100 == 5; }

Answer AnswerOf(const std::string& call, unsigned status, std::string body, std::string_view date) {
  Answer answer{.outcome = OutcomeOf(status),
                .status = status,
                .body = {},
                .error = {},
                .warnings = {},
                .server_time = ParseHttpDate(date)};
  if (answer.ok()) {
    answer.body = std::move(body);
  } else {
    answer.error = call + ": HTTP " + std::to_string(status) + ": " + MessageOf(body);
  }
  return answer;
}

std::string WithoutToken(std::string text, std::string_view authorization) {
  constexpr std::string_view kInstead = "[our token]";
  const std::string_view token = authorization.substr(authorization.find(' ') + 1);
  if (token.empty()) return text;
  std::string told;
  std::size_t from = 0;
  for (std::size_t at = text.find(token); at != text.npos; at = text.find(token, from)) {
    told.append(text, from, at - from).append(kInstead);
    from = at + token.size();
  }
  return told.append(text, from);
}

Answer ObjectOf(const ObjectPath& path, Answer answer) {
  if (!answer.ok()) return answer;
  const auto object = ParseJson<nlohmann::json>(answer.body);
  if (TextAt(object, "/kind") == path.kind && TextAt(object, "/metadata/name") == path.name() &&
      !TextAt(object, "/metadata/resourceVersion").empty()) {
    return answer;
  }
  answer.outcome = Outcome::kUnreachable;
  answer.body.clear();
  answer.error = path.text + ": what answers is no API server: it gives no " +
                 std::string(path.kind) + " of this name with a resourceVersion";
  return answer;
}

std::optional<Clock::Wall> ParseHttpDate(std::string_view date) {
  std::tm utc{};
  const std::string text(date);  // outlives `end`
  const char* const end = strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &utc);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return WallOf(timegm(&utc));
}

}  // namespace tpu_admission::kube
