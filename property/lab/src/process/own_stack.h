#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <boost/context/stack_context.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace lockstep::lab {

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

// How large such a stack is. Public as a number in lockstep/lab/fibers.h.
inline constexpr std::size_t kStackBytes = std::size_t{256} * 1024;

// A stack for code to run on, one piece after the other, and the way there and back. The one place
// that switches stacks, and tells the sanitizers. Below the stack lies a page that nobody may
// touch.
class OwnStack {
 public:
  OwnStack();
  OwnStack(const OwnStack&) = delete;
  OwnStack& operator=(const OwnStack&) = delete;
  // No body is under way.
  ~OwnStack();

  // What the next enter() begins. Must not throw. When it returns, that is as if it had left.
  void put_on(std::function<void()> body) { body_ = std::move(body); }
  // Goes there, until the body leaves or returns.
  void enter();
  // From there, back to whoever entered.
  void leave();

 private:
  static void run(boost::context::detail::transfer_t from);
  void before_switch(const StackBounds& to);
  void after_switch(bool here);

  std::function<void()> body_;
  boost::context::stack_context stack_;
  boost::context::detail::fcontext_t there_;
  boost::context::detail::fcontext_t back_ = nullptr;
  StackBounds own_;
  StackBounds others_;
  ExceptionState exceptions_;  // Of the side that does not run.
  // AddressSanitizer's, of the side that does not run, and ThreadSanitizer's.
  [[maybe_unused]] void* saved_ = nullptr;
  [[maybe_unused]] void* other_saved_ = nullptr;
  [[maybe_unused]] void* own_thread_ = nullptr;
  [[maybe_unused]] void* other_thread_ = nullptr;
};

// Stacks that are used again: a search needs a few of them in each of millions of executions.
class StackPool {
 public:
  [[nodiscard]] std::unique_ptr<OwnStack> take();
  void give_back(std::unique_ptr<OwnStack> stack) { idle_.push_back(std::move(stack)); }

 private:
  std::vector<std::unique_ptr<OwnStack>> idle_;
};

}  // namespace lockstep::lab
