#include "backoff.h"

#include <algorithm>
#include <cstdint>

namespace lockstep::zookeeper {

Duration Backoff::next(Random& random) {
  const Duration ceiling = std::clamp(ceiling_, Duration(0), std::max(longest_, Duration(0)));
  if (ceiling < longest_) ceiling_ = ceiling <= longest_ / 2 ? 2 * ceiling : longest_;
  const auto values = static_cast<std::uint64_t>(ceiling.count()) + 1;
  return Duration(static_cast<Duration::rep>(random.next() % values));
}

}  // namespace lockstep::zookeeper
