#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "lockstep/clock.h"
#include "lockstep/judge/lock_rules.h"
#include "lockstep/lab/contender.h"
#include "lockstep/path.h"
#include "lockstep/search/program.h"
#include "lockstep/session_options.h"
#include "lockstep/task.h"

namespace lockstep::lab {

// The code of one contender: a coroutine, called with the lock's path and a number of rounds. A
// function, or a lambda that outlives all executions.
using Contend = std::function<Task<void>(Contender& self, Path lock, std::uint32_t rounds)>;
// Judges the world: `verdict.report("user:name", "how", world.steps())`.
using Judge = std::function<void(const fakezk::World& world, search::Verdict& verdict)>;

// Describes what a hunt searches: the contenders, their rules, and further invariants.
//
//   LockUnderTest lock("tickets", &sell_tickets);
//   lock.at_start = [&] { sold = 0; };
//   lock.check_at_end = &every_ticket_is_sold;
//
// `contend` may do anything, with acquires, releases and other calls. It reports its own invariants
// with self.oracles().violated("user:name", "how"). If it acquires by other means than contend_for,
// it tells the oracles of each acquire, which then must resolve (L1), and by its deadline (L4):
//
//   self.oracles().acquiring(session.id(), self.client().process().index(), patience.deadline());
//   Result<HeldLock> held = co_await mutex.acquire(patience);
//   self.oracles().resolved(session.id());
class LockUnderTest {
 public:
  explicit LockUnderTest(std::string scenario) : name(std::move(scenario)) {}
  LockUnderTest(std::string scenario, Contend contender)
      : name(std::move(scenario)), contend(std::move(contender)) {}

  // The name in reports and replay strings: letters, digits, '-', '_', '.' and '+'.
  std::string name;
  Contend contend;
  // Runs before each execution and resets all memory that the contenders share. (One process runs
  // many thousand executions.)
  std::function<void()> at_start;
  // Judge after each step, and when nothing can happen any more.
  Judge invariant;
  Judge check_at_end;
  judge::LockRules rules = judge::mutex_rules();  // They say which grants exclude each other.
  // lock_under_test<M> and blocking_lock_under_test<M> set kImpatient if M can be bounded.
  LastContender last = LastContender::kPatient;
  fakezk::ReplicaIndex replicas = 1;  // With more, the last server is slow.
  Duration tick_time = fakezk::ServerOptions().tick_time;
  // The identity of each contender's sessions, and the ACL of the znodes that they create.
  SessionOptions sessions;
  // The smallest meaningful size: no failure is shrunk below it.
  ScenarioSize least = {1, 1};
  // The contenders share nothing but ZooKeeper: no memory, no file. An exhaustive search then tries
  // fewer orders, and a hunt uses several threads. See shares_nothing().
  bool isolated = false;
  // Executions run in child processes (fork): they find all memory as it was, and one that cannot
  // be unwound leaves nothing behind. For code with threads: lockstep::threads. Only by a strategy,
  // with one job and no coverage. A failure is run once more in this process, to be drawn.
  bool in_forks = false;
  // The number of executions that share a child, as long as that makes no difference. A hunt
  // repeats one in 200, and each finding, in a new child; if the repetition differs, it begins
  // again with a child for each execution.
  std::uint32_t executions_per_fork = 64;
  // If set, the hunt searches the program that this makes, which need not consist of contenders.
  // Then `name`, `least` and `isolated` apply, and no other member above.
  std::function<std::unique_ptr<search::Program>(ScenarioSize)> make_program;
  // C++ source for this lock in the regression test that a report prints: the second argument of
  // replay_lock, and the header that declares it. lock_under_test<M> and
  // blocking_lock_under_test<M> set both; if rules or checks are added, the test has a place to
  // fill in. For a bare contender the class name is derived from the lock's name.
  std::string source;
  std::string include;
  LastContender usual_last = LastContender::kPatient;  // The value that `source` sets.
  // The contender for which lock_under_test<M> and blocking_lock_under_test<M> set `isolated`.
  Task<void> (*usual_contend)(Contender& self, Path lock, std::uint32_t rounds) = nullptr;

  // Whether a hunt takes the contenders for isolated: `isolated` is set, nothing has to be reset
  // before an execution (`at_start`), and `contend` is still the one that it was set for. If you
  // replace `contend` by another isolated contender, set `usual_contend` to null and `isolated` to
  // true.
  [[nodiscard]] bool shares_nothing() const;

  // Throws std::invalid_argument if the name is malformed, `contend` is empty, there is no server,
  // or `tick_time` is not positive.
  [[nodiscard]] std::unique_ptr<search::Program> program(ScenarioSize size) const;
};

// "my-mutex" as the name of a class: "MyMutex".
[[nodiscard]] std::string class_name(std::string_view scenario);

// The source code of a lock in a regression test.
struct LockSource {
  std::string code;     // the second argument of replay_lock
  std::string include;  // the header that declares it, or empty
  std::string note;     // a comment on what is left to do, or empty
};
// `mutex` is the C++ class; if empty, the class name is derived from the lock's name.
[[nodiscard]] LockSource source_of(const LockUnderTest& lock, std::string_view mutex = {});

}  // namespace lockstep::lab

namespace lockstep::internal {

// "acme::MyMutex", extracted from the compiler's name of this function.
template <class T>
[[nodiscard]] std::string type_name() {
  constexpr std::string_view kBefore = "T = ";
  const std::string_view function = __PRETTY_FUNCTION__;
  const std::size_t begin = function.find(kBefore) + kBefore.size();
  std::string name(function.substr(begin, function.find_first_of(";]", begin) - begin));
  for (const std::string_view unnamed : {"{anonymous}::", "(anonymous namespace)::"}) {
    for (std::size_t at; (at = name.find(unnamed)) != std::string::npos;) {
      name.erase(at, unnamed.size());
    }
  }
  return name;
}

}  // namespace lockstep::internal
