#include "lockstep/threads/threads_program.h"

#include <dlfcn.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "library_state.h"
#include "lockstep/fakezk/world.h"

namespace lockstep::threads {

namespace {

constexpr std::string_view kLibrary = "/libzookeeper_mt.so";

// Silences libzookeeper's messages on standard error, unless the code under test asks for them.
const LibraryState& library() {
  static const LibraryState state = [] {
    if (void* const set_level = ::dlsym(RTLD_DEFAULT, "zoo_set_debug_level")) {
      reinterpret_cast<void (*)(int)>(set_level)(0);
    }
    return LibraryState(kLibrary);
  }();
  return state;
}

}  // namespace

void ThreadsProgram::remember_library() { static_cast<void>(library()); }

ThreadsProgram::ThreadsProgram(ThreadOwners owners, bool is_coarse)
    : owners_(owners), is_coarse_(is_coarse) {
  remember_library();
  intercept::Execution::prepare();
}

std::uint32_t ThreadsProgram::most_steps(std::uint32_t usual) const {
  usual_steps_ = usual;
  return usual + usual / 20;
}

void ThreadsProgram::start(fakezk::World& world, search::Verdict& verdict) {
  library().restore();
  world.set_rest_watcher(this);
  world.set_faults(fakezk::FaultPlan());
  world.set_tracer(nullptr);
  prepare(world, verdict);
  progress_ = 0;
  progressed_at_ = world.now();
  sleeps_ = 0;
  healed_ = false;
  judged_ = {};
  fibers_.execution_begins();
  hunted_ = std::make_unique<WorldHost>(world, verdict, owners_);
  hunted_->set_process_ends(
      [this](intercept::Thread& thread, int status) { return process_ends(thread, status); });
  const std::span<const std::byte> code = library().code();
  if (is_coarse_) hunted_->execution().set_quiet(code.data(), code.data() + code.size());
  bodies_ = bodies();
  for (const std::function<void()>& body : bodies_) hunted_->run(body);
  world.begin_trace();
}

search::Judgements ThreadsProgram::judgements() const {
  search::Judgements all = judged_;
  if (hunted_) all += hunted_->judged();
  return all;
}

void ThreadsProgram::clear() {
  if (hunted_) judged_ += hunted_->judged();
  hunted_.reset();
  forget();
  fibers_.execution_ends();
}

std::uint64_t ThreadsProgram::progress(const fakezk::World&) {
  std::uint64_t moves = 0;
  for (const auto& thread : hunted_->execution().threads()) {
    if (thread->by_library()) continue;
    if (!thread->ended() && (!thread->waits() || thread->has_timer())) ++sleeps_;
    moves += thread->moves() + (thread->ended() ? 1 : 0);
  }
  return moves + sleeps_;
}

bool ThreadsProgram::process_ends(intercept::Thread&, int) { return false; }

bool ThreadsProgram::first_ones_have_ended() const {
  return std::ranges::all_of(hunted_->execution().threads(), [](const auto& thread) {
    return thread->creator() || thread->ended();
  });
}

bool ThreadsProgram::all_have_ended() const {
  return std::ranges::all_of(hunted_->execution().threads(),
                             [](const auto& thread) { return thread->ended(); });
}

void ThreadsProgram::at_rest(TimePoint until) {
  if (!hunted_) return;
  fakezk::World& world = hunted_->world();
  if (world.steps() >= usual_steps_) return report_livelock();
  if (const std::uint64_t now = progress(world); now != progress_) {
    progress_ = now;
    progressed_at_ = world.now();
    return;
  }
  if (until - progressed_at_ < patience()) return;
  if (!healed_ && world.faults_injected() > 0) {
    healed_ = true;
    progressed_at_ = until;
    hunted_->heal();
    return world.heal();
  }
  if (first_ones_have_ended()) return report_left_threads();
  report_hang();
}

// One thread waits for ever, and another one has timers, so that there is always something to do.
void ThreadsProgram::report_livelock() {
  hunted_->verdict().report(search::Oracle::kLivelock,
                            "no end after " + std::to_string(hunted_->world().steps()) +
                                " steps, although in the second half nothing fails and everybody "
                                "is served:" +
                                who_waits_for_what(),
                            hunted_->world().steps());
}

void ThreadsProgram::report_left_threads() {
  std::string text =
      "main has returned, but threads still run; close handles and join threads before that:";
  for (const auto& thread : hunted_->execution().threads()) {
    if (thread->ended()) continue;
    text += "\n  " + hunted_->name_of(*thread) + ", in " + std::string(thread->call());
  }
  hunted_->verdict().report(search::Oracle::kMisuse, std::move(text), hunted_->world().steps());
}

std::string ThreadsProgram::who_waits_for_what() const {
  std::string text;
  for (const auto& thread : hunted_->execution().threads()) {
    if (thread->ended()) continue;
    text += "\n  " + hunted_->name_of(*thread) + " waits in " + std::string(thread->call());
    if (thread->is_called_by_library()) text += ", called by the C client";
  }
  return text;
}

void ThreadsProgram::report_hang() {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(patience());
  hunted_->verdict().report(hang_breaks(),
                            "nothing has gone on for " + std::to_string(seconds.count()) +
                                " seconds, although nothing fails:" + who_waits_for_what(),
                            hunted_->world().steps());
}

void ThreadsProgram::finish(fakezk::World& world) {
  judged_.count(search::Oracle::kDeadlock, hunted_->execution().threads().size());
  intercept::Execution::restore_thread_locals();
  judge_end(world);
  if (all_have_ended()) return;
  hunted_->verdict().report(hang_breaks(), "nothing can happen any more:" + who_waits_for_what(),
                            world.steps());
}

}  // namespace lockstep::threads
