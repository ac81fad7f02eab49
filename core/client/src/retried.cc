#include "lockstep/retried.h"

#include <algorithm>

#include "lockstep/sleep.h"

namespace lockstep {

Duration Retry::pause(Random& random, std::uint32_t refusals) {
  constexpr std::uint32_t kDoublings = 6;  // Enough to exceed the longest pause.
  const Duration full =
      std::min(kLongestPause, kFirstPause * (1 << std::min(refusals, kDoublings)));
  const auto half = static_cast<std::uint64_t>((full / 2).count());
  return full / 2 + Duration(static_cast<Duration::rep>(random.next() % (half + 1)));
}

Task<Result<void>> Retry::after(Error error, Context context) {
  if (error != Error::kThrottledOp) {
    refusals_ = 0;
    if (!outcome_unknown(error)) co_return failure(error);
    co_return co_await session_.connected(std::move(context));
  }
  const Duration for_now = pause(session_.random(), refusals_++);
  co_await ok(sleep_for(session_.executor(), for_now, context));
  co_return co_await session_.connected(std::move(context));
}

Task<Result<Stat>> set_data_retried(Session& session, Path path, Data data, Context context) {
  Retry retry(session);
  for (;;) {
    Result<Stat> set = co_await session.set_data(path, data, -1, context);
    if (!is_transient(set)) co_return std::move(set);
    co_await ok(retry.after(set.error(), context));
  }
}

Task<Result<void>> settled(Session& session, Path path, Context context) {
  Retry retry(session);
  co_await ok(session.connected(context));
  for (;;) {
    const Result<void> synced = co_await session.sync(path, context);
    if (!is_transient(synced)) co_return synced;
    co_await ok(retry.after(synced.error(), context));
  }
}

}  // namespace lockstep
