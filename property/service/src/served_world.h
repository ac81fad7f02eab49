#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "lockstep/connection/client_connection.h"
#include "lockstep/fakezk/chooser.h"
#include "lockstep/fakezk/world.h"
#include "lockstep/service/service.h"
#include "losses.h"
#include "request_log.h"

namespace lockstep::service {

// A simulated world in real time: its clock follows the machine's, and whatever can happen happens
// at once, in the default order.
class ServedWorld {
 public:
  // Is called at the end of a turn, when its client may have new answers.
  class TurnListener {
   public:
    virtual void look() = 0;

   protected:
    ~TurnListener() = default;
  };

  ServedWorld(boost::asio::io_context& context, const ServiceOptions& options);

  // A connection to one of the servers. Destroy it before this object.
  [[nodiscard]] std::unique_ptr<connection::ClientConnection> connect(std::uint32_t server);
  // Ends a connection; the next one reuses its link.
  void disconnect(std::unique_ptr<connection::ClientConnection> over);
  // Records that the client has sent something, which keeps its session alive.
  void hear(const connection::ClientConnection& from);
  // Before a turn that comes more than a tick late, calls `hear_unread`, which hears all clients
  // whose messages are not read yet: it is not their fault that they wait.
  void before_late_turns(std::function<void()> hear_unread) {
    hear_unread_ = std::move(hear_unread);
  }
  // Calls `listener` at the end of this turn or the next one.
  void call_after_turn(std::shared_ptr<TurnListener> listener) {
    turn_listeners_.push_back(std::move(listener));
  }
  // Drops the listeners, because their owner ends.
  void drop_turn_listeners() { turn_listeners_.clear(); }
  // A shared buffer for reading, so that idle clients need none.
  [[nodiscard]] std::span<char> scratch() { return scratch_; }
  // Lets everything happen that can, up to the present.
  void turn();
  // Takes a turn after the handlers that wait now.
  void turn_later();
  // Advances the clock.
  void advance(Duration by);
  [[nodiscard]] fakezk::World& world() { return world_; }
  [[nodiscard]] const fakezk::Server& servers() const { return world_.server(); }
  [[nodiscard]] RequestLog& log() { return log_; }
  [[nodiscard]] Losses& losses() { return losses_; }
  [[nodiscard]] TimePoint now() const { return world_.now(); }

 private:
  [[nodiscard]] TimePoint present() const;
  void come_to_the_present();
  void wait_for_timer();

  boost::asio::io_context& context_;
  boost::asio::steady_timer timer_;
  std::function<void()> hear_unread_ = [] {};
  bool turns_later_ = false;
  std::vector<std::shared_ptr<TurnListener>> turn_listeners_;
  std::array<char, 65536> scratch_{};
  RequestLog log_;
  Losses losses_;
  fakezk::World world_;
  fakezk::Prompt prompt_;
  fakezk::Process& clients_;
  std::vector<fakezk::LinkIndex> free_links_;
  TimePoint began_at_;  // The world's time at `started_`.
  std::chrono::steady_clock::time_point started_;
  std::optional<TimePoint> waits_until_;
};

}  // namespace lockstep::service
