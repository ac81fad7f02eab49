#include "address_rotation.h"

#include <algorithm>
#include <utility>

namespace lockstep::zookeeper {

void AddressRotation::start(const std::vector<Address>& addresses, Random& random) {
  left_.clear();
  for (const Address& address : addresses) {
    if (std::ranges::find(left_, address) == left_.end()) left_.push_back(address);
  }
  size_ = left_.size();
  for (std::size_t i = left_.size(); i > 1; --i) {
    const std::size_t other = random.next() % i;
    if (other != i - 1) std::swap(left_[i - 1], left_[other]);
  }
}

std::optional<Address> AddressRotation::next() {
  if (left_.empty()) return std::nullopt;
  Address address = std::move(left_.back());
  left_.pop_back();
  return address;
}

}  // namespace lockstep::zookeeper
