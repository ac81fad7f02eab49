#include "process/forked_trials.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "lockstep/search/chronicler.h"
#include "lockstep/search/hunt.h"
#include "lockstep/search/schedule.h"
#include "lockstep/search/strategy.h"
#include "process/child.h"
#include "process/chronicle_bytes.h"
#include "process/forked_searcher.h"

namespace lockstep::lab {

namespace {

// A trial takes milliseconds, unless the code under test never returns.
constexpr unsigned kLongestSecondsOfATrial = 5;

// Writes the chronicle to a pipe, again after each event near the end: the last one that arrives is
// the most complete one.
class LastChronicle final : public fakezk::Tracer {
 public:
  LastChronicle(const fakezk::World& world, const search::Program& program, std::uint32_t last_step,
                int file)
      : chronicler_(world), program_(program), last_step_(last_step), file_(file) {}
  void step(const fakezk::Step& step) override {
    chronicler_.step(step);
    near_ = step.number + 1 >= last_step_;
    tell();
  }
  void note(std::uint32_t process, std::string_view text) override { user_note(process, 0, text); }
  void user_note(std::uint32_t process, std::uint32_t user, std::string_view text) override {
    chronicler_.user_note(process, user, text);
    tell();
  }
  void grant_begins(std::uint32_t process, const Path& znode) override {
    chronicler_.grant_begins(process, znode);
  }
  void grant_ends(std::uint32_t process, const Path& znode) override {
    chronicler_.grant_ends(process, znode);
  }
  void settled() override { chronicler_.settled(); }

