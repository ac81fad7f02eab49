#include "lockstep/internal/exception_witness.h"

#include <utility>

namespace lockstep::internal {

namespace {

constinit thread_local ExceptionWitness* witness = nullptr;

}  // namespace

ExceptionWitness::ExceptionWitness() noexcept : before_(std::exchange(witness, this)) {}
ExceptionWitness::~ExceptionWitness() { witness = before_; }
ExceptionWitness* ExceptionWitness::of_this_thread() noexcept { return witness; }

}  // namespace lockstep::internal
