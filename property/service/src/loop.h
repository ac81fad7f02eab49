#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "control_port.h"
#include "fault_plan.h"
#include "listener.h"
#include "lockstep/service/control.h"
#include "lockstep/service/service.h"
#include "peer.h"
#include "served_world.h"

namespace lockstep::service {

// The thread of a service: its sockets, and the world that serves them.
class Service::Loop {
 public:
  Loop(Service& service, const ServiceOptions& options);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  [[nodiscard]] std::vector<Listener::Tcp::endpoint> endpoints() const;
  [[nodiscard]] std::string control_address() const;
  void run();
  void stop_at_signals();
  void stop();

  // Runs `what` on this thread, now or while the loop runs, and returns when it is done; rethrows
  // its exception. Callable from any thread while the loop runs, before that from the thread that
  // made it.
  void call(std::function<void()> what);
  // The same; passes this object to `what` and returns its result.
  template <class What>
  auto do_there(What what) {
    std::optional<std::invoke_result_t<What, Loop&>> result;
    call([&] { result.emplace(what(*this)); });
    return std::move(*result);
  }

  // Call these on this thread.
  [[nodiscard]] ServedWorld& world() { return world_; }
  // Makes a server reset new connections.
  void set_refusing(std::uint32_t server, bool refuses) { refuses_[server] = refuses; }
  [[nodiscard]] bool refuses(std::uint32_t server) const { return refuses_[server]; }
  // Strikes faults according to this plan; the previous plan and its lasting fault end.
  void follow(Control::Plan plan) {
    if (plan_) plan_->end_lasting_fault();
    plan_.emplace(context_, control_, std::move(plan)).start();
  }
  void follow_no_plan() { plan_.reset(); }
  [[nodiscard]] std::vector<std::shared_ptr<Peer>> peers() const {
    return {peers_.begin(), peers_.end()};
  }
  // The peers over which a session has been served and which its client has not left, the one that
  // serves it now first. A stalled peer stays among them when its client has come back over another
  // one.
  [[nodiscard]] std::vector<std::shared_ptr<Peer>> peers_of(SessionId session) const;

 private:
  // Packets of closed connections, by server.
  struct Totals {
    std::uint64_t received = 0;
    std::uint64_t sent = 0;
  };

  [[nodiscard]] connection::WordSubject describe(std::uint32_t server, const Peer* asks) const;
  void forget(const std::shared_ptr<Peer>& over);
  void welcome(Listener::Tcp::socket socket, std::uint32_t server);

  boost::asio::io_context context_{1};
  boost::asio::signal_set signals_{context_};
  ServedWorld world_;
  std::deque<Listener> listeners_;
  std::set<std::shared_ptr<Peer>> peers_;
  std::vector<Totals> totals_;
  std::vector<bool> refuses_;
  std::chrono::milliseconds sessionless_connection_timeout_;
  Control control_;
  std::optional<ControlPort> control_port_;
  std::optional<FaultPlan> plan_;
  std::mutex running_mutex_;
  bool running_ = false;
};

}  // namespace lockstep::service
