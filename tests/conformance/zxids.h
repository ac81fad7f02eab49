#pragma once

#include <algorithm>
#include <limits>

#include "conformance/conformance.h"

namespace lockstep::conformance {

// The requests to count; `path` is a znode of this test.
using Requests = Task<void> (*)(Session& session, Path path);

// Returns the number of zxids that the requests take: the least of some attempts, because the
// expiry of another test's session takes a zxid too.
inline Task<Zxid> zxids_taken_by(Lab& lab, Session& session, Requests requests) {
  constexpr int kAttempts = 5;
  Zxid least = std::numeric_limits<Zxid>::max();
  for (int i = 0; i < kAttempts; ++i) {
    const Path prefix = lab.parent() / "n-";
    const Created first =
        co_await create(session, prefix, Data(), CreateMode::kPersistentSequential);
    co_await requests(session, first.path);
    const Created second =
        co_await create(session, prefix, Data(), CreateMode::kPersistentSequential);
    least = std::min(least, second.stat.czxid - first.stat.czxid - 1);
  }
  co_return least;
}

}  // namespace lockstep::conformance
