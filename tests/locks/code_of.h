#pragma once

#include <system_error>

namespace lockstep {

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

}  // namespace lockstep
