#include "app/admission_endpoint.h"

#include <optional>
#include <string_view>

#include "tpu_admission/base/text.h"

namespace tpu_admission::app {
namespace {

std::optional<admission::Endpoint> EndpointOf(std::string_view path) {
  if (path == "/mutate") return admission::Endpoint::kMutate;
  if (path == "/validate") return admission::Endpoint::kValidate;
  return std::nullopt;
}

// "application/json", with or without parameters.
bool IsJson(std::string_view content_type) {
  return SameButForCase(Trimmed(TakeUntil(content_type, ';')), "application/json");
}

bool IsPlain(std::string_view encoding) {
  return encoding.empty() || SameButForCase(encoding, "identity");
}

void Refuse(net::HttpResponse& response, unsigned status, std::string_view line) {
  response.status = status;
  response.content_type = "text/plain; charset=utf-8";
  response.body = line;
}

}  // namespace

void AdmissionEndpoint::Handle(const net::HttpRequest& request, net::HttpResponse& response) {
  const std::optional<admission::Endpoint> endpoint = EndpointOf(request.path);
  if (!endpoint) return Refuse(response, 404, "no such path; there are /mutate and /validate\n");
  if (request.method != "POST") {
    response.allow = "POST";
    return Refuse(response, 405, "send an AdmissionReview by POST\n");
  }
  if (!IsJson(request.content_type) || !IsPlain(request.content_encoding)) {
    return Refuse(response, 415, "send application/json without a Content-Encoding\n");
  }
  const Clock::Mono start = clock_.Elapsed();
  const admission::Record record =
      handler_.Handle(*endpoint, request.body, DayOf(clock_.Now()), response.body);
  if (record.outcome == admission::Outcome::kInvalid) {
    response.status = 400;
    response.content_type = "text/plain; charset=utf-8";
  }
  journal_.OnReview(record, {*endpoint, request.trace_id, clock_.Elapsed() - start});
  handler_.Release();
}

}  // namespace tpu_admission::app
