#include <system_error>

#include "lockstep/blocking/semaphore.h"

namespace lockstep::blocking {

Semaphore::~Semaphore() {
  lockstep::internal::check(leases_.empty(), "a blocking semaphore is destroyed with leases of it");
}

void Semaphore::acquire() {
  const Result<void> taken = take(true, Context());
  if (!taken) lockstep::internal::throw_error(taken.error(), "acquire()");
}

bool Semaphore::try_acquire() { return try_take(false, Context(), "try_acquire()"); }

bool Semaphore::try_take(bool waits, Context context, const char* what) {
  const Result<void> taken = take(waits, std::move(context));
  if (taken) return true;
  const Error error = taken.error();
  if (error == Error::kConflict || error == Error::kTimedOut) return false;
  lockstep::internal::throw_error(error, what);
}

void Semaphore::release(std::ptrdiff_t count) {
  static_cast<void>(run(executor(), [this, count] { return leave(leases_, count); }));
}

Result<void> Semaphore::take(bool waits, Context context) {
  return run(executor(), [&] { return enter(source_, leases_, waits, context); });
}

Task<Result<void>> Semaphore::enter(Source& source, Leases& leases, bool waits, Context context) {
  Task<Result<ClientGrant>> taking = waits ? source.acquire(context) : source.try_acquire(context);
  ClientGrant lease = co_await ok(std::move(taking));
  leases.push_back(std::move(lease));
  co_return Result<void>();
}

Task<ReleaseOutcome> Semaphore::leave(Leases& leases, std::ptrdiff_t count) {
  if (count < 0 || std::cmp_greater(count, leases.size())) {
    throw std::system_error(std::make_error_code(std::errc::operation_not_permitted),
                            "lockstep: release() of leases that are not there");
  }
  Leases ours;
  ours.splice(ours.begin(), leases, leases.begin(), std::next(leases.begin(), count));
  ReleaseOutcome last = ReleaseOutcome::kReleased;
  for (ClientGrant& lease : ours) {
    last = co_await lockstep::internal::give_back(std::move(lease));
  }
  co_return last;
}

}  // namespace lockstep::blocking
