// Expected failure is a value. The message says what, which, and what to do; exceptions stop at the
// wrapper of the library that throws them.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace aliquot {

// Each kind has one exit code of the command line and one wire name (manager/api/wire/error_names.hpp).
enum class ErrorKind {
  invalid_argument,
  not_found,
  conflict,
  refused,
  forbidden,
  unavailable,
  timeout,
  too_large,
  no_space,
  unsupported,
  internal,
  not_leader,
};

struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string message;
  friend bool operator==(const Error&, const Error&) = default;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(ErrorKind kind, std::string message) {
  return tl::unexpected<Error>(Error{kind, std::move(message)});
}

}  // namespace aliquot
