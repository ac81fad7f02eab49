#pragma once

#include <vector>

#include "lockstep/path.h"

namespace lockstep::internal {

// For backends: the order in which the C client names the paths of one of its watch tables to a
// server after a reconnect, and so the order in which events that it has missed arrive. A table is
// a hash table with chains (hashtable.c), listed slot by slot: neither the order of registration
// nor that of the transactions. `registered` is in the order of registration. Exact as long as the
// table has never had more than 35 paths: when it grows, chains change their order.
[[nodiscard]] std::vector<Path> in_table_order(std::vector<Path> registered);

}  // namespace lockstep::internal
