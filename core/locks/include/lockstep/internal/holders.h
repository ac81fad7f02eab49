#pragma once

#include <algorithm>
#include <cstddef>
#include <list>
#include <utility>

#include "lockstep/lock_owner.h"
#include "lockstep/on_client.h"

namespace lockstep::internal {

// Throw std::system_error, std::errc::operation_not_permitted.
[[noreturn]] void fail_not_held();
[[noreturn]] void fail_not_held_so();

// The owners of a blocking lock, and their grants, each a GrantOnClient. There may be several:
// readers, and an owner whose grant is lost and who has not been notified yet. On the lock's
// executor only.
template <class Grant>
class Holders {
 public:
  class Entry {
   public:
    Entry(LockOwner who, Grant what) : owner(who), grant(std::move(what)) {}
    LockOwner owner;
    Grant grant;
    std::size_t depth = 1;
  };

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  // Null if the owner holds nothing.
  [[nodiscard]] Entry* find(LockOwner owner) {
    const auto found = std::ranges::find(entries_, owner, &Entry::owner);
    return found == entries_.end() ? nullptr : &*found;
  }
  // These throw if the owner has no such hold.
  Entry& holding(LockOwner owner) {
    if (Entry* const entry = find(owner)) return *entry;
    fail_not_held();
  }
  Entry& holding(LockOwner owner, Share share) {
    Entry& entry = holding(owner);
    if (is_held_so(entry.grant.held, share)) return entry;
    fail_not_held_so();
  }
  void add(LockOwner owner, Grant grant) { entries_.emplace_back(owner, std::move(grant)); }
  Grant take(Entry& entry) {
    const auto place = std::ranges::find(entries_, &entry, [](const Entry& each) { return &each; });
    Grant grant = std::move(place->grant);
    entries_.erase(place);
    return grant;
  }

 private:
  template <class Held>
  static bool is_held_so(const Held& held, Share share) {
    if constexpr (requires { held.has_hold(share); }) {
      return held.has_hold(share);
    } else if constexpr (std::is_same_v<Held, HeldLock>) {
      return held.share() == share;
    } else {
      return true;
    }
  }

  std::list<Entry> entries_;
};

// Releases a grant and returns the outcome; goes on in the background when the context ends.
template <class Held>
Task<ReleaseOutcome> give_back(GrantOnClient<Held> grant, Context context) {
  const ReleaseOutcome outcome = co_await grant.held.release(std::move(context));
  co_return outcome;
}

}  // namespace lockstep::internal
