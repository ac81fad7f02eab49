#pragma once

#include <string>
#include <string_view>

#include "lockstep/internal/language.h"

namespace lockstep::threads {

// Reports that the code under test has broken an invariant of its own, as "user:NAME". Called on
// one of its threads; ends the execution.
void violated(std::string_view name, std::string message);
// Writes into the lane of the calling thread. No effect on the schedule.
void note(std::string_view text);

// A thread is at the resource that a lock protects, from the constructor to the destructor: no
// other one may be (S2). Everything that it does with ZooKeeper, and every wait, gives the others a
// chance.
class Inside {
 public:
  explicit Inside(std::string resource);
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside();
  // The holder has learnt that its lock may be lost: from here on others may be inside.
  void leave();

 private:
  std::string resource_;
  bool inside_ = true;
};

}  // namespace lockstep::threads
