#pragma once

#include <cstdint>
#include <optional>

#include "lockstep/data.h"
#include "lockstep/ok.h"
#include "lockstep/session.h"

namespace lockstep {

// A number that processes share through a znode: four bytes, big-endian, as Curator's SharedCount
// stores it. A semaphore can take its limit from one.

[[nodiscard]] Data encode_shared_count(std::int32_t count);
// None if the data is not four bytes.
[[nodiscard]] std::optional<std::int32_t> decode_shared_count(const Data& data);

// Sets the count, and creates the znode (persistent, its parents as containers) if it is missing.
// The last write wins; after a lost reply the count is set again, perhaps over another client's
// write. Errors: as Session::set_data and create; it survives connection losses. Resumes on the
// session's executor; the session outlives the task.
Task<Result<void>> set_shared_count(Session& session, Path znode, std::int32_t count,
                                    Context context = {});
// Errors: kNoNode, kMarshallingError if the znode's data is not a count, as Session::get_data.
Task<Result<std::int32_t>> get_shared_count(Session& session, Path znode, Context context = {});

}  // namespace lockstep
