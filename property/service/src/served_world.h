#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "lockstep/connection/client_connection.h"
#include "lockstep/fakezk/chooser.h"
#include "lockstep/fakezk/world.h"

namespace lockstep::service {

// A simulated world that runs in real time: its clock follows the machine's, and everything that
// can happen happens at once, in the default order.
class ServedWorld {
 public:
  // `happened` is called whenever something may have been answered.
  ServedWorld(boost::asio::io_context& context, std::uint32_t servers,
              std::function<void()> happened);

  // A connection to one of the servers. It must be destroyed before this.
  [[nodiscard]] std::unique_ptr<connection::ClientConnection> connect(std::uint32_t server);
  // Over; its link is for the next one.
  void disconnect(std::unique_ptr<connection::ClientConnection> over);
  // The client has sent something, which lets its session live.
  void hear(const connection::ClientConnection& from);
  // Lets everything happen that can, up to the present.
  void turn();
  // The clock jumps.
  void advance(Duration by);
  [[nodiscard]] fakezk::World& world() { return world_; }
  [[nodiscard]] const fakezk::Server& servers() const { return world_.server(); }
  [[nodiscard]] TimePoint now() const { return world_.now(); }

 private:
  [[nodiscard]] TimePoint present() const;
  void wait_for_timer();

  boost::asio::steady_timer timer_;
  std::function<void()> happened_;
  fakezk::World world_;
  fakezk::Prompt prompt_;
  fakezk::Process& clients_;
  std::vector<fakezk::LinkIndex> free_links_;
  TimePoint began_at_;  // The world's time, when
  std::chrono::steady_clock::time_point started_;
  std::optional<TimePoint> waits_until_;
};

}  // namespace lockstep::service
