#include "lockstep/lab/last_words.h"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "lockstep/search/schedule.h"
#include "process/alternate_stack.h"
#include "process/fatal_signals.h"
#include "process/under_way.h"
#include "process/words_of.h"

// Provided by the sanitizers' runtime, if there is one. libFuzzer may have taken its only such
// callback, which ThreadSanitizer calls with its reports locked.
extern "C" {
[[gnu::weak]] void __tsan_ignore_thread_begin();
[[gnu::weak]] void __sanitizer_set_death_callback(void (*callback)());
[[gnu::weak]] int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size);
}

namespace lockstep::lab {

namespace {

constexpr std::string_view kWho = "the program under test";

// An exit() in the code under test must not look like a hunt without a finding. Its output is not
// lost.
void exiting() {
  if (!say_last_words(kWho, "called exit()")) return;
  std::fflush(nullptr);
  std::_Exit(EXIT_FAILURE);
}

void exiting_quickly() {
  if (say_last_words(kWho, "called quick_exit()")) std::_Exit(EXIT_FAILURE);
}

void found_by_sanitizer() {
  if (__tsan_ignore_thread_begin) __tsan_ignore_thread_begin();
  say_last_words(kWho, "been ended by a sanitizer");
}

// Installed once for the whole process: such hooks cannot be removed.
void hook_exits() {
  static const bool done = [] {
    std::atexit(&exiting);
    std::at_quick_exit(&exiting_quickly);
    if (__sanitizer_set_death_callback && !LLVMFuzzerTestOneInput) {
      __sanitizer_set_death_callback(&found_by_sanitizer);
    }
    return true;
  }();
  static_cast<void>(done);
}

// Records which execution this thread runs, while it runs.
class LastWords final : public search::ExecutionGuard {
 public:
  LastWords(std::string replay, const Explainer* explainer, bool is_searched)
      : replay_(std::move(replay)), explainer_(explainer), is_searched_(is_searched) {}
  ~LastWords() override { end(); }

  void begin(const fakezk::World& world) override {
    use_alternate_stack();
    end();
    before_ = exchange_under_way({&world, replay_.c_str(), explainer_, is_searched_});
  }
  void end() noexcept override {
    if (before_) exchange_under_way(*std::exchange(before_, std::nullopt));
  }

 private:
  FatalSignals signals_;
  std::string replay_;
  const Explainer* explainer_;
  bool is_searched_;
  std::optional<UnderWay> before_;  // Set during an execution.
};

// The replay string up to its deviations, which are the last part but one.
std::string head_of(std::string_view scenario, ScenarioSize size, const fakezk::FaultPlan& faults) {
  search::ReplayString string;
  string.scenario = scenario;
  string.clients = size.clients;
  string.rounds = size.rounds;
  string.faults = faults;
  string.known = false;
  const std::string text = string.text();
  return text.substr(0, text.rfind("calm/"));
}

}  // namespace

std::unique_ptr<search::Program> with_last_words(std::unique_ptr<search::Program> program,
                                                 const LastWordsOf& whose) {
  hook_exits();
  std::string replay(whose.replay_by);
  replay += head_of(whose.scenario, whose.size, whose.faults);
  program->set_guard(
      std::make_unique<LastWords>(std::move(replay), whose.explainer, whose.is_searched));
  return program;
}

std::unique_ptr<search::Program> with_last_words(std::unique_ptr<search::Program> program,
                                                 std::string_view scenario, ScenarioSize size,
                                                 const fakezk::FaultPlan& faults,
                                                 std::string_view replay_by) {
  return with_last_words(std::move(program), {scenario, size, faults, replay_by});
}

}  // namespace lockstep::lab
