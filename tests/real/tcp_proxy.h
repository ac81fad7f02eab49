#pragma once

#include <poll.h>

#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace lockstep::support {

// A proxy on 127.0.0.1 in front of a server, with its own thread: a test can break a client's
// connection, or stop the messages of one direction, at a chosen moment. Thread-safe.
class TcpProxy {
 public:
  explicit TcpProxy(std::uint16_t server_port);
  ~TcpProxy();
  TcpProxy(const TcpProxy&) = delete;
  TcpProxy& operator=(const TcpProxy&) = delete;

  // A connection string.
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  // Closes every connection. New ones are accepted.
  void cut();
  // The same with a reset: both sides see "connection reset by peer".
  void reset();
  // Closes every connection, and new ones at once, until accept_again().
  void refuse();
  void accept_again();

  // Keeps connections open but passes nothing in either direction, until pass_again().
  void stall();
  // The same for one direction, like a network that has failed one way. Held data arrives late,
  // like TCP's retransmissions.
  void hold_requests();
  void hold_replies();
  void pass_again();
  // Whether the proxy holds data that the server has sent.
  [[nodiscard]] bool holds_a_reply();

  // Drops the client's next message, and the connection.
  void cut_at_next_request();
  // Drops the server's next message, and the connection: the request was applied, but its reply is
  // lost.
  void cut_at_next_reply();

  // Undoes all of the above: everything passes, and new connections are accepted.
  void heal();

 private:
  enum class Drop { kNothing, kNextRequest, kNextReply };
  struct Link {
    int client;
    int server;
    bool broken = false;
  };

  void run();
  [[nodiscard]] std::vector<pollfd> sockets_to_watch();
  void serve(const std::vector<pollfd>& ready);
  void accept_client();
  void pass(Link& link, int from, int to, Drop drop_if);
  static void break_link(Link& link);
  void wake() const;

  const std::uint16_t server_port_;
  int listener_;
  int wake_;
  std::uint16_t port_;

  std::mutex mutex_;
  std::list<Link> links_;
  Drop drop_ = Drop::kNothing;
  bool refusing_ = false;
  bool requests_held_ = false;
  bool replies_held_ = false;
  bool stopping_ = false;

  std::thread thread_;  // Last: it uses all members above.
};

}  // namespace lockstep::support
