#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/lab/fibers.h"
#include "lockstep/search/program.h"
#include "lockstep/threads/world_host.h"

namespace lockstep::threads {

// A program whose processes are threads of real code: runs their bodies in a world, and judges how
// they end. Subclasses judge more.
class ThreadsProgram : public search::Program, private fakezk::RestWatcher {
 public:
  void start(fakezk::World& world, search::Verdict& verdict) final;
  // A few more than usual: an execution that is at rest after the usual ones is a livelock that
  // this program reports, with its threads.
  [[nodiscard]] std::uint32_t most_steps(std::uint32_t usual) const final;
  void finish(fakezk::World& world) final;
  void clear() final;
  [[nodiscard]] search::Judgements judgements() const override;
  // Silences libzookeeper, and records its variables: each execution begins with the values of now.
  // If nobody calls this, the first program that is made does.
  static void remember_library();

 protected:
  // `is_coarse`: no other thread comes in between at the C client's own mutexes.
  ThreadsProgram(ThreadOwners owners, bool is_coarse);

  // The code of the first threads. They end all others before they end.
  [[nodiscard]] virtual std::vector<std::function<void()>> bodies() = 0;
  // Prepares the world before the threads start.
  virtual void prepare(fakezk::World& world, search::Verdict& verdict) = 0;
  // All threads have ended, or nothing can happen any more.
  virtual void judge_end(fakezk::World& world) = 0;
  // The program hangs if, with all faults healed, this number has not changed for patience() of
  // simulated time. By default: how often its threads have gone on, or sleep, without the threads
  // of libraries, which send pings forever.
  [[nodiscard]] virtual std::uint64_t progress(const fakezk::World& world);
  [[nodiscard]] virtual Duration patience() const { return std::chrono::seconds(30); }
  // The oracle that a thread breaks by waiting forever.
  [[nodiscard]] virtual search::Oracle hang_breaks() const { return search::Oracle::kDeadlock; }
  // A thread ends its process with that status. True if the world goes on without the process's
  // threads (Execution::end_threads_of); by default the real process ends, which is a crash.
  virtual bool process_ends(intercept::Thread& thread, int status);
  // Lets go of what belongs to the world; the threads are gone.
  virtual void forget() {}

  // Only during an execution.
  [[nodiscard]] WorldHost& hunted() { return *hunted_; }
  [[nodiscard]] bool all_have_ended() const;
  // The process that ran one of the bodies has crashed: that body begins again.
  void begin_again(fakezk::Process& process) {
    hunted_->begin_again(process, bodies_[process.index()]);
  }

 private:
  void at_rest(TimePoint until) final;
  [[nodiscard]] bool first_ones_have_ended() const;
  void report_hang();
  void report_livelock();
  void report_left_threads();
  [[nodiscard]] std::string who_waits_for_what() const;

  ThreadOwners owners_;
  bool is_coarse_;
  lab::Fibers fibers_;  // For its watchdog.
  std::unique_ptr<WorldHost> hunted_;
  std::vector<std::function<void()>> bodies_;
  search::Judgements judged_;
  std::uint64_t progress_ = 0;  // At its last change,
  TimePoint progressed_at_{};   // and when that was.
  std::uint64_t sleeps_ = 0;
  bool healed_ = false;
  mutable std::uint32_t usual_steps_ = 0;  // Of the execution that begins next, or runs.
};

}  // namespace lockstep::threads
