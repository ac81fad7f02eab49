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
// (Itanium C++ ABI, __cxa_eh_globals). There is one record per thread, so each switch swaps it.
struct ExceptionState {
  void* caught = nullptr;
  unsigned int uncaught = 0;
};

// The size of such a stack, stated by lockstep/lab/fibers.h and lockstep/threads/hunt_threads.h.
inline constexpr std::size_t kStackBytes = std::size_t{256} * 1024;

// How a sanitizer that looks for races sees a switch of stacks: as the one thread sees it that runs
// all of them, so that all before it happens before all after it, or as a switch between threads,
// which only what synchronizes them orders.
enum class Switches : std::uint8_t { kSynchronize, kDoNot };

// A stack on which bodies run, one after another. This class alone switches stacks and notifies the
// sanitizers. The page below the stack is protected.
class OwnStack {
 public:
  explicit OwnStack(Switches switches = Switches::kSynchronize);
  OwnStack(const OwnStack&) = delete;
  OwnStack& operator=(const OwnStack&) = delete;
  // No body may be running.
  ~OwnStack();

  // Sets the body that the next enter() begins. It must not throw. Its return acts like leave().
  void put_on(std::function<void()> body) { body_ = std::move(body); }
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
  Switches switches_;
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
  explicit StackPool(Switches switches = Switches::kSynchronize) : switches_(switches) {}
  [[nodiscard]] std::unique_ptr<OwnStack> take();
  void give_back(std::unique_ptr<OwnStack> stack) { idle_.push_back(std::move(stack)); }

 private:
  Switches switches_;
  std::vector<std::unique_ptr<OwnStack>> idle_;
};

}  // namespace lockstep::stacks
