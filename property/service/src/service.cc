#include "lockstep/service/service.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <deque>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "peer.h"

namespace lockstep::service {

using Tcp = boost::asio::ip::tcp;

namespace {

std::string text_of(const Tcp::endpoint& endpoint) {
  std::ostringstream text;
  text << endpoint;
  return text.str();
}

[[noreturn]] void cannot_listen(const std::string& where, const boost::system::error_code& error) {
  throw std::system_error(error.value(), std::system_category(), "cannot listen on " + where);
}

Tcp::acceptor listen(boost::asio::io_context& context, const Tcp::endpoint& at) {
  Tcp::acceptor acceptor(context);
  boost::system::error_code error;
  acceptor.open(at.protocol(), error);
  if (!error) acceptor.set_option(Tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(at, error);
  if (!error) acceptor.listen(boost::asio::socket_base::max_listen_connections, error);
  if (error) cannot_listen(text_of(at), error);
  return acceptor;
}

}  // namespace

class Service::Loop {
 public:
  explicit Loop(const ServiceOptions& options)
      : world_(context_, options.servers, [this] { look(); }) {
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address(options.address, error);
    if (error) cannot_listen(options.address, error);
    for (std::uint32_t server = 0; server < options.servers; ++server) {
      const auto port = static_cast<std::uint16_t>(options.port == 0 ? 0 : options.port + server);
      acceptors_.push_back(listen(context_, Tcp::endpoint(address, port)));
    }
    for (std::uint32_t server = 0; server < options.servers; ++server) accept(server);
  }
  ~Loop() {
    ending_ = true;
    const std::set<std::shared_ptr<Peer>> peers = peers_;
    for (const std::shared_ptr<Peer>& peer : peers) peer->leave();
    for (Tcp::acceptor& acceptor : acceptors_) acceptor.close();
    signals_.cancel();
    context_.restart();
    context_.poll();  // What was under way drops its peers.
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  [[nodiscard]] std::vector<Tcp::endpoint> endpoints() const {
    std::vector<Tcp::endpoint> endpoints;
    for (const Tcp::acceptor& acceptor : acceptors_) {
      endpoints.push_back(acceptor.local_endpoint());
    }
    return endpoints;
  }
  void run() { context_.run(); }
  void stop_at_signals() {
    signals_.add(SIGINT);
    signals_.add(SIGTERM);
    signals_.async_wait([this](const boost::system::error_code& error, int) {
      if (!error) context_.stop();
    });
  }
  void stop() {
    boost::asio::post(context_, [this] { context_.stop(); });
  }

 private:
  void accept(std::uint32_t server) {
    acceptors_[server].async_accept(
        [this, server](const boost::system::error_code& error, Tcp::socket socket) {
          if (ending_) return;
          if (!error) welcome(std::move(socket), server);
          accept(server);
        });
  }
  void welcome(Tcp::socket socket, std::uint32_t server) {
    const auto peer =
        std::make_shared<Peer>(std::move(socket), world_, server,
                               [this](const std::shared_ptr<Peer>& over) { peers_.erase(over); });
    peers_.insert(peer);
    peer->start();
  }
  // A peer that has left erases itself.
  void look() {
    for (auto next = peers_.begin(); next != peers_.end();) {
      const std::shared_ptr<Peer> peer = *next++;
      peer->look();
    }
  }

  boost::asio::io_context context_{1};
  boost::asio::signal_set signals_{context_};
  ServedWorld world_;
  std::deque<Tcp::acceptor> acceptors_;
  std::set<std::shared_ptr<Peer>> peers_;
  bool ending_ = false;
};

Service::Service(const ServiceOptions& options) : loop_(std::make_unique<Loop>(options)) {}
Service::~Service() = default;

std::vector<std::string> Service::addresses() const {
  std::vector<std::string> addresses;
  for (const Tcp::endpoint& endpoint : loop_->endpoints()) addresses.push_back(text_of(endpoint));
  return addresses;
}

std::vector<std::uint16_t> Service::ports() const {
  std::vector<std::uint16_t> ports;
  for (const Tcp::endpoint& endpoint : loop_->endpoints()) ports.push_back(endpoint.port());
  return ports;
}

void Service::stop_at_signals() { loop_->stop_at_signals(); }

void Service::run() { loop_->run(); }

void Service::stop() { loop_->stop(); }

}  // namespace lockstep::service
