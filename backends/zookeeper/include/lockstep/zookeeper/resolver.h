#pragma once

#include <expected>
#include <functional>
#include <string>
#include <vector>

#include "lockstep/internal/language.h"

namespace lockstep::zookeeper {

// Numeric addresses ("10.0.0.1", "::1"), or in plain words why there are none.
using ResolveResult = std::expected<std::vector<std::string>, std::string>;

// Turns the host of a server into addresses: the system's resolver by default, or your service
// discovery. Must be thread-safe: each session calls it on a thread of its own, and several
// sessions, also of one Client, call it at the same time. A session makes one call at a time, when
// it is opened and after every server has failed once; the call may block, but closing the session
// then waits for it. An exception counts as a failure. Numeric hosts are not resolved.
using Resolver = std::function<ResolveResult(const std::string& host)>;

// getaddrinfo().
[[nodiscard]] ResolveResult resolve_by_system(const std::string& host);

}  // namespace lockstep::zookeeper
