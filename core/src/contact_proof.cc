#include "lockstep/contact_proof.h"

namespace lockstep {

void ContactProof::answered(TimePoint sent) {
  const TimePoint early_enough = sent - session_timeout_ / 4;
  while (!unproven_.empty() && unproven_.front() <= early_enough) {
    proven_ = unproven_.front();
    unproven_.erase(unproven_.begin());
  }
  unproven_.push_back(sent);
}

std::optional<TimePoint> ContactProof::valid_until() const {
  if (!proven_) return std::nullopt;
  return *proven_ + session_timeout_ - session_timeout_ / kDriftParts;
}

}  // namespace lockstep
