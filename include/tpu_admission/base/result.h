// Result<T>: a value, or the reason why there is none. For what can happen (a bad file, a closed
// port); a user's mistake in a manifest is a Finding instead, and a bug is an exception.
//
// The one idiom for errors: a function that can fail returns Result<T> or Status, and passes on
// what its callees could not do:
//
//   Result<Policy> Load(const std::string& path) {
//     TPU_ADMISSION_TRY(const std::string text, files.Read(path, kMaxBytes));
//     TPU_ADMISSION_TRY_STATUS(CheckHeader(text));
//     return Parse(text);
//   }
#pragma once

#include <string>
#include <system_error>
#include <utility>
#include <variant>

namespace tpu_admission {

// `message` is for a person: it names the thing and what to do. One line, unless a file has several
// faults: then a line each.
struct Error {
  std::string message;
  std::errc code{};  // what the operating system said, where it did
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
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

using Status = Result<std::monostate>;
inline Status OkStatus() { return std::monostate{}; }

}  // namespace tpu_admission

// TPU_ADMISSION_TRY(const auto value, expression): `value` is what the Result of `expression`
// holds; if it holds an error, the function returns that. Two statements: not for an `if` without
// braces.
#define TPU_ADMISSION_TRY(declaration, ...)                      \
  auto TPU_ADMISSION_UNIQUE(try_result_) = (__VA_ARGS__);        \
  if (!TPU_ADMISSION_UNIQUE(try_result_).ok()) {                 \
    return std::move(TPU_ADMISSION_UNIQUE(try_result_)).error(); \
  }                                                              \
  declaration = std::move(TPU_ADMISSION_UNIQUE(try_result_)).value()

// The same where nothing but success is wanted.
#define TPU_ADMISSION_TRY_STATUS(...)                        \
  do {                                                       \
    if (auto try_status = (__VA_ARGS__); !try_status.ok()) { \
      return std::move(try_status).error();                  \
    }                                                        \
  } while (false)

#define TPU_ADMISSION_UNIQUE(name) TPU_ADMISSION_UNIQUE_ON_LINE(name, __LINE__)
#define TPU_ADMISSION_UNIQUE_ON_LINE(name, line) TPU_ADMISSION_JOINED(name, line)
#define TPU_ADMISSION_JOINED(name, line) name##line
