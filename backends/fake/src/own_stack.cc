#include "own_stack.h"

#include <cxxabi.h>

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
#if defined(__SANITIZE_THREAD__)
#define LOCKSTEP_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LOCKSTEP_THREAD_SANITIZER 1
#endif
#endif

#ifdef LOCKSTEP_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef LOCKSTEP_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace lockstep::fake {

namespace {

// Boost takes its stacks through an object that it copies.
class FromPool {
 public:
  using traits_type = boost::context::stack_traits;
  FromPool(StackPool& pool, StackBounds& bounds) : pool_(&pool), bounds_(&bounds) {}
  boost::context::stack_context allocate() {
    const boost::context::stack_context stack = pool_->allocate();
    *bounds_ = {static_cast<const char*>(stack.sp) - stack.size, stack.size};
    return stack;
  }
  void deallocate(boost::context::stack_context& stack) noexcept { pool_->deallocate(stack); }

 private:
  StackPool* pool_;
  StackBounds* bounds_;
};

void swap_exceptions(ExceptionState& with) {
  ExceptionState now;
  void* const globals = abi::__cxa_get_globals();
  std::memcpy(&now, globals, sizeof(now));
  std::memcpy(globals, &with, sizeof(with));
  with = now;
}

}  // namespace

StackPool::~StackPool() {
  for (boost::context::stack_context& stack : free_) source_.deallocate(stack);
}

boost::context::stack_context StackPool::allocate() {
  if (free_.empty()) return source_.allocate();
  const boost::context::stack_context stack = free_.back();
  free_.pop_back();
#ifdef LOCKSTEP_ADDRESS_SANITIZER
  // The last frames on it were left, not returned from.
  const std::size_t guard = boost::context::stack_traits::page_size();
  ASAN_UNPOISON_MEMORY_REGION(static_cast<char*>(stack.sp) - stack.size + guard,
                              stack.size - guard);
#endif
  return stack;
}

void StackPool::deallocate(boost::context::stack_context& stack) noexcept {
  free_.push_back(stack);
}

OwnStack::OwnStack(StackPool& pool, std::function<void()> body)
    : body_(std::move(body)),
      there_(std::allocator_arg, FromPool(pool, own_),
             [this](boost::context::fiber&& back) { return run(std::move(back)); }) {
#ifdef LOCKSTEP_THREAD_SANITIZER
  own_thread_ = __tsan_create_fiber(0);
#endif
}

OwnStack::~OwnStack() {
#ifdef LOCKSTEP_THREAD_SANITIZER
  __tsan_destroy_fiber(own_thread_);
#endif
}

void OwnStack::enter() {
  before_switch(own_);
  there_ = std::move(there_).resume();
  after_switch(false);
}

void OwnStack::leave() {
  before_switch(others_);
  back_ = std::move(back_).resume();
  after_switch(true);
}

boost::context::fiber OwnStack::run(boost::context::fiber&& back) {
  back_ = std::move(back);
  after_switch(true);
  body_();
  before_switch(others_, true);
  return std::move(back_);
}

#ifdef LOCKSTEP_ADDRESS_SANITIZER
void OwnStack::before_switch(const StackBounds& to, bool for_ever) {
  swap_exceptions(exceptions_);
  const bool leaving = &to == &others_;
  void** const keep = leaving ? &saved_ : &other_saved_;
  __sanitizer_start_switch_fiber(for_ever ? nullptr : keep, to.bottom, to.size);
}

void OwnStack::after_switch(bool here) {
  if (here) {
    __sanitizer_finish_switch_fiber(saved_, &others_.bottom, &others_.size);
  } else {
    __sanitizer_finish_switch_fiber(other_saved_, nullptr, nullptr);
  }
}
#elif defined(LOCKSTEP_THREAD_SANITIZER)
void OwnStack::before_switch(const StackBounds& to, bool) {
  swap_exceptions(exceptions_);
  if (&to == &others_) return __tsan_switch_to_fiber(other_thread_, 0);
  other_thread_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(own_thread_, 0);
}

void OwnStack::after_switch(bool) {}
#else
void OwnStack::before_switch(const StackBounds&, bool) { swap_exceptions(exceptions_); }

void OwnStack::after_switch(bool) {}
#endif

}  // namespace lockstep::fake
