#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chaos/collector.h"
#include "chaos/transaction_log.h"
#include "chaos/wire.h"

namespace lockstep::chaos {

// The numbers of judged facts: a run that has judged no grant and no use does not pass.
struct Judged {
  std::uint64_t grants = 0;  // Grants compared with the servers' log.
  std::uint64_t losses = 0;
  std::uint64_t intervals = 0;  // Uses of a lock on the contenders' clocks.
  std::uint64_t excused = 0;    // Overlaps excused because a holder did not run.
};

// Exclusion in the servers' order of events: each grant rests on evidence, at which its znode
// existed and no conflicting contender was in front; conflicting grants do not overlap between
// their evidence and the end of their znodes; the tokens of exclusive grants grow; no client
// deletes another session's znode; a znode that was "released" was deleted by its own session.
// `events` and `transactions` must be complete: every grant has ended.
void judge_server_order(const std::vector<Event>& events,
                        const std::vector<Transaction>& transactions,
                        std::vector<Violation>& violations, Judged& judged);

// Exclusion on the contenders' clocks, which are the same clock: conflicting uses of a lock do not
// overlap. A use lasts from the grant until the holder learns of the loss or begins to release.
// Holders that did not run meanwhile (stopped, or not scheduled) are excused: they could not be
// notified.
void judge_client_order(const std::vector<Event>& events, std::vector<Violation>& violations,
                        Judged& judged);

// Each loss is reported once, and never after a release.
void judge_notices(const std::vector<Event>& events, std::vector<Violation>& violations,
                   Judged& judged);

// The grants without a reported loss, release or drop, in processes that were not killed. At rest
// there must be none: each is a loss that its process did not notice.
[[nodiscard]] std::vector<Event> grants_without_end(const std::vector<Event>& events);

}  // namespace lockstep::chaos
