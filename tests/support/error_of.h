#pragma once

#include <expected>
#include <optional>
#include <string>
#include <system_error>
#include <type_traits>

#include "lockstep/result.h"
#include "lockstep/transaction.h"

namespace lockstep::support {

// The error of a result or a multi; none if it has a value.
template <class T, class E>
std::optional<Error> error_of(const std::expected<T, E>& result) {
  if (result) return std::nullopt;
  if constexpr (std::is_same_v<E, MultiError>) {
    return result.error().error;
  } else {
    return result.error();
  }
}

// The code of the exception that a call throws; none if it throws nothing.
template <class Call>
std::error_code code_of(Call call) {
  try {
    call();
  } catch (const std::system_error& error) {
    return error.code();
  }
  return {};
}

// The message of the exception of that type that a call throws; empty if it throws nothing. Other
// exceptions are thrown on.
template <class Exception, class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Exception& exception) {
    return exception.what();
  }
  return "";
}

}  // namespace lockstep::support
