#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "interop/fleet.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/on_client.h"
#include "lockstep/when_all.h"
#include "lockstep/within.h"
#include "support/lab.h"

namespace lockstep::interop {

inline std::string on_lock(const std::string& recipe) {
  return recipe + " " + Fleet::lock().string();
}

// A contender of ours that takes and releases a lock that many times; `take` calls the recipe.
template <class Recipe, class Take>
Task<void> pass_through(std::shared_ptr<Session> session, Recipe recipe, Take take, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    HeldLock held = support::must(co_await take(recipe, Context()), "acquire");
    co_await enter(*session, held);
    static_cast<void>(co_await leave(*session, held));
  }
}

// Our tasks and one contender of the other library for each recipe contend until all have had their
// rounds.
inline Task<void> contend(Fleet& fleet, std::vector<std::string> recipes, int rounds,
                          std::vector<Task<void>> ours) {
  std::vector<Other> others;
  for (std::size_t i = 0; i < recipes.size(); ++i) {
    others.emplace_back(fleet, static_cast<int>(i) + 1);
    static_cast<void>(co_await others.back().open());
  }
  const std::string what = "rounds " + std::to_string(rounds) + " " + Fleet::witness().string();
  for (std::size_t i = 0; i < recipes.size(); ++i) others[i].tell(what + " " + recipes[i]);
  co_await when_all(std::move(ours));
  for (const Other& other : others) {
    const std::string answer = co_await other.answer();
    if (answer != "done") throw std::runtime_error(answer);
  }
}

// Each side waits in vain for the other, which holds, and leaves nothing behind.
template <class Recipe, class Take>
Task<void> give_up(Fleet& fleet, const Other& other, Recipe recipe, Take take, std::string theirs) {
  HeldLock held = support::must(co_await take(recipe, Context()), "acquire");
  EXPECT_EQ(co_await other.ask("lock 200 " + theirs), "refused");
  static_cast<void>(co_await held.release());
  co_await other.hold(theirs);
  Context patience = within(fleet.executor(), std::chrono::milliseconds(200));
  const auto in_vain = co_await take(recipe, std::move(patience));
  EXPECT_EQ(in_vain.error(), Error::kTimedOut);
  co_await other.leave();
}

// The other's process is stopped while it holds: its session expires, and ours gets the lock.
inline Task<void> stop_the_other_holder(Fleet& fleet, LockOptions options) {
  const auto session = co_await fleet.open();
  FairMutex mutex(*session, Fleet::lock(), std::move(options));
  const auto contenders = [&mutex] { return mutex.contenders(); };
  const Other other(fleet, 1);
  static_cast<void>(co_await other.open(kShortSessionTimeout));
  co_await other.hold(on_lock("mutex"));
  Ours ours(mutex.acquire());
  co_await until_queue(fleet, 2, contenders);

  fleet.others().signal(SIGSTOP);
  HeldLock held = support::must(co_await ours.result(fleet), "acquire");
  co_await enter(*session, held);
  fleet.others().signal(SIGCONT);
  EXPECT_EQ(co_await other.ask("await-loss"), "lost");
  EXPECT_EQ(co_await other.ask("unlock"), "released");  // The znode is gone.
  other.tell("lock -1 " + on_lock("mutex"));
  co_await until_queue(fleet, 2, contenders);
  static_cast<void>(co_await leave(*session, held));
  co_await other.enter();
  co_await other.leave();
}

// Our holder is isolated until its session has expired: it must know of that before the other
// enters.
inline Task<void> isolate_our_holder(Fleet& fleet, LockOptions options) {
  const auto session = co_await fleet.open(kShortSessionTimeout);
  const auto spectator = co_await fleet.open();
  FairMutex mutex(*session, Fleet::lock(), options);
  FairMutex seen(*spectator, Fleet::lock(), std::move(options));
  HeldLock held = support::must(co_await mutex.acquire(), "acquire");
  co_await enter(*session, held);
  const std::stop_token lost = held.lost_token();
  const Other other(fleet, 1);
  static_cast<void>(co_await other.open());
  other.tell("lock -1 " + on_lock("mutex"));
  const auto contenders = [&seen] { return seen.contenders(); };
  co_await until_queue(fleet, 2, contenders);

  co_await fleet.expire(*session);
  co_await other.enter();
  EXPECT_TRUE(lost.stop_requested());
  EXPECT_EQ(co_await held.release(), ReleaseOutcome::kAlreadyLost);
  co_await other.leave();
}

// A test of a fleet.
class FleetTest : public ::testing::Test {
 protected:
  explicit FleetTest(Library others) : fleet_(others) {}

  // Runs the test, and expects that many critical sections in its history, and no violation.
  void expect_sound(Task<void> test, std::size_t entries, std::size_t leases = 1) {
    fleet_.run(std::move(test));
    const Verdict verdict = fleet_.verdict(leases);
    EXPECT_EQ(verdict.entries, entries);
    EXPECT_THAT(verdict.violations, testing::IsEmpty());
  }

  Fleet fleet_;
};

}  // namespace lockstep::interop
