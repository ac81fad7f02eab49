#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <utility>

#include "lockstep/error.h"
#include "lockstep/judge/shared_resource.h"
#include "lockstep/lab/lane.h"
#include "lockstep/session.h"

namespace lockstep::lab {

// The critical section of an exclusive lock's holder, from the constructor to the destructor:
// SharedResource judges (S2) that no other contender is inside, also if the lock reports no grant.
// With a `cause` the grant has ended already, and the holder does not enter. For coroutines and for
// blocking code. The session outlives it.
//
//   Inside inside(self, session, held->cause());  // self: a Contender, or a User of one.
//   inside.leave_at(held->suspect_token());
//   co_await session.exists("/stock");  // Any work.
class Inside {
 public:
  Inside(Lane self, const Session& session, std::optional<Error> cause)
      : resource_(self.contender().resource()),
        session_(session),
        user_(self.user()),
        inside_(!cause) {
    if (inside_) resource_.enter(session_, user_);
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { leave(); }

  // Leaves as soon as the loss is reported: HeldLock::suspect_token() or lost_token().
  void leave_at(std::stop_token lost) { notice_.emplace(std::move(lost), Leave{this}); }
  // The holder relies on its session until then, by its own clock (HeldLock::valid_until).
  void rely(TimePoint until) {
    if (inside_) resource_.rely(session_, until, user_);
  }
  void leave() {
    if (std::exchange(inside_, false)) resource_.leave(session_, user_);
  }

 private:
  struct Leave {
    Inside* visit;
    void operator()() const { visit->leave(); }
  };

  judge::SharedResource& resource_;
  const Session& session_;
  std::uint32_t user_;
  bool inside_;
  std::optional<std::stop_callback<Leave>> notice_;
};

}  // namespace lockstep::lab
