#pragma once

#include <memory>
#include <utility>

#include "forwarding.h"
#include "rounds.h"

namespace lockstep::scenarios {

// Reports to the oracles each acquire that a recipe makes by itself, on sessions it chooses itself.
class Acquires : public Forwarding {
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
      : Forwarding(self.oracles()), self_(self), patience_(std::move(patience)) {}

  void acquire_begins(SessionId session, const Path&) override {
    self_.oracles().acquiring(session, index_of(self_), patience_.deadline());
  }
  void acquire_ends(SessionId session, const Path&) override { self_.oracles().resolved(session); }

 private:
  Contender& self_;
  Context patience_;
};

}  // namespace lockstep::scenarios
