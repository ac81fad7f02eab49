#include "lockstep/lab/last_words.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "lockstep/blocking/mutex.h"
#include "lockstep/internal/check.h"
#include "lockstep/lab/gtest.h"
#include "lockstep/search/exhaustive.h"
#include "scenarios/last_words.h"

#if defined(__SANITIZE_ADDRESS__)
#define LOCKSTEP_UNDER_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LOCKSTEP_UNDER_ADDRESS_SANITIZER 1
#endif
#endif

// Code under test that ends the process does not lose its schedule.
namespace lockstep::lab {
namespace {

using ::testing::ExitedWithCode;
using ::testing::KilledBySignal;

// AddressSanitizer reports a fault that it handles after the last words, and exits.
#ifdef LOCKSTEP_UNDER_ADDRESS_SANITIZER
const std::string kAfterFault = "(.|\n)*AddressSanitizer";
bool died_of_fault(int status) { return ExitedWithCode(1)(status); }
#elif defined(__SANITIZE_THREAD__)
const std::string kAfterFault = "(.|\n)*ThreadSanitizer";
bool died_of_fault(int status) { return ExitedWithCode(66)(status); }
#else
const std::string kAfterFault;
bool died_of_fault(int status) { return KilledBySignal(SIGSEGV)(status); }
#endif

// A way in which code under test ends.
using End = void (*)();

// The end comes only if the first contender's reply comes first. On the default schedule the second
// one's does.
template <End kEnd>
Task<void> end_if_overtaken(Contender& self, Path, std::uint32_t) {
  static thread_local bool first_was_there = false;
  const bool first = self.client().process().index() == 0;
  first_was_there = false;
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->sync("/"));
  if (!first && first_was_there) kEnd();
  first_was_there = first;
}
template <End kEnd>
Task<void> end_on_fiber(Contender& self, Path, std::uint32_t) {
  return self.on_fiber([] { kEnd(); });
}

template <End kEnd>
LockUnderTest overtaken() {
  return {"ends-badly", &end_if_overtaken<kEnd>};
}
template <End kEnd>
LockUnderTest on_fiber() {
  return {"ends-badly", &end_on_fiber<kEnd>};
}

HuntSettings two_contenders() { return {.size = {2, 1}, .executions = 500}; }
HuntReport hunt(const LockUnderTest& lock) { return hunt_lock(lock, two_contenders()); }

// The sentence, and the command that replays it.
std::string told_in(const std::string& what) {
  return what +
         ".* in step [0-9]+( of execution [0-9]+)?[.] Replay it:\n"
         "  LOCKSTEP_REPLAY=lockstep1/ends-badly/c2r1/b2:.*/.*/unknown\n";
}

void end_well() {}
void fail_a_check() { internal::check(false, "a rule of the user's"); }
void throw_something() { throw std::runtime_error("out"); }
void throw_where_none_may() noexcept { throw_something(); }
// The address looks valid, so that no sanitizer notices before the processor does.
void write_where_none_may() {
  static const char constant = 'c';
  const volatile auto address = reinterpret_cast<std::uintptr_t>(&constant);
  *reinterpret_cast<volatile char*>(address) = 'd';
}
template <int kSignal>
void raise_signal() {
  std::raise(kSignal);
}
void run_into_trap() { __builtin_trap(); }
void exit_well() { std::exit(EXIT_SUCCESS); }
void exit_quickly() { std::quick_exit(EXIT_SUCCESS); }
void abort_elsewhere() { std::thread(&std::abort).join(); }
void compute_for_ever() {
  const std::atomic<bool> forever = true;
  while (forever) {
  }
}
int recurse(int depth) {
  volatile char frame[2000];
  frame[0] = static_cast<char>(depth);
  return depth == 0 ? frame[0] : recurse(depth - 1) + frame[0];
}
void overflow_stack() { static_cast<void>(recurse(100'000)); }

TEST(LastWordsDeathTest, AnAbortIsReportedWithItsSchedule) {
  EXPECT_DEATH(hunt(overtaken<&std::abort>()),
               told_in("^lockstep: the program under test has abort"));
  EXPECT_DEATH(hunt(overtaken<&std::terminate>()), told_in("has aborted"));
  EXPECT_DEATH(hunt(overtaken<&fail_a_check>()), "a rule of the(.|\n)*" + told_in("has aborted"));
  EXPECT_DEATH(hunt(overtaken<&throw_where_none_may>()), told_in("has aborted"));
}

TEST(LastWordsDeathTest, EverySignalThatEndsTheProcessIsReported) {
  EXPECT_EXIT(hunt(overtaken<&std::abort>()), KilledBySignal(SIGABRT), "");
  EXPECT_EXIT(hunt(overtaken<&write_where_none_may>()), died_of_fault,
              told_in("invalid memory .SIGSEGV.") + kAfterFault);
  EXPECT_DEATH(hunt(overtaken<&raise_signal<SIGBUS>>()), told_in("invalid memory .SIGBUS."));
  EXPECT_DEATH(hunt(overtaken<&raise_signal<SIGFPE>>()), told_in("divided by zero.*SIGFPE"));
  EXPECT_DEATH(hunt(overtaken<&raise_signal<SIGTRAP>>()), told_in("run into a trap"));
  EXPECT_DEATH(hunt(overtaken<&run_into_trap>()), told_in("run into a trap"));
}

TEST(LastWordsDeathTest, AStackOverflowIsNamed) {
  EXPECT_EXIT(hunt(on_fiber<&overflow_stack>()), died_of_fault,
              told_in("probably overflowed a stack, of which a fiber's has 256 KiB") + kAfterFault);
}

TEST(LastWordsDeathTest, AnExitInTheMiddleIsNoSuccess) {
  EXPECT_EXIT(hunt(overtaken<&exit_well>()), ExitedWithCode(1), told_in("has called exit"));
  EXPECT_EXIT(hunt(on_fiber<&exit_well>()), ExitedWithCode(1), told_in("has called exit"));
  EXPECT_EXIT(hunt(overtaken<&exit_quickly>()), ExitedWithCode(1),
              told_in("has called quick_exit"));
}

#ifdef LOCKSTEP_UNDER_ADDRESS_SANITIZER
void use_after_free() {
  int* volatile gone = new int(1);
  delete gone;
  *gone = 2;  // NOLINT(clang-analyzer-cplusplus.NewDelete): that is what it is for.
}

// On a busy machine, symbolizing this large program's stacks takes longer than the watchdog waits.
TEST(LastWordsDeathTest, AFindingOfASanitizerIsReportedToo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  setenv("ASAN_OPTIONS", "symbolize=0", 1);
  EXPECT_EXIT(hunt(overtaken<&use_after_free>()), ExitedWithCode(1),
              "heap-use-after-free(.|\n)*" + told_in("been ended by a sanitizer"));
}
#endif

TEST(LastWordsDeathTest, AnEndlessExecutionIsReportedToo) {
  EXPECT_DEATH(hunt(overtaken<&compute_for_ever>()),
               "still computing(.|\n)*" + told_in("under test has aborted"));
}

TEST(LastWordsDeathTest, AThreadOfTheCodeUnderTestIsIncluded) {
  EXPECT_DEATH(hunt(overtaken<&abort_elsewhere>()), told_in("another thread has aborted"));
}

TEST(LastWordsDeathTest, ThereAreNoLastWordsOutsideOfAnExecution) {
  EXPECT_EXIT(std::abort(), KilledBySignal(SIGABRT), "^$");
  const auto abort_behind_a_hunt = [] {
    hunt(overtaken<&end_well>());
    std::abort();
  };
  EXPECT_EXIT(abort_behind_a_hunt(), KilledBySignal(SIGABRT), "^$");
  const auto exit_behind_a_hunt = [] {
    hunt(overtaken<&end_well>());
    std::exit(EXIT_SUCCESS);
  };
  EXPECT_EXIT(exit_behind_a_hunt(), ExitedWithCode(0), "^$");
}

// The standard error output of `run`, which ends its process.
std::string printed_by(const std::function<void()>& run) {
  std::FILE* const file = std::tmpfile();
  if (!file) throw std::runtime_error("no temporary file");
  const ::pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::fileno(file), STDERR_FILENO);
    run();
    ::_exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_FALSE(ExitedWithCode(0)(status)) << "it has come to no end";
  std::string text;
  EXPECT_EQ(std::fseek(file, 0, SEEK_SET), 0);
  for (int byte = std::fgetc(file); byte != EOF; byte = std::fgetc(file)) {
    text += static_cast<char>(byte);
  }
  std::fclose(file);
  return text;
}

std::string replay_string_in(const std::string& text) {
  const std::string before = "LOCKSTEP_REPLAY=";
  const std::size_t at = text.find(before);
  if (at == std::string::npos) return {};
  return text.substr(at + before.size(), text.find('\n', at) - at - before.size());
}

// The schedule of the first execution that reaches the end, where that end is harmless.
std::string schedule_that_overtakes() {
  search::HuntOptions options;
  options.limits.faults = two_contenders().faults;
  options.seed = two_contenders().seed;
  options.make_strategy = &search::make_portfolio;
  options.make_program = [] { return overtaken<&throw_something>().program({2, 1}); };
  search::OneByOne one_by_one;
  const search::HuntResult result = search::hunt(options, one_by_one);
  EXPECT_TRUE(result.found && !result.found->deviations.empty())
      << "the default schedule proves nothing";
  return result.found ? search::format_deviations(result.found->deviations) : "";
}

TEST(LastWordsDeathTest, TheReplayStringLeadsToTheSameEnd) {
  const std::string said = printed_by([] { hunt(overtaken<&write_where_none_may>()); });
  const std::string string = replay_string_in(said);
  EXPECT_EQ(string, "lockstep1/ends-badly/c2r1/" + search::format_faults(two_contenders().faults) +
                        '/' + schedule_that_overtakes() + "/unknown")
      << said;
  const auto replay_it = [&] { replay_lock(string, overtaken<&write_where_none_may>()); };
  EXPECT_EQ(replay_string_in(printed_by(replay_it)), string);
  const auto by_environment = [&] {
    ::setenv("LOCKSTEP_REPLAY", string.c_str(), 1);
    EXPECT_NO_VIOLATION(overtaken<&write_where_none_may>());
  };
  EXPECT_EQ(replay_string_in(printed_by(by_environment)), string);
  // Without the end, the schedule shows no violation.
  const ReplayReport report = replay_lock(string, overtaken<&end_well>());
  EXPECT_TRUE(report.passed()) << report.text();
  EXPECT_NE(report.text().find("ends-badly, in this schedule, breaks nothing"), std::string::npos)
      << report.text();
}

TEST(LastWordsDeathTest, TheShortestScheduleWithTheSameEndIsDrawn) {
  const std::string said = printed_by([] { hunt(overtaken<&write_where_none_may>()); });
  EXPECT_NE(said.find(" of execution "), said.npos) << said;
  const std::size_t shortest = said.find("The shortest schedule found that ends so: ");
  ASSERT_NE(shortest, said.npos) << said;
  const std::string explained = said.substr(shortest);
  EXPECT_NE(explained.find("with 2 clients, 1 round each"), said.npos) << said;
  EXPECT_NE(explained.find("-> sync: ok"), said.npos) << said;
  EXPECT_NE(explained.find("!! crash: the program under test has accessed invalid"), said.npos)
      << said;
  EXPECT_NE(explained.find("TEST(EndsBadlyTest, HasNoCrash)"), said.npos) << said;
  const std::string string = replay_string_in(explained);
  EXPECT_TRUE(string.starts_with("lockstep1/ends-badly/c2r1/none/")) << said;
  const auto replay_it = [&] { replay_lock(string, overtaken<&write_where_none_may>()); };
  EXPECT_EQ(replay_string_in(printed_by(replay_it)), string);
}

::pid_t hunting_process = 0;

// Ends the process that hunts, but not one that was forked to explain the end.
Task<void> end_the_hunt_only(Contender& self, Path lock, std::uint32_t rounds) {
  if (::getpid() == hunting_process) return end_if_overtaken<&std::abort>(self, lock, rounds);
  return end_if_overtaken<&end_well>(self, lock, rounds);
}

void hunt_what_ends_once() {
  hunting_process = ::getpid();
  hunt({"ends-once", &end_the_hunt_only});
}

TEST(LastWordsDeathTest, AScheduleThatEndsTheProcessOnlyOnceIsReportedAsSuch) {
  const std::string said = printed_by(&hunt_what_ends_once);
  EXPECT_NE(said.find("does not end the process when it is run again, for 5 seconds at most"),
            said.npos)
      << said;
}

// As an operator, or a machine without memory, may end the process that explains the end.
void abort_without_explainer() {
  std::ifstream children("/proc/self/task/" + std::to_string(::gettid()) + "/children");
  for (::pid_t child = 0; children >> child;) {
    ::kill(child, SIGKILL);
    ::siginfo_t ended = {};
    ::waitid(P_PID, static_cast<::id_t>(child), &ended, WEXITED | WNOWAIT);
  }
  std::abort();
}

TEST(LastWordsDeathTest, AnEndWithoutItsExplainerIsStillTheRealOne) {
  EXPECT_EXIT(hunt(overtaken<&abort_without_explainer>()), KilledBySignal(SIGABRT), "has aborted");
}

TEST(LastWordsDeathTest, TheDefaultScheduleIsNamed) {
  EXPECT_DEATH(hunt(on_fiber<&std::abort>()), "b2:.*/calm/unknown\n");
}

TEST(LastWordsDeathTest, AScenarioIsReplayedByTheProgram) {
  constexpr auto kAborts = [] { return on_fiber<&std::abort>(); };
  const scenarios::Scenario scenario{"of-the-program", "zoo", "crash", "Aborts.", {2, 1}, kAborts};
  const fakezk::FaultPlan faults = fakezk::FaultPlan::all(2);
  const auto program = scenarios::make_program(scenario, scenario.size, faults);
  EXPECT_DEATH(record(*program, {faults}, {}),
               "aborted in step [0-9]+.*\n  lockstep replay lockstep1/of-the-program/c2r1/b2:.*/"
               "calm/unknown\n");
}

Task<void> hunt_and_abort(Contender&, Path, std::uint32_t) {
  const LockUnderTest inner("inner", &end_if_overtaken<&end_well>);
  hunt(inner);
  const auto program = with_last_words(inner.program({2, 1}), "inner", {2, 1}, {});
  EXPECT_TRUE(search::search_exhaustively(*program, {}).exhausted);
  std::abort();
  co_return;
}

TEST(LastWordsDeathTest, HuntsNest) {
  EXPECT_DEATH(hunt({"ends-badly", &hunt_and_abort}), told_in("has aborted"));
}

class Threads final : public search::Workers {
 public:
  void each(std::uint32_t count, const std::function<void(std::uint32_t)>& work) override {
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < count; ++i) threads.emplace_back(work, i);
    for (std::thread& thread : threads) thread.join();
  }
};

TEST(LastWordsDeathTest, EachThreadOfAHuntHasItsOwnLastWords) {
  search::HuntOptions options;
  options.limits.faults = two_contenders().faults;
  options.executions = 500;
  options.jobs = 2;
  options.make_strategy = &search::make_portfolio;
  options.make_program = [] {
    return with_last_words(overtaken<&overflow_stack>().program({2, 1}), "ends-badly", {2, 1},
                           two_contenders().faults);
  };
  Threads threads;
  EXPECT_EXIT(search::hunt(options, threads), died_of_fault,
              told_in("probably overflowed a stack, of which a fiber's has 256 KiB"));
}

constexpr int kFatal[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};

struct sigaction handler_of(int signal) {
  struct sigaction now{};
  ::sigaction(signal, nullptr, &now);
  return now;
}
void handle_by_hand(int, siginfo_t*, void*) {
  constexpr char kText[] = "handled by hand";
  static_cast<void>(::write(STDERR_FILENO, kText, sizeof kText));
  ::_exit(42);
}
template <int kSignal>
void set_handler_by_hand() {
  struct sigaction own{};
  own.sa_sigaction = &handle_by_hand;
  own.sa_flags = SA_SIGINFO;
  ::sigaction(kSignal, &own, nullptr);
}

std::vector<decltype(handle_by_hand)*> handlers() {
  std::vector<decltype(handle_by_hand)*> now;
  for (const int signal : kFatal) now.push_back(handler_of(signal).sa_sigaction);
  return now;
}

std::vector<decltype(handle_by_hand)*> meanwhile;
void look_at_handlers() { meanwhile = handlers(); }

TEST(LastWordsTest, EarlierHandlersAreRestoredAfterTheHunt) {
  const auto before = handlers();
  const LockUnderTest looks = overtaken<&look_at_handlers>();
  std::thread other([&] { hunt(overtaken<&end_well>()); });
  hunt(looks);
  other.join();
  ASSERT_EQ(meanwhile.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NE(meanwhile[i], before[i]);
  EXPECT_EQ(handlers(), before);
}

TEST(LastWordsTest, AHandlerThatIsSetMeanwhileStays) {
  const struct sigaction before = handler_of(SIGFPE);
  hunt(overtaken<&set_handler_by_hand<SIGFPE>>());
  EXPECT_EQ(handler_of(SIGFPE).sa_sigaction, &handle_by_hand);
  ::sigaction(SIGFPE, &before, nullptr);
}

TEST(LastWordsDeathTest, EarlierSignalHandlersRunAfterwards) {
  const auto end_handled = [](void (*set)(), const LockUnderTest& lock) {
    set();
    hunt(lock);
  };
  EXPECT_EXIT(end_handled(&set_handler_by_hand<SIGABRT>, overtaken<&std::abort>()),
              ExitedWithCode(42), told_in("has aborted") + "(.|\n)*handled by hand");
  EXPECT_EXIT(end_handled(&set_handler_by_hand<SIGSEGV>, overtaken<&write_where_none_may>()),
              ExitedWithCode(42), told_in("SIGSEGV") + "(.|\n)*handled by hand");
}

// Blocks on a separate thread.
template <bool kCaught>
Task<void> block_elsewhere(Contender& self, Path lock, std::uint32_t) {
  return self.on_fiber([&self, lock] {
    blocking::FairMutex mutex(self.client(), lock);
    std::thread([&mutex] {
      if constexpr (!kCaught) return mutex.lock();
      try {
        mutex.lock();
        ADD_FAILURE() << "it has not thrown";
      } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::resource_deadlock_would_occur);
        EXPECT_NE(std::string(error.what()).find("on a thread other than"), std::string::npos);
      }
    }).join();
  });
}

TEST(LastWordsTest, ABlockingCallOnAnotherThreadIsRefused) {
  HuntSettings settings = two_contenders();
  settings.executions = 20;
  EXPECT_NO_VIOLATION(LockUnderTest("ends-badly", &block_elsewhere<true>), settings);
}

TEST(LastWordsDeathTest, AnUncaughtRefusalHasItsSchedule) {
  EXPECT_DEATH(
      hunt({"ends-badly", &block_elsewhere<false>}),
      "a blocking call on a thread other than(.|\n)*" + told_in("another thread has aborted"));
}

}  // namespace
}  // namespace lockstep::lab
