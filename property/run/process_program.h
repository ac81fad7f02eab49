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

// A program, as a process begins with it.
struct Target {
  Init init = nullptr;  // As in run_constructors().
  int (*main)(int, char**, char**) = nullptr;
  std::vector<std::string> arguments;  // With the program's name. "{client}" is the copy's number.
  char** variables = nullptr;
};

// Copies of a program, each a process of the world with variables of its own, which its
// constructors have initialised. An exit status other than 0 breaks "user:exit-status". At the
// znode of a mutex, a client that removes its own znode while another one stands in front has taken
// the lock out of turn (S1), unless its session has changed its connection: then it may have given
// up. What is left there at the end breaks R1.
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
  // The child of the lock's znode that is in front of all others and of that one, if any.
  [[nodiscard]] std::optional<Path> in_front_of(const Path& znode) const;

  Target target_;
  program::TargetSettings settings_;
  std::optional<Surroundings> surroundings_;
  std::optional<OwnOutput> output_;  // During an execution.
  fakezk::World* world_ = nullptr;
  search::Verdict* verdict_ = nullptr;
  std::size_t judged_changes_ = 0;  // Of the history.
  std::uint64_t removals_ = 0;
};

}  // namespace lockstep::run
