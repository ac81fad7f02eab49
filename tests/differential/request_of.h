#pragma once

#include <span>

#include "differential/program.h"
#include "lockstep/path.h"
#include "lockstep/request.h"

namespace lockstep::differential {

// The request that an Op of a program stands for, under the program's own znode.
[[nodiscard]] Request request_of(const Op& op, const Path& origin);

// Whether `next` may be sent while all of `sent` are under way in the same session, and whether an
// Op may be under way when its session ends or loses its connection.
[[nodiscard]] bool may_follow(std::span<const Op> sent, const Op& next);
[[nodiscard]] bool may_be_left(const Op& op);
// Whether a client may refuse it without asking the server: then its reply says nothing about what
// has arrived before.
[[nodiscard]] bool may_be_refused(const Op& op);

}  // namespace lockstep::differential
