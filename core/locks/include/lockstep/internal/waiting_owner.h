#pragma once

#include <algorithm>
#include <vector>

#include "lockstep/lock_owner.h"

namespace lockstep::internal {

// An owner whose acquire is in progress; a guard, because the acquire may be destroyed while it
// waits.
class WaitingOwner {
 public:
  WaitingOwner(std::vector<LockOwner>& owners, LockOwner owner) : owners_(owners), owner_(owner) {
    owners_.push_back(owner);
  }
  WaitingOwner(const WaitingOwner&) = delete;
  WaitingOwner& operator=(const WaitingOwner&) = delete;
  ~WaitingOwner() { owners_.erase(std::ranges::find(owners_, owner_)); }

 private:
  std::vector<LockOwner>& owners_;
  LockOwner owner_;
};

}  // namespace lockstep::internal
