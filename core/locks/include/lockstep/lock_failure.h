#pragma once

#include <string>

#include "lockstep/client.h"
#include "lockstep/error.h"
#include "lockstep/path.h"

namespace lockstep {

// True for errors of Client::session() that are caused by the client's connection or options:
// Client::last_failure() has details.
[[nodiscard]] constexpr bool concerns_the_client(Error error) {
  return error == Error::kNotConnected || error == Error::kBadArguments ||
         error == Error::kUnimplemented;
}

// One line for a log about a lock that was not acquired, released or changed: the lock's path and
// the error, and, for errors that concern the client, its Client::last_failure(), if there is one.
//
//   /locks/nightly: no connection within the deadline (127.0.0.1:2181: Connection refused)
//
// On the client's executor, before the next attempt to connect. The blocking locks throw LockError
// with the same text.
[[nodiscard]] std::string describe(Error error, const Path& lock);
[[nodiscard]] std::string describe(Error error, const Path& lock, const Client& client);

}  // namespace lockstep
