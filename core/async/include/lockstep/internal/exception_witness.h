#pragma once

#include <exception>

#include "lockstep/internal/language.h"

namespace lockstep::internal {

// Is notified of each exception that ends a task of a TaskSet that stores its exceptions itself,
// because the owner of such a set may never look at them. One witness at a time on a thread; a hunt
// has one for each execution.
class ExceptionWitness {
 public:
  // Witnesses what happens on this thread from now on.
  ExceptionWitness() noexcept;
  ExceptionWitness(const ExceptionWitness&) = delete;
  ExceptionWitness& operator=(const ExceptionWitness&) = delete;
  virtual ~ExceptionWitness();

  virtual void saw(std::exception_ptr exception) noexcept = 0;
  // The witness of this thread, or null.
  [[nodiscard]] static ExceptionWitness* of_this_thread() noexcept;

 private:
  ExceptionWitness* before_;  // An execution may run inside of another one.
};

}  // namespace lockstep::internal
