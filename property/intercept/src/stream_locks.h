#pragma once

#include <stdio.h>

#include <vector>

#include "lockstep/intercept/thread.h"

namespace lockstep::intercept {

// The locks of libc's streams that threads of an execution have taken by flockfile() and
// ftrylockfile(). Their state is libc's, which would keep a lock for a thread that is left in the
// middle.
class StreamLocks {
 public:
  StreamLocks() = default;
  StreamLocks(const StreamLocks&) = delete;
  StreamLocks& operator=(const StreamLocks&) = delete;
  // Frees all.
  ~StreamLocks();

  // The thread has taken the lock, perhaps once more.
  void taken(FILE* stream, Thread& owner);
  void given_back(FILE* stream);
  // The stream is closed, and its lock is no more.
  void forget(FILE* stream);
  // Frees the locks of that process's threads, and returns their streams.
  std::vector<FILE*> free_all_of(const Thread& root);

  // A thread tries to take the lock: from now on, calls that give it back are scheduling points.
  // Otherwise the try would always find it free after a section without other points.
  void note_try(FILE* stream) {
    if (!has_been_tried(stream)) tried_.push_back(stream);
  }
  [[nodiscard]] bool has_been_tried(const FILE* stream) const;

 private:
  struct Held {
    FILE* stream;
    Thread* owner;
    unsigned depth;
  };
  static void free(const Held& held);

  std::vector<Held> held_;
  std::vector<FILE*> tried_;
};

}  // namespace lockstep::intercept
