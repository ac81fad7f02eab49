#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "lockstep/judge/lock_oracles.h"
#include "support/by_hand.h"

namespace lockstep::unit {

// How often a client may look at an unchanged queue, plus one.
inline constexpr int kIdleLooks = 13;

// Reports to the oracles by hand what a lock would report; the znodes are real.
class OraclesByHand : public SimulatedTest {
 protected:
  OraclesByHand() {
    must(simulation_.run(create(*a_, "/lock")), "create");
    oracles_.begin(simulation_.world(), verdict_);
  }
  Created place(FakeSession& owner, std::string_view prefix = "/lock/x-lock-",
                CreateMode mode = CreateMode::kEphemeralSequential) {
    return must(simulation_.run(create(owner, prefix, Data(), mode)), "create");
  }
  void remove_znode(FakeSession& session, const Created& victim) {
    must(simulation_.run(remove(session, victim.path)), "remove");
  }
  // The grant of `own` as of now.
  GrantRecord grant(const FakeSession& holder, const Created& own) {
    const Path lock = own.path.parent();
    const Zxid evidence = znode(simulation_, lock)->pzxid;
    return {holder.id(), lock, own.path, own.stat.czxid, evidence};
  }
  void hold_and_release(FakeSession& holder, const Created& own) {
    const GrantRecord record = grant(holder, own);
    oracles_.granted(record);
    remove_znode(holder, own);
    oracles_.released(record, ReleaseOutcome::kReleased);
  }
  // Expects that this oracle was broken, and that its message has this text.
  void expect_broken(std::string_view oracle, std::string_view text) const {
    EXPECT_EQ(broken(), oracle);
    EXPECT_NE(message().find(text), std::string::npos) << message();
  }
  // Returns the oracle that was broken; "" if none.
  std::string broken() const { return verdict_.violation() ? verdict_.violation()->oracle : ""; }
  std::string message() const { return verdict_.violation() ? verdict_.violation()->message : ""; }

  search::Verdict verdict_;
  judge::LockOracles oracles_{"-lock-"};
  const std::shared_ptr<FakeSession> a_ = simulation_.open("A");
  const std::shared_ptr<FakeSession> b_ = simulation_.open("B");
};

// The same with oracles that judge by other rules.
class OraclesOfRules : public OraclesByHand {
 protected:
  void judge(judge::LockRules rules) {
    oracles_of_rules_ = std::make_unique<judge::LockOracles>(std::move(rules));
    oracles_of_rules_->begin(simulation_.world(), verdict_);
  }
  judge::LockOracles& oracles() { return *oracles_of_rules_; }
  GrantRecord shared(const FakeSession& holder, const Created& own) {
    GrantRecord record = grant(holder, own);
    record.share = Share::kShared;
    return record;
  }

 private:
  std::unique_ptr<judge::LockOracles> oracles_of_rules_;
};

}  // namespace lockstep::unit
