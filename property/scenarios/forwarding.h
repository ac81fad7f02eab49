#pragma once

#include <cstddef>
#include <cstdint>

#include "lockstep/lock_observer.h"

namespace lockstep::scenarios {

// Forwards what a lock reports of its places and grants. A derived class changes some of it.
class Forwarding : public LockObserver {
 public:
  explicit Forwarding(LockObserver& told) : told_(told) {}

  void place_reserved(SessionId session, const Path& lock, const Path& znode) override {
    told_.place_reserved(session, lock, znode);
  }
  void waiting(SessionId session, const Path& znode, std::size_t ahead) override {
    told_.waiting(session, znode, ahead);
  }
  void granted(const GrantRecord& grant) override { told_.granted(grant); }
  void gave_up(SessionId session, const Path& lock, Error error) override {
    told_.gave_up(session, lock, error);
  }
  void handed_on(const GrantRecord& grant, std::uint32_t holder) override {
    told_.handed_on(grant, holder);
  }
  void suspected(const GrantRecord& grant) override { told_.suspected(grant); }
  void held_again(const GrantRecord& grant) override { told_.held_again(grant); }
  void lost(const GrantRecord& grant, Error cause) override { told_.lost(grant, cause); }
  void releasing(const GrantRecord& grant) override { told_.releasing(grant); }
  void released(const GrantRecord& grant, ReleaseOutcome outcome) override {
    told_.released(grant, outcome);
  }
  void dropped(const GrantRecord& grant) override { told_.dropped(grant); }

 private:
  LockObserver& told_;
};

}  // namespace lockstep::scenarios
