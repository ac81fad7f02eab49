#include "lockstep/stacks/own_stack.h"

#include <cxxabi.h>

#include <boost/context/protected_fixedsize_stack.hpp>
#include <boost/context/stack_traits.hpp>
#include <cstring>
#include <memory>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define LOCKSTEP_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LOCKSTEP_ADDRESS_SANITIZER 1
#endif
#endif

#ifdef LOCKSTEP_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

// ThreadSanitizer's runtime, if the program has it: the code on these stacks may be compiled with
// it although this file is not.
extern "C" {
[[gnu::weak]] void* __tsan_get_current_fiber();
[[gnu::weak]] void* __tsan_create_fiber(unsigned flags);
[[gnu::weak]] void __tsan_destroy_fiber(void* fiber);
[[gnu::weak]] void __tsan_switch_to_fiber(void* fiber, unsigned flags);
[[gnu::weak]] void __tsan_ignore_thread_begin();
[[gnu::weak]] void __tsan_ignore_thread_end();
}

namespace lockstep::stacks {

namespace {

boost::context::protected_fixedsize_stack stacks() {
  return boost::context::protected_fixedsize_stack(kStackBytes);
}

void swap_exceptions(ExceptionState& with) {
  ExceptionState now;
  void* const globals = abi::__cxa_get_globals();
  std::memcpy(&now, globals, sizeof(now));
  std::memcpy(globals, &with, sizeof(with));
  with = now;
}

}  // namespace

OwnStack::OwnStack(RunsAs runs_as)
    : stack_(stacks().allocate()),
      there_(boost::context::detail::make_fcontext(stack_.sp, stack_.size, &run)),
      runs_as_(runs_as),
      own_{static_cast<const char*>(stack_.sp) - stack_.size, stack_.size} {
  if (__tsan_create_fiber) own_thread_ = __tsan_create_fiber(0);
}

// Destroys no object on the stack: none is left.
OwnStack::~OwnStack() {
  if (own_thread_) destroy_fiber();
  unpoison();
  stacks().deallocate(stack_);
}

// Accesses to this class's own memory, which both sides use, must not count as races, so they are
// ignored until the body ends that (__tsan_ignore_thread_end).
void OwnStack::switch_fiber(bool leaves) {
  constexpr unsigned kDoesNotSynchronize = 1;  // __tsan_switch_to_fiber_no_sync
  const unsigned flags = runs_as_ == RunsAs::kThread ? kDoesNotSynchronize : 0;
  if (leaves) return __tsan_switch_to_fiber(other_thread_, flags);
  other_thread_ = __tsan_get_current_fiber();
  const bool begins = flags != 0 && !std::exchange(is_ignored_, true);
  __tsan_switch_to_fiber(own_thread_, flags);
  if (begins) __tsan_ignore_thread_begin();
}

// The runtime does not let a fiber end whose accesses it ignores.
void OwnStack::destroy_fiber() {
  if (is_ignored_) {
    void* const here = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(own_thread_, 0);
    __tsan_ignore_thread_end();
    __tsan_switch_to_fiber(here, 0);
  }
  __tsan_destroy_fiber(own_thread_);
}

void OwnStack::unpoison() {
#ifdef LOCKSTEP_ADDRESS_SANITIZER
  const std::size_t guard = boost::context::stack_traits::page_size();
  ASAN_UNPOISON_MEMORY_REGION(static_cast<const char*>(own_.bottom) + guard, own_.size - guard);
#endif
}

void OwnStack::abandon() {
  unpoison();
  body_ = nullptr;
  exceptions_ = {};
  saved_ = nullptr;
  there_ = boost::context::detail::make_fcontext(stack_.sp, stack_.size, &run);
}

void OwnStack::enter() {
  before_switch(own_);
  there_ = boost::context::detail::jump_fcontext(there_, this).fctx;
  after_switch(false);
}

void OwnStack::leave() {
  before_switch(others_);
  back_ = boost::context::detail::jump_fcontext(back_, this).fctx;
  after_switch(true);
}

// Runs on the new stack, one body after the other, and never returns.
void OwnStack::run(boost::context::detail::transfer_t from) {
  OwnStack& self = *static_cast<OwnStack*>(from.data);
  self.back_ = from.fctx;
  self.after_switch(true);
  for (;;) {
    std::exchange(self.body_, nullptr)();
    self.leave();
  }
}

#ifdef LOCKSTEP_ADDRESS_SANITIZER
void OwnStack::before_switch(const StackBounds& to) {
  if (runs_as_ == RunsAs::kFiber) swap_exceptions(exceptions_);
  const bool leaving = &to == &others_;
  void** const keep = leaving ? &saved_ : &other_saved_;
  __sanitizer_start_switch_fiber(keep, to.bottom, to.size);
}

void OwnStack::after_switch(bool here) {
  if (here) {
    __sanitizer_finish_switch_fiber(saved_, &others_.bottom, &others_.size);
  } else {
    __sanitizer_finish_switch_fiber(other_saved_, nullptr, nullptr);
  }
}
#else
void OwnStack::before_switch(const StackBounds& to) {
  if (runs_as_ == RunsAs::kFiber) swap_exceptions(exceptions_);
  if (own_thread_) switch_fiber(&to == &others_);
}

void OwnStack::after_switch(bool) {}
#endif

std::unique_ptr<OwnStack> StackPool::take() {
  if (idle_.empty()) return std::make_unique<OwnStack>(runs_as_);
  std::unique_ptr<OwnStack> stack = std::move(idle_.back());
  idle_.pop_back();
  return stack;
}

}  // namespace lockstep::stacks
