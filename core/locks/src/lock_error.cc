#include "lockstep/blocking/lock_error.h"

namespace lockstep::blocking {

namespace {

constexpr std::string_view kOurs = "lockstep: ";

std::string text_of(std::string_view call, std::string_view lock, std::string_view reason) {
  std::string text(kOurs);
  text.append(call).append(" on ").append(lock).append(": ").append(reason);
  return text;
}

// Removes the prefix of our own exceptions, so that it appears once.
std::string_view without_prefix(std::string_view what) {
  return what.starts_with(kOurs) ? what.substr(kOurs.size()) : what;
}

}  // namespace

LockError::LockError(std::error_code code, std::string_view call, std::string_view lock,
                     std::string_view why)
    : std::system_error(code) {
  std::string text = text_of(call, lock, code.message());
  if (!why.empty()) text.append(" (").append(why).append(")");
  text_ = std::make_shared<const std::string>(std::move(text));
}

LockError::LockError(const std::system_error& met, std::string_view call, std::string_view lock)
    : std::system_error(met.code()),
      text_(std::make_shared<const std::string>(text_of(call, lock, without_prefix(met.what())))) {}

}  // namespace lockstep::blocking
