#include "probe_race.h"

#include <algorithm>
#include <utility>

namespace lockstep::zookeeper {

ProbeRace::ProbeRace(AddressRotation& rotation, Probe::Depth depth, std::int64_t seen,
                     Duration budget, OnFailure on_failure)
    : rotation_(rotation),
      depth_(depth),
      seen_(seen),
      budget_(budget),
      on_failure_(std::move(on_failure)) {}

ProbeRace::~ProbeRace() {
  for (const Probe& probe : probes_) rotation_.put_back(probe.address());
}

std::optional<Address> ProbeRace::go_on(TimePoint now) {
  for (;;) {
    for (auto probe = probes_.begin(); probe != probes_.end();) {
      probe->go_on(now);
      if (!probe->over()) {
        ++probe;
        continue;
      }
      Address address = probe->address();
      const std::optional<std::string> failure = probe->failure();
      probe = probes_.erase(probe);
      if (!failure) return address;
      on_failure_(address, *failure);
      next_start_ = now;
    }
    if (!probes_.empty() && now < next_start_) return std::nullopt;
    const std::optional<Address> next = rotation_.next();
    if (!next) return std::nullopt;
    probes_.emplace_back(*next, depth_, seen_, now, budget_);
    next_start_ = now + std::min(budget_ / 4, kLongestHeadStart);
  }
}

TimePoint ProbeRace::next_step() const {
  TimePoint next = rotation_.empty() ? TimePoint::max() : next_start_;
  for (const Probe& probe : probes_) next = std::min(next, probe.deadline());
  return next;
}

void ProbeRace::add_interest(std::vector<pollfd>& descriptors) const {
  for (const Probe& probe : probes_) descriptors.push_back(probe.interest());
}

}  // namespace lockstep::zookeeper
