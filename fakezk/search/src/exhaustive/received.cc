#include "exhaustive/received.h"

#include "lockstep/search/state_hash.h"

namespace lockstep::search {

std::uint64_t Received::state() const {
  std::uint64_t state = state_hash(world_);
  for (const std::uint64_t received : hashes_) state = fakezk::mix(state ^ received);
  return state;
}

void Received::step(const fakezk::Step& step) {
  // Skip messages delivered to a client that has gone away: they change no process's state.
  if (!step.received || !world_.network().at(step.event.index).endpoint) return;
  const std::uint32_t process = world_.process_of(step.event.index);
  if (process >= hashes_.size()) hashes_.resize(process + 1, 0);
  hashes_[process] = fakezk::mix(hashes_[process] ^ content_hash(*step.received)) + 1;
}

}  // namespace lockstep::search
