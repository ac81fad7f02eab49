#pragma once

#include <array>

#include "chaos/servers.h"
#include "real/zookeeper_ensemble.h"

namespace lockstep::chaos {

// An ensemble of real servers, which are stopped and killed, and whose transaction logs are read.
class RealServers final : public Servers {
 public:
  explicit RealServers(support::ZookeeperEnsemble& ensemble) : ensemble_(ensemble) {}

  [[nodiscard]] std::vector<std::uint16_t> ports() const override;
  [[nodiscard]] std::vector<Transaction> committed(const std::string& root) override;
  [[nodiscard]] std::optional<Fault> disturb(Draw& draw) override;
  void heal() override;
  [[nodiscard]] std::string logs() const override;

 private:
  [[nodiscard]] std::size_t choose_server(Draw& draw) const;

  support::ZookeeperEnsemble& ensemble_;
  std::array<bool, support::ZookeeperEnsemble::kServers> disturbed_{};
};

}  // namespace lockstep::chaos
