#pragma once

#include <optional>
#include <stop_token>
#include <utility>

#include "lockstep/fake/scenario.h"

namespace lockstep::scenarios {

// A holder of an exclusive lock, at what the lock protects: in from here on, unless it knows by now
// that its grant has ended for that `cause`, and out when this goes. SharedResource judges (S2)
// that it is alone. The session outlives this.
class Inside {
 public:
  Inside(fake::Contender& self, const Session& session, std::optional<Error> cause)
      : resource_(self.resource()), session_(session), inside_(!cause) {
    if (inside_) resource_.enter(session_);
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { leave(); }

  // Out as soon as it is told of the loss.
  void leave_at(std::stop_token lost) { notice_.emplace(std::move(lost), Leave{this}); }
  void leave() {
    if (std::exchange(inside_, false)) resource_.leave(session_);
  }

 private:
  struct Leave {
    Inside* visit;
    void operator()() const { visit->leave(); }
  };

  fakezk::SharedResource& resource_;
  const Session& session_;
  bool inside_;
  std::optional<std::stop_callback<Leave>> notice_;
};

}  // namespace lockstep::scenarios
