#pragma once

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <boost/context/stack_context.hpp>
#include <cstddef>
#include <functional>
#include <vector>

namespace lockstep::fake {

// Stacks that are used again: a search needs a few of them in each of millions of executions. Below
// each lies a page that nobody may touch.
class StackPool {
 public:
  StackPool() = default;
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;
  ~StackPool();

  [[nodiscard]] boost::context::stack_context allocate();
  void deallocate(boost::context::stack_context& stack) noexcept;

 private:
  static constexpr std::size_t kBytes = 256 * 1024;
  boost::context::protected_fixedsize_stack source_{kBytes};
  std::vector<boost::context::stack_context> free_;
};

// What a sanitizer knows about a stack.
struct StackBounds {
  const void* bottom = nullptr;
  std::size_t size = 0;
};

// What the C++ runtime knows about the exceptions of a stack: those being handled, and how many are
// on their way (Itanium C++ ABI, __cxa_eh_globals). One record per thread, so it changes hands.
struct ExceptionState {
  void* caught = nullptr;
  unsigned int uncaught = 0;
};

// Code that runs on a stack of its own, and the way there and back. The one place that switches
// stacks, and tells the sanitizers.
class OwnStack {
 public:
  // `body` must not throw.
  OwnStack(StackPool& pool, std::function<void()> body);
  OwnStack(const OwnStack&) = delete;
  OwnStack& operator=(const OwnStack&) = delete;
  // Its body has returned.
  ~OwnStack();

  // Goes there, until the body leaves or returns.
  void enter();
  // From there, back to whoever entered.
  void leave();

 private:
  boost::context::fiber run(boost::context::fiber&& back);
  void before_switch(const StackBounds& to, bool for_ever = false);
  void after_switch(bool here);

  std::function<void()> body_;
  StackBounds own_;  // In front of there_, which fills it in.
  StackBounds others_;
  boost::context::fiber there_;
  boost::context::fiber back_;
  ExceptionState exceptions_;  // Of the side that does not run.
  void* saved_ = nullptr;      // AddressSanitizer's, of the side that does not run.
  void* other_saved_ = nullptr;
  void* own_thread_ = nullptr;  // ThreadSanitizer's.
  void* other_thread_ = nullptr;
};

}  // namespace lockstep::fake
