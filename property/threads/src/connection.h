#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lockstep/connection/client_connection.h"
#include "lockstep/intercept/execution.h"
#include "lockstep/intercept/host.h"

namespace lockstep::threads {

// A connection of an intercepted socket to a simulated server. Each message on it is an event of
// the world, in both directions; bytes that have not become messages are lost with it.
class Connection final : public intercept::Stream, private connection::ClientConnection::Listener {
 public:
  Connection(fakezk::Process& process, intercept::Execution& execution, std::uint32_t replica);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() override = default;

  void send(std::string_view bytes) override;
  [[nodiscard]] std::string_view arrived() override;
  void take(std::size_t bytes) override;
  [[nodiscard]] End end() const override;

 private:
  void connection_changed() override;

  intercept::Execution& execution_;
  connection::ClientConnection connection_;
  std::string arrived_;
  std::size_t taken_ = 0;
};

}  // namespace lockstep::threads
