#include "lockstep/lock_failure.h"

namespace lockstep {

std::string describe(Error error, const Path& lock) {
  std::string text = lock.string();
  text.append(": ").append(name(error));
  return text;
}

std::string describe(Error error, const Path& lock, const Client& client) {
  std::string text = describe(error, lock);
  if (!concerns_the_client(error)) return text;
  const std::string why = client.last_failure();
  if (!why.empty()) text.append(" (").append(why).append(")");
  return text;
}

}  // namespace lockstep
