#include "repeat.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/search/chronicle.h"

namespace lockstep::search {

namespace {

// How often a schedule that has diverged once is run until it diverges again.
constexpr int kAttempts = 32;

// Collects every step of an execution, with a hash of everything that led to it.
class Steps final : public fakezk::Tracer {
 public:
  struct Entry {
    std::uint64_t hash;
    std::string event;
  };

  explicit Steps(const fakezk::World& world) : world_(world) {}
  void step(const fakezk::Step& step) override {
    // An expiry also traces the timers that fire on its way: they belong to its step.
    if (steps.size() == step.number) return;
    steps.push_back({world_.trace_hash(), describe(step)});
  }
  void note(std::uint32_t, std::string_view) override {}

  std::vector<Entry> steps;

 private:
  [[nodiscard]] std::string describe(const fakezk::Step& step) const {
    const auto of_link = [&](std::string_view what) {
      return std::string(what) + ' ' + world_.process_name(world_.process_of(step.event.index));
    };
    const std::string index = std::to_string(step.event.index);
    switch (step.event.kind) {
      case fakezk::Event::Kind::kDeliver:
        return of_link("an item of its inbox reaches") + ' ' +
               without_guids(step.received->reply.path.view());
      case fakezk::Event::Kind::kApply:
        return of_link("the servers take up a request of") + ": " + describe(*step.applied);
      case fakezk::Event::Kind::kCloseSession: return "the servers end session " + index;
      case fakezk::Event::Kind::kReap: return "the servers reap " + path(step.path);
      case fakezk::Event::Kind::kStray: return "a request comes late: " + describe(*step.applied);
      case fakezk::Event::Kind::kReplicate: return "replica " + index + " catches up by one";
      case fakezk::Event::Kind::kTimer:
        if (step.timer != fakezk::TimerKind::kProcess) return "a timer of the servers fires";
        return "a timer of " + world_.process_name(step.timer_index) + " fires";
      case fakezk::Event::Kind::kWake: return world_.process_name(step.event.index) + " wakes up";
      case fakezk::Event::Kind::kGoOn:
        return world_.process_name(fakezk::Threads::process_of(step.event.index)) + " goes on";
      case fakezk::Event::Kind::kFault: break;
    }
    return "the fault " + std::string(name(step.event.fault));
  }
  [[nodiscard]] std::string describe(const fakezk::Applied& applied) const {
    return applied.is_request ? std::string(name(applied.op)) + ' ' + path(applied.path)
                              : "it connects";
  }
  [[nodiscard]] std::string path(fakezk::PathId id) const {
    return without_guids(world_.server().paths().path(id).view());
  }

  const fakezk::World& world_;
};

std::string in_words(const std::vector<Steps::Entry>& steps, std::size_t at) {
  if (at < steps.size()) return "'" + steps[at].event + "'";
  return "nothing, it has ended";
}

Violation diverged(const std::vector<Steps::Entry>& one, const std::vector<Steps::Entry>& other) {
  std::size_t at = 0;
  while (at < one.size() && at < other.size() && one[at].hash == other[at].hash) ++at;
  const auto number = static_cast<std::uint32_t>(at + 1);
  std::string message =
      "the program is not deterministic: two runs of one schedule diverge at step " +
      std::to_string(number);
  const std::string first = in_words(one, at);
  const std::string second = in_words(other, at);
  if (first == second) {
    message += ": event " + first + " differs in what it carries or when it happens";
  } else {
    message += ": event " + first + " in one, " + second + " in the other";
  }
  return {std::string(name(Oracle::kMisuse)), std::move(message), number};
}

}  // namespace

std::optional<Violation> find_nondeterminism(const fakezk::World& world, const Outcome& first,
                                             const RunAgain& run) {
  if (run(nullptr).trace_hash == first.trace_hash) return std::nullopt;
  return where_runs_diverge(world, run);
}

Violation where_runs_diverge(const fakezk::World& world, const RunAgain& run) {
  Steps reference(world);
  const std::uint64_t hash = run(&reference).trace_hash;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Steps other(world);
    if (run(&other).trace_hash != hash) return diverged(reference.steps, other.steps);
  }
  return remembers_executions();
}

Violation remembers_executions() {
  return {std::string(name(Oracle::kMisuse)),
          "the program is not deterministic: its first run of a schedule differs from"
          " all later ones. Does it keep something between executions, such as a static variable?",
          0};
}

}  // namespace lockstep::search
