// What an HTTP answer of the API server means to us.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tpu_admission/kube/api.h"

namespace tpu_admission::kube {

// 429 and 5xx: the same call may be answered otherwise a little later.
bool IsWorthRetrying(unsigned status);

// `call` is "GET /path", for the error. `date` is the field of that name, "" if there is none.
Answer AnswerOf(const std::string& call, unsigned status, std::string body, std::string_view date);

// `text` of a server, without the token of "Bearer TOKEN": some print the head of the request that
// they refuse, and what we tell goes to logs.
std::string WithoutToken(std::string text, std::string_view authorization);

// What says yes and is not the object of `path` is an error: a page of a proxy, another object, one
// without a version.
Answer ObjectOf(const ObjectPath& path, Answer answer);

// "Sat, 21 Nov 2026 12:00:00 GMT" (the form of RFC 9110 that servers must write).
std::optional<Clock::Wall> ParseHttpDate(std::string_view date);

}  // namespace tpu_admission::kube
