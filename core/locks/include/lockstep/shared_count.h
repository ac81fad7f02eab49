#pragma once

#include <cstdint>
#include <optional>

#include "lockstep/data.h"
#include "lockstep/ok.h"
#include "lockstep/session.h"

namespace lockstep {

// A number that processes share through a znode: four bytes, the highest first, as Curator's
// SharedCount stores it. A semaphore can take its capacity from one.

[[nodiscard]] Data encode_shared_count(std::int32_t count);
// None if the data is not four bytes.
[[nodiscard]] std::optional<std::int32_t> decode_shared_count(const Data& data);

// Sets it, and creates it (persistent, its parents as containers) where it is missing. Who sets
// last wins; after a lost reply it is set again, perhaps over what somebody else has set meanwhile.
// Errors: as Session::set_data and create; connection losses are ridden out. Resumes on the
// session's executor; the session outlives the task.
Task<Result<void>> set_shared_count(Session& session, Path znode, std::int32_t count,
                                    Context context = {});
// Errors: kNoNode, kMarshallingError if the znode holds something else, as Session::get_data.
Task<Result<std::int32_t>> get_shared_count(Session& session, Path znode, Context context = {});

}  // namespace lockstep
