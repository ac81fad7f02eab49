#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lockstep/fakezk/world.h"

namespace lockstep::search {

// The guarantee that an execution broke. When one step breaks several, the first in this order is
// reported; users' own invariants ("user:<name>") come last.
inline constexpr std::array<std::string_view, 15> kOracleOrder = {
    "S1", "S2", "S3", "S4",       "S5",       "L1",    "L2",    "L3",
    "L4", "R1", "R2", "deadlock", "livelock", "crash", "misuse"};

struct Violation {
  std::string oracle;
  std::string message;
  std::uint32_t step = 0;
};

// Where violations of one step gather: the one that comes first in kOracleOrder stays.
class Verdict {
 public:
  void clear() {
    violation_.reset();
    broken_ = false;
    over_ = false;
  }
  // Nothing happens any more, and what is left is cleared away. That breaks no guarantee, but what
  // users report of it counts.
  void execution_is_over() { over_ = true; }
  void report(std::string_view oracle, std::string message, std::uint32_t step);
  [[nodiscard]] const std::optional<Violation>& violation() const { return violation_; }
  // Whether there is one: to be looked at again and again.
  [[nodiscard]] const bool& is_broken() const { return broken_; }

 private:
  std::optional<Violation> violation_;
  bool broken_ = false;
  bool over_ = false;
};

// What a hunt runs again and again: a program of some processes, and the judgement on it.
class Program : public fakezk::ProcessNames {
 public:
  Program() = default;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  virtual ~Program() = default;

  // The servers of its world: whoever runs the program makes a World with these.
  [[nodiscard]] virtual fakezk::ServerOptions servers() const { return {}; }
  // Before each start(): a fresh world, or one that goes back to where the last start() had
  // prepared it, which comes to the same and is faster.
  virtual void reset(fakezk::World& world) { world.reset(); }
  // Builds the processes in such a world and prepares what the search shall not vary (sessions
  // are connected, parents exist). The tasks to be searched are started at its end.
  virtual void start(fakezk::World& world, Verdict& verdict) = 0;
  // Who starts its processes again when they have crashed. Without one, they do not crash.
  [[nodiscard]] virtual fakezk::Restarter* restarter() { return nullptr; }
  // The servers have committed something in the last step: for judges of what they do.
  virtual void committed() {}
  // Judges what has become of the world, after each step; only if it says so. Such a judge sees
  // every order of steps, so that an exhaustive search can leave out none.
  virtual void after_step(fakezk::World&, Verdict&) {}
  [[nodiscard]] virtual bool judges_each_step() const { return false; }
  // Nothing can happen any more: is that the end, or does somebody still wait?
  virtual void finish(fakezk::World& world) = 0;
  // Lets go of everything that belongs to the world; the tasks are gone already.
  virtual void clear() = 0;
  // True if the processes share nothing but ZooKeeper: no memory, and judges that say what they
  // keep (World::recorder). An exhaustive search of any other program has to try more orders.
  [[nodiscard]] virtual bool isolated() const { return false; }
};

// How one execution went.
struct Outcome {
  std::optional<Violation> violation;
  std::uint64_t trace_hash = 0;
  std::uint32_t steps = 0;
  std::uint32_t positions = 0;
};

struct ExecutionLimits {
  fakezk::FaultPlan faults;
  // More are a livelock. From the middle on everything is mended and scheduled fairly: first what
  // must never happen, then what must happen at last.
  std::uint32_t steps = 20'000;
  // More of it between two steps (World::set_most_work) is a livelock as well.
  std::uint32_t work = 100'000;
};

// Exceptions that have escaped from tasks, as violations of the oracle "crash".
void report_exceptions(fakezk::World& world, Verdict& verdict);

// Runs one execution in `world`, which has the program's servers, is reset before and emptied
// after. What the chooser chose remains in world.deviations(). A tracer sees the searched part
// only.
Outcome execute(fakezk::World& world, Program& program, fakezk::Chooser& chooser,
                const ExecutionLimits& limits, fakezk::Tracer* tracer = nullptr);

}  // namespace lockstep::search
