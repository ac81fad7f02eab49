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

// What one contender does: a coroutine, which is run with the lock's path and a number of rounds.
// A function, or a lambda that lives as long as whoever runs it.
using Contend = std::function<Task<void>(Contender& self, Path lock, std::uint32_t rounds)>;
// Judges the world: `verdict.report("user:name", "how", world.steps())`.
using Judge = std::function<void(const fakezk::World& world, search::Verdict& verdict)>;

// What a hunt hunts: who contends, by which rules, and what else is to hold.
//
//   LockUnderTest lock("tickets", &sell_tickets);
//   lock.at_start = [&] { sold = 0; };
//   lock.check_at_end = &every_ticket_is_sold;
//
// What `contend` does is up to it, with acquire, release and whatever else it likes. Invariants of
// its own it reports with self.oracles().violated("user:name", "how"). For an acquire by other
// means than contend_for, self.oracles().acquiring() and resolved() say that it is under way, which
// bounds it (L4).
class LockUnderTest {
 public:
  LockUnderTest(std::string scenario, Contend contender)
      : name(std::move(scenario)), contend(std::move(contender)) {}

  // In reports and replay strings: letters, digits, '-', '_', '.' and '+'.
  std::string name;
  Contend contend;
  // Runs before each execution: what the contenders share in memory must not come from the one
  // before. (Many thousand executions are made in one process.)
  std::function<void()> at_start;
  // Judges after each step, and what is left when nothing can happen any more.
  Judge invariant;
  Judge check_at_end;
  judge::LockRules rules = judge::mutex_rules();  // Which grants exclude each other.
  // With lock_under_test<M>, and blocking_lock_under_test<M>, impatient if M can be bounded.
  LastContender last = LastContender::kPatient;
  fakezk::ReplicaIndex replicas = 1;  // With more, the last server is slow.
  Duration tick_time = fakezk::ServerOptions().tick_time;
  // The identity of each contender's sessions, and the ACL that they create znodes with.
  SessionOptions sessions;
  // It makes no sense with fewer clients or rounds: no failure is shown in a smaller scene.
  ScenarioSize least = {1, 1};
  // The contenders share nothing but ZooKeeper: no memory, no file. An exhaustive search tries
  // fewer orders then.
  bool isolated = false;
  // What stands for all this in the regression test that a report prints: C++ for the second
  // argument of replay_lock, and what declares it, for an #include. lock_under_test<M> and
  // blocking_lock_under_test<M> know it, until rules or checks of one's own are added: then the
  // test has a place to fill in. Of a contender alone the class is guessed from the name.
  std::string source;
  std::string include;
  LastContender usual_last = LastContender::kPatient;  // As `source` makes it.

  // Throws std::invalid_argument if the name is none, nobody contends, or there is no server.
  [[nodiscard]] std::unique_ptr<search::Program> program(ScenarioSize size) const;
};

// "my-mutex" as the name of a class: "MyMutex".
[[nodiscard]] std::string class_name(std::string_view scenario);

// What stands for a lock in a regression test.
struct LockSource {
  std::string code;     // replay_lock's second argument.
  std::string include;  // What declares it, or empty.
  std::string note;     // A comment: what is left to do. Or empty.
};
// `mutex` is the class in C++, if somebody knows; otherwise it is guessed from the lock's name.
[[nodiscard]] LockSource source_of(const LockUnderTest& lock, std::string_view mutex = {});

}  // namespace lockstep::lab

namespace lockstep::internal {

// "acme::MyMutex", as the compiler writes it in the name of this function.
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
