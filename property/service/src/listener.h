#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <string>

namespace lockstep::service {

// A port at which clients arrive. If the machine has no socket for them (no free file descriptor,
// for example), it pauses before it retries, rather than keep a core busy. Meanwhile the clients
// wait in the kernel's queue.
class Listener {
 public:
  using Tcp = boost::asio::ip::tcp;
  using Arrived = std::function<void(Tcp::socket)>;
  static constexpr std::chrono::milliseconds kPause{100};

  // Listens; throws std::system_error, with the address in its text, if it cannot.
  Listener(boost::asio::io_context& context, const Tcp::endpoint& at, Arrived arrived);
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Begins to pass clients on.
  void start() { accept(); }
  // Stops listening. The context must be polled before this object is destroyed.
  void close();

  [[nodiscard]] Tcp::endpoint endpoint() const { return acceptor_.local_endpoint(); }

 private:
  void accept();
  void pause();

  Tcp::acceptor acceptor_;
  boost::asio::steady_timer pause_;
  Arrived arrived_;
  bool closed_ = false;
};

// "127.0.0.1:2181".
[[nodiscard]] std::string text_of(const Listener::Tcp::endpoint& endpoint);
[[noreturn]] void cannot_listen(const std::string& where, const boost::system::error_code& error);

}  // namespace lockstep::service
