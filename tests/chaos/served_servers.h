#pragma once

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "chaos/servers.h"
#include "lockstep/service/control.h"
#include "lockstep/service/service.h"

namespace lockstep::chaos {

// Three simulated servers on a thread of this process. They keep their history, and strike with all
// faults of Control except an early expiry, which no client can survive.
class ServedServers final : public Servers {
 public:
  ServedServers();
  ~ServedServers() override;

  [[nodiscard]] std::vector<std::uint16_t> ports() const override { return service_.ports(); }
  [[nodiscard]] std::vector<Transaction> committed(const std::string& root) override;
  [[nodiscard]] std::optional<Fault> disturb(Draw& draw) override;
  void heal() override { control_.calm(); }
  [[nodiscard]] std::string logs() const override;

 private:
  [[nodiscard]] Fault disturb_server(Draw& draw);
  [[nodiscard]] std::optional<Fault> disturb_session(Draw& draw);

  service::Service service_;
  mutable service::Control control_;
  std::thread serving_;
};

}  // namespace lockstep::chaos
