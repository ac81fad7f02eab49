#pragma once

#include "lockstep/threads/threads_program.h"
#include "lockstep/threads/threads_under_test.h"

namespace lockstep::threads {

// The program of hunt_threads(): one body, which is the code's main().
class BodyProgram final : public ThreadsProgram {
 public:
  explicit BodyProgram(ThreadsUnderTest threads);

  [[nodiscard]] fakezk::ServerOptions servers() const override;
  [[nodiscard]] std::string process_name(std::uint32_t process) const override;

 private:
  [[nodiscard]] std::vector<std::function<void()>> bodies() override { return {threads_.body}; }
  void prepare(fakezk::World& world, search::Verdict& verdict) override;
  void judge_end(fakezk::World& world) override;

  ThreadsUnderTest threads_;
};

}  // namespace lockstep::threads
