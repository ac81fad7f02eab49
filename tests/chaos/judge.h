#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chaos/collector.h"
#include "chaos/transaction_log.h"
#include "chaos/wire.h"

namespace lockstep::chaos {

// The number of facts judged, so that a run in which nothing happened does not pass for a good one.
struct Judged {
  std::uint64_t grants = 0;  // Those compared with the servers' log.
  std::uint64_t losses = 0;
  std::uint64_t intervals = 0;  // Uses of a lock, by the contenders' clocks.
  std::uint64_t excused = 0;    // Overlaps of a holder that did not run.
};

// Exclusion in the servers' order of events: each grant rests on evidence, at which its znode
// existed and no conflicting contender was in front; conflicting grants do not overlap between
// their evidence and the end of their znodes; the tokens of exclusive grants grow; no client
// deletes another session's znode; what was "released" was deleted by its own session. `events` and
// `transactions` are complete: whatever was granted has ended.
void judge_server_order(const std::vector<Event>& events,
                        const std::vector<Transaction>& transactions,
                        std::vector<Violation>& violations, Judged& judged);

// Exclusion by the contenders' clocks, which are one: conflicting uses of a lock do not overlap,
// each from its grant to the moment at which its holder was told of the loss, or began to release.
// A holder that was stopped, or did not get the processor, is excused: it could not be told.
void judge_client_order(const std::vector<Event>& events, std::vector<Violation>& violations,
                        Judged& judged);

// A loss is told once, and never after a release.
void judge_notices(const std::vector<Event>& events, std::vector<Violation>& violations,
                   Judged& judged);

// The grants that no process has reported as lost, released or dropped yet, in processes that have
// not been killed. Once all rest, there must be none: a loss that no process is told of is one.
[[nodiscard]] std::vector<Event> grants_without_end(const std::vector<Event>& events);

}  // namespace lockstep::chaos
