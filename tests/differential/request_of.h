#pragma once

#include <span>

#include "differential/program.h"
#include "lockstep/path.h"
#include "lockstep/request.h"

namespace lockstep::differential {

// The request for an Op of a program whose own znode is `origin`.
[[nodiscard]] Request request_of(const Op& op, const Path& origin);

// Whether `next` may be sent while all of `sent` are in flight in the same session, and whether an
// Op may be in flight when its session ends or loses its connection.
[[nodiscard]] bool may_follow(std::span<const Op> sent, const Op& next);
[[nodiscard]] bool may_be_left(const Op& op);
// Whether a client may refuse `op` without asking the server. The reply then does not prove that
// earlier requests have arrived.
[[nodiscard]] bool may_be_refused(const Op& op);

}  // namespace lockstep::differential
