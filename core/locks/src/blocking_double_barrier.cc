#include "lockstep/blocking/double_barrier.h"

namespace lockstep::blocking {

namespace {

constexpr auto kLeave = [](lockstep::internal::BarrierMember& member, Context context) {
  return member.leave(std::move(context));
};

}  // namespace

void DoubleBarrier::leave(std::stop_token stop) {
  constexpr const char* kWhat = "leave()";
  const Result<void> over = finish(kLeave, Context(std::move(stop)), kWhat);
  if (!over) fail(over.error(), kWhat);
}

bool DoubleBarrier::leave_in_time(Context context, const char* what) {
  const Result<void> over = finish(kLeave, std::move(context), what);
  if (!over && over.error() != Error::kTimedOut) fail(over.error(), what);
  return over.has_value();
}

}  // namespace lockstep::blocking
