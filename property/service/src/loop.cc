#include "loop.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <csignal>
#include <future>
#include <utility>

namespace lockstep::service {

using Tcp = Listener::Tcp;

namespace {

boost::asio::ip::address ip_address(const std::string& text) {
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(text, error);
  if (error) cannot_listen(text, error);
  return address;
}

}  // namespace

Service::Loop::Loop(Service& service, const ServiceOptions& options)
    : world_(context_, options),
      totals_(options.servers),
      refuses_(options.servers),
      sessionless_connection_timeout_(options.sessionless_connection_timeout),
      control_(service) {
  const auto address = ip_address(options.address);
  for (std::uint32_t server = 0; server < options.servers; ++server) {
    const auto port = static_cast<std::uint16_t>(options.port == 0 ? 0 : options.port + server);
    listeners_.emplace_back(
        context_, Tcp::endpoint(address, port),
        [this, server](Tcp::socket socket) { welcome(std::move(socket), server); });
  }
  if (options.control) {
    const Tcp::endpoint at(ip_address(options.control->address), options.control->port);
    control_port_.emplace(context_, at, *options.control, control_);
  }
  for (Listener& listener : listeners_) listener.start();
  world_.before_late_turns([this] {
    for (const std::shared_ptr<Peer>& peer : peers_) peer->hear_unread();
  });
}

Service::Loop::~Loop() {
  plan_.reset();
  const std::set<std::shared_ptr<Peer>> peers = peers_;
  for (const std::shared_ptr<Peer>& peer : peers) peer->leave();
  world_.drop_turn_listeners();
  for (Listener& listener : listeners_) listener.close();
  if (control_port_) control_port_->close();
  signals_.cancel();
  context_.restart();
  context_.poll();  // Handlers in flight drop their peers.
}

std::vector<Tcp::endpoint> Service::Loop::endpoints() const {
  std::vector<Tcp::endpoint> endpoints;
  for (const Listener& listener : listeners_) endpoints.push_back(listener.endpoint());
  return endpoints;
}

std::string Service::Loop::control_address() const {
  return control_port_ ? text_of(control_port_->endpoint()) : std::string();
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
  context_.poll();  // Serves the calls for which other threads wait.
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
  bool elsewhere = false;
  {
    const std::lock_guard lock(running_mutex_);
    elsewhere = running_ && !context_.get_executor().running_in_this_thread();
    if (elsewhere) boost::asio::post(context_, [&task] { task(); });
  }
  if (!elsewhere) task();
  done.get();
}

std::vector<std::shared_ptr<Peer>> Service::Loop::peers_of(SessionId session) const {
  std::vector<std::shared_ptr<Peer>> found;
  if (session == 0) return found;
  for (const std::shared_ptr<Peer>& peer : peers_) {
    if (peer->session_id() == session) found.push_back(peer);
  }
  std::ranges::partition(found, &Peer::serves_its_session);
  return found;
}

connection::WordSubject Service::Loop::describe(std::uint32_t server, const Peer* asks) const {
  connection::WordSubject subject{world_.servers(), server, world_.now()};
  subject.received = totals_[server].received;
  subject.sent = totals_[server].sent;
  for (const std::shared_ptr<Peer>& peer : peers_) {
    if (peer->server() != server) continue;
    connection::WordClient client = peer->facts();
    client.asks = peer.get() == asks;
    subject.received += client.received;
    subject.sent += client.sent;
    subject.clients.push_back(std::move(client));
  }
  return subject;
}

void Service::Loop::forget(const std::shared_ptr<Peer>& over) {
  const connection::WordClient facts = over->facts();
  totals_[over->server()].received += facts.received;
  totals_[over->server()].sent += facts.sent;
  peers_.erase(over);
}

void Service::Loop::welcome(Tcp::socket socket, std::uint32_t server) {
  if (refuses_[server]) {
    boost::system::error_code ignored;
    socket.set_option(boost::asio::socket_base::linger(true, 0), ignored);
    return;
  }
  const auto peer =
      std::make_shared<Peer>(std::move(socket), world_, server,
                             [this](const std::shared_ptr<Peer>& over) { forget(over); });
  peer->describe_server_by([this, server, asks = peer.get()] { return describe(server, asks); });
  peers_.insert(peer);
  peer->start(sessionless_connection_timeout_);
}

}  // namespace lockstep::service
