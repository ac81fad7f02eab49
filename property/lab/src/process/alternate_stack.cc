#include "process/alternate_stack.h"

#include <csignal>
#include <cstddef>
#include <memory>

namespace lockstep::lab {

namespace {

class AlternateStack {
 public:
  AlternateStack() {
    stack_t now;
    ::sigaltstack(nullptr, &now);
    if ((now.ss_flags & SS_DISABLE) == 0) return;
    memory_ = std::make_unique<char[]>(kBytes);
    stack_t own{};
    own.ss_sp = memory_.get();
    own.ss_size = kBytes;
    ::sigaltstack(&own, nullptr);
  }
  AlternateStack(const AlternateStack&) = delete;
  AlternateStack& operator=(const AlternateStack&) = delete;
  ~AlternateStack() {
    stack_t now;
    ::sigaltstack(nullptr, &now);
    if (!memory_ || now.ss_sp != memory_.get()) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    ::sigaltstack(&none, nullptr);
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{64} * 1024;
  std::unique_ptr<char[]> memory_;
};

}  // namespace

void use_alternate_stack() { static thread_local const AlternateStack stack; }

}  // namespace lockstep::lab
