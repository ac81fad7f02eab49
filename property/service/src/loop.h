#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "listener.h"
#include "lockstep/service/service.h"
#include "peer.h"
#include "served_world.h"

namespace lockstep::service {

// The thread of a service: its sockets, and the world behind them.
class Service::Loop {
 public:
  explicit Loop(const ServiceOptions& options);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  [[nodiscard]] std::vector<Listener::Tcp::endpoint> endpoints() const;
  void run();
  void stop_at_signals();
  void stop();

  // Does something on this thread, now or while it runs, and returns when that is done; what it
  // throws comes back. From any thread, if this runs; else from the one that made it.
  void call(std::function<void()> what);

  // On this thread.
  [[nodiscard]] ServedWorld& world() { return world_; }
  // The peer that serves a session; null if it is not connected.
  [[nodiscard]] std::shared_ptr<Peer> peer_of(SessionId session) const;

 private:
  void welcome(Listener::Tcp::socket socket, std::uint32_t server);
  void look();

  boost::asio::io_context context_{1};
  boost::asio::signal_set signals_{context_};
  ServedWorld world_;
  std::deque<Listener> listeners_;
  std::set<std::shared_ptr<Peer>> peers_;
  std::mutex running_mutex_;
  bool running_ = false;
};

}  // namespace lockstep::service
