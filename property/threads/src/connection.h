#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lockstep/connection/client_connection.h"
#include "lockstep/intercept/execution.h"
#include "lockstep/intercept/host.h"
#include "lockstep/threads/world_host.h"

namespace lockstep::threads {

// A connection of an intercepted socket to a simulated server. Each message in either direction is
// an event of the world; bytes that form no whole message are lost with the connection.
class Connection final : public intercept::Stream, private connection::ClientConnection::Listener {
 public:
  // `thread` makes the connection, and serves it.
  Connection(WorldHost& hunted, const intercept::Thread& thread, std::uint32_t replica);
  ~Connection() override = default;

  void send(std::string_view bytes) override;
  [[nodiscard]] std::string_view arrived() override;
  void take(std::size_t bytes) override;
  [[nodiscard]] End end() const override;
  [[nodiscard]] std::chrono::nanoseconds last_arrival() const override { return last_arrival_; }

 private:
  void connection_changed() override;
  void answer_word();
  void feed(std::string_view bytes);

  fakezk::Process& process_;
  const intercept::Thread& thread_;
  WorldHost& hunted_;
  std::uint32_t replica_;
  connection::ClientConnection connection_;
  // The first bytes: a four-letter word, or the length of a frame.
  std::string first_;
  bool is_word_ = false;
  bool has_session_ = false;
  bool is_closing_ = false;
  bool is_refused_ = false;
  std::chrono::nanoseconds last_arrival_{};
  std::string arrived_;
  std::size_t taken_ = 0;
};

}  // namespace lockstep::threads
