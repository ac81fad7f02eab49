#pragma once

#include <optional>
#include <stop_token>
#include <utility>

#include "lockstep/lab/scenario.h"

namespace lockstep::scenarios {

// A holder of an exclusive lock, at what the lock protects: in from here on, unless it knows by now
// that its grant has ended for that `cause`, and out when this goes. SharedResource judges (S2)
// that it is alone. The session outlives this.
class Inside {
 public:
  Inside(lab::Contender& self, const Session& session, std::optional<Error> cause)
      : resource_(self.resource()), session_(session), inside_(!cause) {
    if (inside_) resource_.enter(session_);
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { leave(); }

  // Leaves as soon as the loss is reported.
  void leave_at(std::stop_token lost) { notice_.emplace(std::move(lost), Leave{this}); }
  // Relies on its session until then, by its own clock.
  void rely(TimePoint until) {
    if (inside_) resource_.rely(session_, until);
  }
  void leave() {
    if (std::exchange(inside_, false)) resource_.leave(session_);
  }

 private:
  struct Leave {
    Inside* visit;
    void operator()() const { visit->leave(); }
  };

  judge::SharedResource& resource_;
  const Session& session_;
  bool inside_;
  std::optional<std::stop_callback<Leave>> notice_;
};

// Whether this holder takes its time inside. The first client does once a fault has struck: before
// that no grant can be lost, and S1 is all there is to judge.
[[nodiscard]] inline bool lingers(const lab::Contender& self) {
  const fakezk::World& world = self.client().process().world();
  if (self.client().process().index() != 0) return false;
  // The program's further behaviour depends on the faults that have struck.
  if (fakezk::FootprintRecorder* const recorder = world.recorder()) {
    recorder->reads(fakezk::ObjectKind::kFaults);
  }
  return world.kinds_injected() != 0;
}

}  // namespace lockstep::scenarios
