#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "address.h"
#include "lockstep/random.h"

namespace lockstep::zookeeper {

// The order in which addresses are tried: in rounds, each of which has every address once. Each
// round draws a new order, so that many clients spread over the servers.
class AddressRotation {
 public:
  // Starts a round and drops the rest of the previous one. Duplicates count once.
  void start(const std::vector<Address>& addresses, Random& random);
  void clear() { left_.clear(); }

  // How many addresses the round had at its start.
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return left_.empty(); }
  // nullopt when the round is over.
  [[nodiscard]] std::optional<Address> next();
  // For an address that was taken but not tried: it comes next.
  void put_back(Address address) { left_.push_back(std::move(address)); }

 private:
  std::vector<Address> left_;  // The back comes next.
  std::size_t size_ = 0;
};

}  // namespace lockstep::zookeeper
