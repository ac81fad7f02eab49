#pragma once

#include <cstddef>
#include <list>

#include "lockstep/lock_owner.h"
#include "lockstep/on_client.h"

namespace lockstep::internal {

// The owners of a blocking lock, and their grants. There may be several: readers, and an owner
// whose grant is lost and who has not been notified yet. On the lock's executor only.
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
  // Null if the owner holds nothing.
  [[nodiscard]] Entry* find(LockOwner owner);
  // Throws std::system_error if the owner has no such hold: std::errc::operation_not_permitted.
  Entry& holding(LockOwner owner);
  Entry& holding(LockOwner owner, Share share);
  void add(LockOwner owner, ClientGrant grant);
  ClientGrant take(Entry& entry);

  // Adds a level for an owner that may enter again; returns the cause if its grant is lost.
  static Result<void> enter_again(Entry& entry);

 private:
  std::list<Entry> entries_;
};

// Releases a grant and returns the outcome; goes on in the background when the context ends.
Task<ReleaseOutcome> give_back(ClientGrant grant, Context context);

}  // namespace lockstep::internal
