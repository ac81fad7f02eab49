#include "loop.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <csignal>
#include <future>
#include <utility>

namespace lockstep::service {

using Tcp = Listener::Tcp;

Service::Loop::Loop(const ServiceOptions& options)
    : world_(context_, options.servers, [this] { look(); }) {
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(options.address, error);
  if (error) cannot_listen(options.address, error);
  for (std::uint32_t server = 0; server < options.servers; ++server) {
    const auto port = static_cast<std::uint16_t>(options.port == 0 ? 0 : options.port + server);
    listeners_.emplace_back(
        context_, Tcp::endpoint(address, port),
        [this, server](Tcp::socket socket) { welcome(std::move(socket), server); });
  }
  for (Listener& listener : listeners_) listener.start();
}

Service::Loop::~Loop() {
  const std::set<std::shared_ptr<Peer>> peers = peers_;
  for (const std::shared_ptr<Peer>& peer : peers) peer->leave();
  for (Listener& listener : listeners_) listener.close();
  signals_.cancel();
  context_.restart();
  context_.poll();  // What was under way drops its peers.
}

std::vector<Tcp::endpoint> Service::Loop::endpoints() const {
  std::vector<Tcp::endpoint> endpoints;
  for (const Listener& listener : listeners_) endpoints.push_back(listener.endpoint());
  return endpoints;
}

void Service::Loop::run() {
  {
    const std::lock_guard lock(running_mutex_);
    running_ = true;
  }
  context_.run();
  {
    const std::lock_guard lock(running_mutex_);
    running_ = false;
  }
  context_.restart();
  context_.poll();  // The calls that other threads wait for.
}

void Service::Loop::stop_at_signals() {
  signals_.add(SIGINT);
  signals_.add(SIGTERM);
  signals_.async_wait([this](const boost::system::error_code& error, int) {
    if (!error) context_.stop();
  });
}

void Service::Loop::stop() {
  boost::asio::post(context_, [this] { context_.stop(); });
}

void Service::Loop::call(std::function<void()> what) {
  std::packaged_task<void()> task(std::move(what));
  std::future<void> done = task.get_future();
  {
    const std::lock_guard lock(running_mutex_);
    if (running_ && !context_.get_executor().running_in_this_thread()) {
      boost::asio::post(context_, [&task] { task(); });
    } else {
      task();
    }
  }
  done.get();
}

std::shared_ptr<Peer> Service::Loop::peer_of(SessionId session) const {
  const auto found = std::ranges::find_if(peers_, [&](const std::shared_ptr<Peer>& peer) {
    return session != 0 && peer->session_id() == session;
  });
  return found == peers_.end() ? nullptr : *found;
}

void Service::Loop::welcome(Tcp::socket socket, std::uint32_t server) {
  const auto peer =
      std::make_shared<Peer>(std::move(socket), world_, server,
                             [this](const std::shared_ptr<Peer>& over) { peers_.erase(over); });
  peers_.insert(peer);
  peer->start();
}

// A peer that has left erases itself.
void Service::Loop::look() {
  for (auto next = peers_.begin(); next != peers_.end();) {
    const std::shared_ptr<Peer> peer = *next++;
    peer->look();
  }
}

}  // namespace lockstep::service
