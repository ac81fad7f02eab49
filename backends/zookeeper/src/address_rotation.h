#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "address.h"
#include "lockstep/random.h"

namespace lockstep::zookeeper {

// The order in which addresses are tried: rounds, in each of which every address comes once, in an
// order drawn anew, so that many clients spread over the servers.
class AddressRotation {
 public:
  // Starts a round; what was left of the last one is forgotten. Doubles count once.
  void start(const std::vector<Address>& addresses, Random& random);
  void clear() { left_.clear(); }

  // How many addresses the round has had from its start.
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return left_.empty(); }
  // Nothing when the round is over.
  [[nodiscard]] std::optional<Address> next();
  // Was taken, and not tried: comes next.
  void put_back(Address address) { left_.push_back(std::move(address)); }

 private:
  std::vector<Address> left_;  // The last one comes next.
  std::size_t size_ = 0;
};

}  // namespace lockstep::zookeeper
