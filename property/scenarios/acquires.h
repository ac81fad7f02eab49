#pragma once

#include <memory>
#include <utility>

#include "lockstep/lock_observer.h"
#include "rounds.h"

namespace lockstep::scenarios {

// Reports to the oracles each acquire that a recipe makes by itself, on sessions it chooses itself.
class Acquires : public LockObserver {
 public:
  // Returns an observer that outlives the grants that it observes: they may be released in the
  // background after the contender's tasks have ended.
  template <class Observer = Acquires>
  static Observer& of(Contender& self, Context patience) {
    const auto made = std::make_shared<Observer>(self, std::move(patience));
    self.keep(made);
    return *made;
  }

  Acquires(Contender& self, Context patience)
      : self_(self), oracles_(self.oracles()), patience_(std::move(patience)) {}

  void acquire_begins(SessionId session, const Path&) override {
    oracles_.acquiring(session, index_of(self_), patience_.deadline());
  }
  void acquire_ends(SessionId session, const Path&) override { oracles_.resolved(session); }
  void place_reserved(SessionId session, const Path& lock, const Path& znode) override {
    oracles_.place_reserved(session, lock, znode);
  }
  void waiting(SessionId session, const Path& znode, std::size_t ahead) override {
    oracles_.waiting(session, znode, ahead);
  }
  void granted(const GrantRecord& grant) override { oracles_.granted(grant); }
  void gave_up(SessionId session, const Path& lock, Error error) override {
    oracles_.gave_up(session, lock, error);
  }
  void handed_on(const GrantRecord& grant, std::uint32_t holder) override {
    oracles_.handed_on(grant, holder);
  }
  void suspected(const GrantRecord& grant) override { oracles_.suspected(grant); }
  void held_again(const GrantRecord& grant) override { oracles_.held_again(grant); }
  void lost(const GrantRecord& grant, Error cause) override { oracles_.lost(grant, cause); }
  void releasing(const GrantRecord& grant) override { oracles_.releasing(grant); }
  void released(const GrantRecord& grant, ReleaseOutcome outcome) override {
    oracles_.released(grant, outcome);
  }
  void dropped(const GrantRecord& grant) override { oracles_.dropped(grant); }

 private:
  Contender& self_;
  judge::LockOracles& oracles_;
  Context patience_;
};

}  // namespace lockstep::scenarios
