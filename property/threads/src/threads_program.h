#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "hunted_process.h"
#include "lockstep/lab/fibers.h"
#include "lockstep/search/program.h"
#include "lockstep/threads/threads_under_test.h"

namespace lockstep::threads {

// Runs code with threads of its own in a world, and judges how its threads end.
class ThreadsProgram final : public search::Program, private fakezk::RestWatcher {
 public:
  explicit ThreadsProgram(ThreadsUnderTest threads);

  [[nodiscard]] fakezk::ServerOptions servers() const override;
  void start(fakezk::World& world, search::Verdict& verdict) override;
  void finish(fakezk::World& world) override;
  void clear() override;
  [[nodiscard]] search::Judgements judgements() const override { return judged_; }
  [[nodiscard]] std::string process_name(std::uint32_t process) const override;

 private:
  void at_rest(TimePoint until) override;
  void create_znodes(fakezk::World& world);
  // How often threads of the code under test, and not of its libraries, have gone on.
  [[nodiscard]] std::uint64_t moves() const;
  // Whether only another thread, or the network, can let each of them go on.
  [[nodiscard]] bool all_wait() const;
  [[nodiscard]] bool main_has_ended() const;
  void report_hang();
  void report_left_threads();
  [[nodiscard]] std::string who_waits_for_what() const;
  void check_leftovers(fakezk::World& world);

  ThreadsUnderTest threads_;
  lab::Fibers fibers_;  // For its watchdog.
  std::unique_ptr<HuntedProcess> hunted_;
  search::Judgements judged_;
  std::uint64_t moves_ = 0;  // At the last movement,
  TimePoint moved_at_{};     // and when it was.
  bool healed_ = false;
};

}  // namespace lockstep::threads
