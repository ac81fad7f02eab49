#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lockstep/internal/language.h"

namespace lockstep::intercept {
class Thread;
}

namespace lockstep::threads {

// Reports that the code under test has broken an invariant of its own, as "user:NAME". Called on
// one of its threads; ends the execution.
void violated(std::string_view name, std::string message);
// Writes into the lane of the calling thread. No effect on the schedule.
void note(std::string_view text);

// The critical section of a thread that holds a lock, from the constructor to the destructor: no
// other thread may be inside of the same resource (S2). Others may run at each call of ZooKeeper,
// and at each wait. Two threads may be inside if one of them can rely on a session that the servers
// have ended without its knowledge: on any handle of the code under test that has neither been
// closed nor been told of the end (or was told only a few waits ago). A thread may be inside
// several times. An Inside may outlive the thread that has entered, for which it stays inside: a
// thread that has returned waits no more, so that it is excused for good if it returned before
// those few waits. Once the execution is over, an Inside has no effect.
class Inside {
 public:
  explicit Inside(std::string resource);
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside();
  // Call it when the holder has learnt that its lock may be lost: others may then be inside. Any
  // thread may call it.
  void leave();

 private:
  std::string resource_;
  const intercept::Thread* self_;  // The thread that has entered,
  std::uint32_t execution_;        // and the number of its execution.
  bool inside_ = true;
};

}  // namespace lockstep::threads