 private:
  void tell() const {
    if (!near_) return;
    const std::string bytes = bytes_of(chronicler_.chronicle(program_));
    const std::size_t size = bytes.size();
    const std::string frame =
        std::string(reinterpret_cast<const char*>(&size), sizeof size) + bytes;
    std::string_view rest = frame;
    while (!rest.empty()) {
      const ssize_t written = ::write(file_, rest.data(), rest.size());
      if (written <= 0) return;
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  search::Chronicler chronicler_;
  const search::Program& program_;
  std::uint32_t last_step_;
  int file_;
  bool near_ = false;
};

std::string read_to_end(int file) {
  std::string text;
  std::array<char, 4096> some{};
  for (ssize_t got; (got = ::read(file, some.data(), some.size())) > 0;) {
    text.append(some.data(), static_cast<std::size_t>(got));
  }
  return text;
}

// The last chronicle that is complete.
search::Chronicle last_of(std::string_view frames) {
  std::string_view last;
  for (std::size_t size = 0; frames.size() >= sizeof size;) {
    std::memcpy(&size, frames.data(), sizeof size);
    frames.remove_prefix(sizeof size);
    if (frames.size() < size) break;
    last = frames.substr(0, size);
    frames.remove_prefix(size);
  }
  return chronicle_of(last).value_or(search::Chronicle());
}

}  // namespace

ForkedTrials::ForkedTrials(Make make, Hunts hunts, std::uint32_t trials_per_fork,
                           std::chrono::seconds most)
    : make_(std::move(make)),
      hunts_(hunts),
      trials_per_fork_(trials_per_fork),
      give_up_at_(std::chrono::steady_clock::now() + most),
      worker_(trials_per_fork) {}

bool ForkedTrials::time_is_up() const { return std::chrono::steady_clock::now() > give_up_at_; }

void ForkedTrials::use(ScenarioSize size, const search::ExecutionLimits& limits) {
  const bool is_same_size = size.clients == size_.clients && size.rounds == size_.rounds;
  const bool are_same_limits = limits.faults == limits_.faults && limits.steps == limits_.steps &&
                               limits.work == limits_.work;
  if (is_same_size && are_same_limits) return;
  worker_.end();
  limits_ = limits;
  if (is_same_size) return;
  size_ = size;
  world_.reset();
  program_ = make_(size_);
  world_ = std::make_unique<fakezk::World>(program_->servers());
}

search::Trial ForkedTrials::run(std::uint32_t clients, std::uint32_t rounds,
                                const search::ExecutionLimits& limits,
                                const std::vector<fakezk::Deviation>& deviations) {
  return run({clients, rounds}, limits, {.deviations = deviations});
}

search::Trial ForkedTrials::run_detours(std::uint32_t clients, std::uint32_t rounds,
                                        const search::ExecutionLimits& limits,
                                        const std::vector<fakezk::Deviation>& deviations,
                                        const std::vector<search::Detour>& detours) {
  return run({clients, rounds}, limits,
             {.deviations = deviations, .notes_detours = true, .detours = detours});
}

search::Trial ForkedTrials::run(ScenarioSize size, const search::ExecutionLimits& limits,
                                const Order& order) {
  if (time_is_up()) return {{}, order.deviations};
  use(size, limits);
  const auto work = [this](const Order& now, int file) {
    if (now.notes_detours) {
      write_trial(file, try_detours(*world_, *program_, limits_, now.deviations, now.detours));
      return;
    }
    search::Replay replay(now.deviations);
    search::Outcome outcome = execute(*world_, *program_, replay, limits_);
    write_trial(file, {std::move(outcome), world_->deviations()});
  };
  try {
    std::optional<ReportedTrial> told =
        worker_.run(order, kLongestSecondsOfATrial, IfSlow::kNothing, work);
    if (told) return std::move(told->trial);
  } catch (const std::system_error&) {
    // A finding is reported even if the machine has no process to shrink it in.
  }
  return {{}, order.deviations};
}

search::Caught ForkedTrials::hunt_in_one_child(ScenarioSize size,
                                               const search::ExecutionLimits& limits,
                                               const search::ShortHunt& what) {
  search::Caught caught;
  caught.executions = what.executions;
  if (time_is_up()) return caught;
  std::optional<ReportedTrial> told = in_child(kLongestSecondsOfATrial, IfSlow::kNothing, [&](int) {
    search::Searcher searcher(make_(size), search::make_portfolio(), limits, what.seed);
    for (std::uint64_t i = 0; i < what.executions; ++i) searcher.run(what.first + i);
  });
  if (!told) return caught;
  // Before the search begins, the program may end in its default schedule.
  if (told->execution >= what.first && told->execution < what.first + what.executions) {
    caught.executions = told->execution - what.first + 1;
  }
  caught.steps = told->trial.outcome.steps;
  caught.trial = std::move(told->trial);
  return caught;
}

search::Caught ForkedTrials::hunt(std::uint32_t clients, std::uint32_t rounds,
                                  const search::ExecutionLimits& limits,
                                  const search::ShortHunt& what) {
  const ScenarioSize size{clients, rounds};
  try {
    return hunts_ == Hunts::kInOneChild ? hunt_in_one_child(size, limits, what)
                                        : hunt_in_children(size, limits, what);
  } catch (const std::system_error&) {  // As in run().
    search::Caught nothing;
    nothing.executions = what.executions;
    return nothing;
  }
}

search::Caught ForkedTrials::hunt_in_children(ScenarioSize size,
                                              const search::ExecutionLimits& limits,
                                              const search::ShortHunt& what) {
  ForkedSearcher searcher([&] { return make_(size); }, &search::make_portfolio, limits, what.seed,
                          trials_per_fork_);
  search::Caught caught;
  while (caught.executions < what.executions && caught.steps < what.steps && !time_is_up()) {
    ReportedTrial told = searcher.run(what.first + caught.executions, IfSlow::kNothing);
    ++caught.executions;
    caught.steps += told.trial.outcome.steps;
    const std::optional<search::Violation>& violation = told.trial.outcome.violation;
    if (!violation || violation->oracle != what.oracle) continue;
    caught.trial = std::move(told.trial);
    break;
  }
  return caught;
}

search::Chronicle ForkedTrials::chronicle(ScenarioSize size, const search::ExecutionLimits& limits,
                                          const std::vector<fakezk::Deviation>& deviations,
                                          std::uint32_t last_step) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  // A second child reads, so that the pipe never fills while this process waits for the first.
  const ::pid_t writer = ::fork();
  if (writer == 0) {
    ::close(ends[0]);
    try {
      static_cast<void>(in_child(kLongestSecondsOfATrial, IfSlow::kNothing, [&](int) {
        const std::unique_ptr<search::Program> program = make_(size);
        fakezk::World world(program->servers());
        LastChronicle tracer(world, *program, last_step, ends[1]);
        search::Replay replay(deviations);
        execute(world, *program, replay, limits, &tracer);
      }));
    } catch (const std::system_error&) {  // There is no chronicle.
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  search::Chronicle chronicle = writer > 0 ? last_of(read_to_end(ends[0])) : search::Chronicle();
  ::close(ends[0]);
  if (writer > 0) ::waitpid(writer, nullptr, 0);
  return chronicle;
}

}  // namespace lockstep::lab
