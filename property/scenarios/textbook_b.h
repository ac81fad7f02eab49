#pragma once

#include "parts.h"

namespace lockstep::scenarios::textbook_b {

// The locks of a flash sale: one znode of a fixed name that all waiters watch, and a fair lock with
// a timed acquire; both around a stock of one thing.

// The non-fair lock: every waiter watches the one znode, so each release wakes them all, and all
// but one go back to sleep. Correct: a queue, FairMutex.
Task<void> contend_in_a_herd(Contender& self, Path lock, std::uint32_t rounds);

// The sale. The stock is looked at outside the lock and sold inside. Correct: look again once the
// lock is held.
struct Sale {
  bool looks_outside = true;
};
Task<void> sell_with(Contender& self, Path lock, std::uint32_t rounds, Sale sale);
template <Sale kSale>
Task<void> sell(Contender& self, Path lock, std::uint32_t rounds) {
  return sell_with(self, std::move(lock), rounds, kSale);
}

}  // namespace lockstep::scenarios::textbook_b
