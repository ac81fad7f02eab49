#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "chaos/transaction_log.h"

namespace lockstep::interop {

// The verdict on the history of a lock that several libraries share.
struct Verdict {
  std::size_t entries = 0;  // Critical sections.
  std::vector<std::string> violations;
};

// Judges a history by what the contenders themselves write: inside its critical section, each
// creates a znode called "<its own znode's name>.in", and at its end "<name>.out". Independent of
// our library's code. Violations:
//   a contender enters without a living znode of the same session, or twice
//   a contender enters before another one that is in front of it and that cannot hold with it
//   a contender enters while another one that cannot hold with it is inside
//   more than `leases` holders of leases are inside
//   a contender's znode is deleted by another session than its own
//   a contender's znode is left at the end
[[nodiscard]] Verdict judge(const std::vector<chaos::Transaction>& history, std::size_t leases = 1);

}  // namespace lockstep::interop
