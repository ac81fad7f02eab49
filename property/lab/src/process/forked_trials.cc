#include "process/forked_trials.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <utility>

#include "lockstep/search/chronicler.h"
#include "lockstep/search/hunt.h"
#include "lockstep/search/lanes.h"
#include "lockstep/search/schedule.h"
#include "lockstep/search/strategy.h"
#include "process/under_way.h"

namespace lockstep::lab {

namespace {

// A trial takes milliseconds, unless the code under test never returns.
constexpr unsigned kMostSecondsOfATrial = 5;
// All of them together; the process that has ended waits for them.
constexpr std::int64_t kMostSeconds = 30;
constexpr std::string_view kCrash = "crash";

std::int64_t seconds_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

// The code under test may print, and did so already in the process that ended.
void be_silent() {
  const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(nothing, STDOUT_FILENO);
  ::dup2(nothing, STDERR_FILENO);
}

search::Trial crashed(End end) {
  search::Trial trial;
  trial.outcome.violation = search::Violation{std::string(kCrash), std::move(end.what), end.step};
  trial.outcome.steps = end.step;
  trial.deviations = std::move(end.deviations);
  return trial;
}

// Draws the lanes again after each event near the end, and writes them to a pipe: the last drawing
// that arrives is as complete as it can be.
class LastLanes final : public fakezk::Tracer {
 public:
  LastLanes(const fakezk::World& world, const search::Program& program, std::uint32_t last_step,
            int file)
      : chronicler_(world), program_(program), last_step_(last_step), file_(file) {}
  void step(const fakezk::Step& step) override {
    chronicler_.step(step);
    near_ = step.number + 1 >= last_step_;
    tell();
  }
  void note(std::uint32_t process, std::string_view text) override {
    chronicler_.note(process, text);
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
    const std::string lanes = draw_lanes(chronicler_.chronicle(program_)) + '\0';
    std::string_view rest = lanes;
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

// The last text of several, each of which ends with a zero byte.
std::string last_of(std::string texts) {
  const std::size_t end = texts.rfind('\0');
  if (end == texts.npos) return {};
  texts.resize(end);
  const std::size_t before = texts.rfind('\0');
  return before == texts.npos ? texts : texts.substr(before + 1);
}

}  // namespace

ForkedTrials::ForkedTrials(Make make)
    : make_(std::move(make)), give_up_at_(seconds_now() + kMostSeconds) {}

std::optional<End> ForkedTrials::in_child(const std::function<void()>& work) {
  std::array<int, 2> ends{};
  if (seconds_now() > give_up_at_ || ::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  const ::pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    be_silent();
    report_ends_to(ends[1]);
    ::alarm(kMostSecondsOfATrial);
    work();
    ::_exit(0);
  }
  ::close(ends[1]);
  std::optional<End> end = child > 0 ? read_end(ends[0]) : std::nullopt;
  ::close(ends[0]);
  if (child > 0) ::waitpid(child, nullptr, 0);
  return end;
}

search::Trial ForkedTrials::run(std::uint32_t clients, std::uint32_t rounds,
                                const search::ExecutionLimits& limits,
                                const std::vector<fakezk::Deviation>& deviations) {
  std::optional<End> end = in_child([&] {
    const std::unique_ptr<search::Program> program = make_({clients, rounds});
    fakezk::World world(program->servers());
    search::Replay replay(deviations);
    execute(world, *program, replay, limits);
  });
  if (!end) return {{}, deviations};
  return crashed(*std::move(end));
}

search::Caught ForkedTrials::hunt(std::uint32_t clients, std::uint32_t rounds,
                                  const search::ExecutionLimits& limits,
                                  const search::ShortHunt& what) {
  std::optional<End> end = in_child([&] {
    search::Searcher searcher(make_({clients, rounds}), search::make_portfolio(), limits,
                              what.seed);
    for (std::uint64_t i = 0; i < what.executions; ++i) searcher.run(what.first + i);
  });
  search::Caught caught;
  caught.executions = what.executions;
  if (!end) return caught;
  if (end->execution < what.first + what.executions) {
    caught.executions = end->execution - what.first + 1;
  }
  caught.steps = end->step;
  caught.trial = crashed(*std::move(end));
  return caught;
}

std::string ForkedTrials::draw(ScenarioSize size, const search::ExecutionLimits& limits,
                               const std::vector<fakezk::Deviation>& deviations,
                               std::uint32_t last_step) {
  give_up_at_ = seconds_now() + kMostSeconds;
  std::array<int, 2> lanes{};
  if (::pipe2(lanes.data(), O_CLOEXEC) != 0) return {};
  // A second child reads, so that the pipe never fills while this process waits for the first.
  const ::pid_t writer = ::fork();
  if (writer == 0) {
    ::close(lanes[0]);
    static_cast<void>(in_child([&] {
      const std::unique_ptr<search::Program> program = make_(size);
      fakezk::World world(program->servers());
      LastLanes tracer(world, *program, last_step, lanes[1]);
      search::Replay replay(deviations);
      execute(world, *program, replay, limits, &tracer);
    }));
    ::_exit(0);
  }
  ::close(lanes[1]);
  std::string text = writer > 0 ? last_of(read_to_end(lanes[0])) : std::string();
  ::close(lanes[0]);
  if (writer > 0) ::waitpid(writer, nullptr, 0);
  return text;
}

}  // namespace lockstep::lab
