#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "request_filter.h"
#include "served_world.h"

namespace lockstep::service {

// One client's socket and its connection in the world. Memory stays bounded: it stops reading while
// too many requests are unanswered or too many answers are not taken, and it drops a client that
// does not take its events, or that does not take the rest of its answers after its connection has
// ended.
class Peer final : public ServedWorld::TurnListener,
                   private connection::ClientConnection::Listener,
                   public std::enable_shared_from_this<Peer> {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  // Calls `over` once, with this peer, when it has nothing left to do.
  using Over = std::function<void(const std::shared_ptr<Peer>&)>;
  Peer(Socket socket, ServedWorld& world, std::uint32_t server, Over over);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  // Drops a client that sends nothing for `greets_within` and has sent no ConnectRequest.
  void start(std::chrono::milliseconds greets_within);
  void look() override;
  // Closes the socket without sending anything.
  void leave();
  [[nodiscard]] std::uint32_t server() const { return server_; }
  // Stops all traffic in both directions, or resumes it.
  void stall(bool stalled);
  [[nodiscard]] bool stalled() const { return stalled_; }
  // Delays the messages that are sent from now on; they keep their order. Zero ends the delay, also
  // of those that it holds back.
  void delay(Duration by);
  // Hears the client if it has sent something that is not read yet.
  void hear_unread();
  // The facts that four letter words show.
  [[nodiscard]] connection::WordClient facts() const;
  void describe_server_by(std::function<connection::WordSubject()> describe) {
    connection_->describe_server_by(std::move(describe));
  }
  // 0 until it has a session.
  [[nodiscard]] SessionId session_id() const { return connection_->session_id(); }
  // False once the session is over, or its client has come back over another connection.
  [[nodiscard]] bool serves_its_session() const;

 private:
  static constexpr std::size_t kMuchOutput = 1U << 20U;
  static constexpr std::size_t kTooMuchOutput = 64U << 20U;
  static constexpr std::size_t kLongAnswers = 16;
  // A client that takes nothing for this long after its connection has ended will take no more.
  static constexpr std::chrono::seconds kLinger{1};
  static constexpr std::size_t kManyRequests = 10'000;

  void wait_for_greeting();
  void read();
  void connection_changed() override;
  void take_input();
  void hear();
  // Whether it has sent a request that hear() does not know of.
  [[nodiscard]] bool has_spoken() const { return connection_->signs_of_life() != heard_; }
  void hold_back();
  void wait_for_delayed();
  void write(std::string bytes);
  [[nodiscard]] bool lingers() const {
    return writing_ && !left_ && !stalled_ && connection_->closed();
  }
  void linger();
  // The bytes that the client has not taken.
  [[nodiscard]] std::size_t waiting() const { return output_.size() + delayed_bytes_; }
  [[nodiscard]] bool may_read() const;
  // The servers have closed a connection that is stalled or delayed: its client learns of it only
  // afterwards, and can only leave until then.
  [[nodiscard]] bool waits_for_end() const {
    return connection_->closed() && (stalled_ || !delayed_.empty());
  }

  Socket socket_;
  ServedWorld& world_;
  std::uint32_t server_;
  std::string address_;
  std::unique_ptr<connection::ClientConnection> connection_;
  RequestFilter filter_;
  Over over_;
  std::string output_;  // Being written.
  // Bytes that are delayed, the oldest first.
  struct Delayed {
    boost::asio::steady_timer::time_point due;
    std::string bytes;
  };
  std::chrono::milliseconds greets_within_{};
  boost::asio::steady_timer leave_timer_;
  boost::asio::steady_timer delay_timer_;
  Duration delay_{};
  std::deque<Delayed> delayed_;
  std::size_t delayed_bytes_ = 0;
  std::uint64_t heard_ = 0;  // Signs of life.
  bool waits_ = false;
  bool reading_ = false;
  bool writing_ = false;
  bool left_ = false;
  bool established_ = false;
  bool stalled_ = false;
  bool looks_later_ = false;
};

}  // namespace lockstep::service
