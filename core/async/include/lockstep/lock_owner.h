#pragma once

#include <thread>

namespace lockstep {

// Who holds a lock that asks for it: an object of the caller's choice, or a thread. A name to be
// compared, nothing more.
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
