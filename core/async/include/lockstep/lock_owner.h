#pragma once

#include <thread>

#include "lockstep/internal/language.h"

namespace lockstep {

// Identifies a lock's owner: an object of the caller's choice, or a thread. Owners can only be
// compared.
class LockOwner {
 public:
  explicit LockOwner(const void* object) : object_(object) {}
  // allow(std::thread): its id is a name here; nothing is started.
  explicit LockOwner(std::thread::id thread) : thread_(thread) {}
  friend bool operator==(const LockOwner&, const LockOwner&) = default;

 private:
  const void* object_ = nullptr;
  std::thread::id thread_;  // allow(std::thread): as above.
};

}  // namespace lockstep
