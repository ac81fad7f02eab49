#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <boost/context/stack_context.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace lockstep::stacks {

// A sanitizer's record of a stack.
struct StackBounds {
  const void* bottom = nullptr;
  std::size_t size = 0;
};

// The C++ runtime's record of a stack's exceptions: those being handled, and how many are in flight
// (Itanium C++ ABI, __cxa_eh_globals). It is a thread_local variable.
struct ExceptionState {
  void* caught = nullptr;
  unsigned int uncaught = 0;
};

// The size of such a stack, stated by lockstep/lab/fibers.h and lockstep/threads/hunt_threads.h.
inline constexpr std::size_t kStackBytes = std::size_t{256} * 1024;

// How the language runtime and sanitizers see a body.
enum class RunsAs : std::uint8_t {
  // A part of the thread that enters its stack: what precedes a switch happens before what follows
  // it, and each switch swaps the records of exceptions.
  kFiber,
  // A thread with thread_local variables of its own, which the caller of enter() installs. Only
  // synchronization orders its accesses.
  kThread,
};

// A stack on which bodies run, one after another. This class alone switches stacks and notifies the
// sanitizers. The page below the stack is protected.
class OwnStack {
 public:
  explicit OwnStack(RunsAs runs_as = RunsAs::kFiber);
  OwnStack(const OwnStack&) = delete;
  OwnStack& operator=(const OwnStack&) = delete;
  // No body may be running.
  ~OwnStack();

  // Sets the body that the next enter() begins. It must not throw. Its return acts like leave().
  void set_body(std::function<void()> body) { body_ = std::move(body); }
  // Switches to this stack, until the body leaves or returns.
  void enter();
  // Switches back to the caller of enter().
  void leave();
  // Forgets a body that has left and will not be entered again. Its objects are not destroyed.
  void abandon();
  // Its memory. All stacks have the same size.
  [[nodiscard]] const void* begin() const { return own_.bottom; }
  [[nodiscard]] std::size_t bytes() const { return own_.size; }

 private:
  static void run(boost::context::detail::transfer_t from);
  void unpoison();
  void switch_fiber(bool leaves);
  void destroy_fiber();
  void before_switch(const StackBounds& to);
  void after_switch(bool here);

  std::function<void()> body_;
  boost::context::stack_context stack_;
  boost::context::detail::fcontext_t there_;
  boost::context::detail::fcontext_t back_ = nullptr;
  RunsAs runs_as_;
  StackBounds own_;
  StackBounds others_;
  ExceptionState exceptions_;  // Both describe the side that does not run.
  // AddressSanitizer's record of the side that does not run, and ThreadSanitizer's.
  [[maybe_unused]] void* saved_ = nullptr;
  [[maybe_unused]] void* other_saved_ = nullptr;
  [[maybe_unused]] void* own_thread_ = nullptr;
  [[maybe_unused]] void* other_thread_ = nullptr;
  [[maybe_unused]] bool is_ignored_ = false;
};

// A pool of stacks: a search needs a few of them in each of millions of executions.
class StackPool {
 public:
  explicit StackPool(RunsAs runs_as = RunsAs::kFiber) : runs_as_(runs_as) {}
  [[nodiscard]] std::unique_ptr<OwnStack> take();
  void give_back(std::unique_ptr<OwnStack> stack) { idle_.push_back(std::move(stack)); }

 private:
  RunsAs runs_as_;
  std::vector<std::unique_ptr<OwnStack>> idle_;
};

}  // namespace lockstep::stacks
