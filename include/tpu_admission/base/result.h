// Result<T>: a value, or the reason why there is none. For what can happen (a bad file, a closed
// port); a user's mistake in a manifest is a Finding instead, and a bug is an exception.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace tpu_admission {

// `message` is one line for a person: it names the thing and what to do.
struct Error {
  std::string message;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  // Implicit on purpose, so that functions return either.
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // The value; only if ok(), else std::bad_variant_access.
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }

  // The reason; only if not ok().
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

using Status = Result<std::monostate>;
inline Status OkStatus() { return std::monostate{}; }

}  // namespace tpu_admission
