#include "lockstep/contact_proof.h"

#include <algorithm>

namespace lockstep {

// Unproven requests of an earlier connection stay unproven: its server may be gone.
void ContactProof::opened(TimePoint sent, Duration session_timeout) {
  proven_ = std::max(proven_, sent);
  newest_ = std::max(newest_, sent);
  session_timeout_ = session_timeout;
  count_ = 0;
}

void ContactProof::answered(TimePoint sent) {
  newest_ = std::max(newest_, sent);
  const TimePoint early_enough = sent - session_timeout_ / 4;
  while (count_ > 0 && unproven_.front() <= early_enough) take_first();
  const bool close = count_ > 0 && sent < unproven_[count_ - 1] + session_timeout_ / kSpacingParts;
  if (!close && count_ < kMost) unproven_[count_++] = sent;
}

void ContactProof::take_first() {
  proven_ = std::max(proven_, unproven_.front());
  std::copy(unproven_.begin() + 1, unproven_.begin() + count_, unproven_.begin());
  --count_;
}

std::optional<TimePoint> ContactProof::valid_until() const {
  if (session_timeout_ == Duration::zero()) return std::nullopt;
  return reach(proven_);
}

std::optional<TimePoint> ContactProof::provable_from() const {
  if (count_ == 0) return std::nullopt;
  return unproven_.front() + session_timeout_ / 4;
}

}  // namespace lockstep
