#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "constructors.h"
#include "lockstep/path.h"
#include "lockstep/threads/threads_program.h"
#include "own_output.h"
#include "program/run.h"
#include "surroundings.h"

namespace lockstep::run {

// A program, in the state in which each process begins.
struct Target {
  Init init = nullptr;  // As in run_constructors().
  int (*main)(int, char**, char**) = nullptr;
  // Starts with the program's name. "{client}" becomes the copy's number.
  std::vector<std::string> arguments;
  char** variables = nullptr;
};

// Copies of a program. Each is a process of the world with its own variables, which the program's
// constructors have initialised. An exit status that is not allowed breaks "user:exit-status". At
// the znode of a mutex, a client breaks S1 if it removes its znode while another one is in front:
// it has taken the lock out of turn. (After its session has changed its connection it may have
// given up instead.) Znodes left there at the end break S5.
class ProcessProgram final : public threads::ThreadsProgram, private fakezk::Restarter {
 public:
  ProcessProgram(Target target, program::TargetSettings settings);

  [[nodiscard]] fakezk::ServerOptions servers() const override;
  [[nodiscard]] std::string process_name(std::uint32_t process) const override;
  void committed() override;
  [[nodiscard]] search::Judgements judgements() const override;
  [[nodiscard]] fakezk::Restarter* restarter() override { return this; }

 private:
  [[nodiscard]] std::vector<std::function<void()>> bodies() override;
  void prepare(fakezk::World& world, search::Verdict& verdict) override;
  void judge_end(fakezk::World& world) override;
  bool process_ends(intercept::Thread& thread, int status) override;
  void forget() override;
  void restart(fakezk::Process& process) override;

  void run_main(std::uint32_t copy);
  void judge_removal(const fakezk::Change& removal);
  // The other znodes of the lock's queue that may not hold it together with `znode`.
  [[nodiscard]] std::vector<Path> rivals_of(const Path& znode) const;

  Target target_;
  program::TargetSettings settings_;
  std::optional<Surroundings> surroundings_;
  std::optional<OwnOutput> output_;  // Set during an execution.
  fakezk::World* world_ = nullptr;
  search::Verdict* verdict_ = nullptr;
  std::size_t judged_changes_ = 0;  // How much of the history is judged.
  std::uint64_t removals_ = 0;
  std::uint64_t sessions_ = 0;  // That clients have opened.
};

}  // namespace lockstep::run
