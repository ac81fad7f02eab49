#include "lockstep/fencing.h"

#include "lockstep/internal/check.h"

namespace lockstep {

Zxid fencing_token(std::int32_t epoch, Zxid czxid) {
  if (epoch == 0) return czxid;
  internal::check(is_fencing_epoch(epoch), "a fencing epoch is between 0 and 127");
  const Zxid first = Zxid{epoch} << kFencingEpochShift;
  internal::check(czxid >= 0 && czxid >> kFencingEpochShift == 0,
                  "this ensemble has had too many leaders for a fencing epoch");
  return first + czxid;
}

}  // namespace lockstep
