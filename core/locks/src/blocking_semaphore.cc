#include <system_error>
#include <utility>

#include "lockstep/blocking/semaphore.h"
#include "lockstep/internal/acquire.h"
#include "lockstep/internal/holders.h"

namespace lockstep::blocking {

Semaphore::~Semaphore() {
  end(executor(), leases_, "a blocking semaphore is destroyed with leases held");
}

void Semaphore::acquire(std::int32_t leases, std::stop_token stop) {
  must_be_taken(attempt(leases, Patience::kWaits, Context(std::move(stop)), "acquire()"),
                "acquire()");
}

bool Semaphore::try_acquire(std::int32_t leases) {
  constexpr const char* kWhat = "try_acquire()";
  Context limit = within(executor(), bounds().try_patience);
  return taken_at_once(attempt(leases, Patience::kDoesNotWait, std::move(limit), kWhat), kWhat);
}

bool Semaphore::try_take(std::int32_t leases, Context context, const char* what) {
  return taken_in_time(attempt(leases, Patience::kWaits, std::move(context), what), what);
}

void Semaphore::release(std::ptrdiff_t count) {
  const Context patience = within(executor(), bounds().release_patience);
  const auto give_back = [&](LockOwner) { return leave(leases_, count, patience); };
  static_cast<void>(call(executor(), "release()", give_back));
}

lockstep::internal::Attempt Semaphore::attempt(std::int32_t leases, Patience patience,
                                               Context context, const char* what) {
  lockstep::internal::Attempt made;
  made.result = call(executor(), what, [&](LockOwner) {
    return enter(*this, leases, patience, context, made.last_failure);
  });
  return made;
}

Task<Result<void>> Semaphore::enter(Semaphore& self, std::int32_t leases, Patience patience,
                                    Context context, std::string& last_failure) {
  const auto way = [leases, patience](lockstep::Semaphore& recipe, Context limit) {
    return lockstep::internal::acquire(recipe, patience, leases, std::move(limit));
  };
  ClientGrants taken = co_await ok(
      LockCalls::acquire<ClientGrants>(self.source_, way, std::move(context), last_failure));
  for (HeldLock& lease : std::move(taken.held).each()) {
    self.leases_.emplace_back(taken.session, std::move(lease));
  }
  co_return Result<void>();
}

Task<ReleaseOutcome> Semaphore::leave(Leases& leases, std::ptrdiff_t count, Context patience) {
  if (count < 0 || std::cmp_greater(count, leases.size())) {
    throw std::system_error(std::make_error_code(std::errc::operation_not_permitted),
                            "lockstep: the caller holds fewer leases");
  }
  Leases ours;
  ours.splice(ours.begin(), leases, leases.begin(), std::next(leases.begin(), count));
  ReleaseOutcome last = ReleaseOutcome::kReleased;
  for (ClientGrant& lease : ours) {
    last = co_await lockstep::internal::give_back(std::move(lease), patience);
  }
  co_return last;
}

}  // namespace lockstep::blocking
