#pragma once

#include <cstddef>
#include <list>

#include "lockstep/lock_owner.h"
#include "lockstep/on_client.h"

namespace lockstep::internal {

// Who holds a blocking lock, and by which grant. Several may: readers, and somebody whose grant is
// lost and who has not been told yet. On the lock's executor only.
class Holders {
 public:
  class Entry {
   public:
    Entry(LockOwner who, ClientGrant what) : owner(who), grant(std::move(what)) {}
    LockOwner owner;
    ClientGrant grant;
    std::size_t depth = 1;
  };

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  // Null if it does not hold.
  [[nodiscard]] Entry* find(LockOwner owner);
  // Throws std::system_error if it does not hold in that way: std::errc::operation_not_permitted.
  Entry& holding(LockOwner owner);
  Entry& holding(LockOwner owner, Share share);
  void add(LockOwner owner, ClientGrant grant);
  ClientGrant take(Entry& entry);

  // One more level for an owner that may enter again: its grant's cause if that is lost.
  static Result<void> enter_again(Entry& entry);

 private:
  std::list<Entry> entries_;
};

// Gives a grant back, with the outcome; goes on in the background when the context ends.
Task<ReleaseOutcome> give_back(ClientGrant grant, Context context);

}  // namespace lockstep::internal
