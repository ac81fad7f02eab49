#pragma once

#include <errno.h>
#include <netinet/in.h>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "descriptors.h"
#include "pieces.h"

namespace lockstep::intercept {

// The end of a connection: a TCP socket, or an end of a socket pair.
class ConnectionEnd : public Descriptor {
 public:
  // Ends one direction of the connection, or both (SHUT_RD, SHUT_WR, SHUT_RDWR). Returns 0 or the
  // error (errno).
  virtual int shut(int how) = 0;
  // Returns the error of the last connect(), and clears it (SO_ERROR).
  virtual int take_error() { return 0; }
  // The addresses of this end and of the other one. The latter is empty without a connection.
  [[nodiscard]] virtual std::string own_name() const = 0;
  [[nodiscard]] virtual std::string peer_name() const = 0;
  [[nodiscard]] virtual bool listens() const { return false; }
  // AF_INET, AF_INET6 or AF_UNIX.
  [[nodiscard]] virtual int domain() const { return AF_UNIX; }
  [[nodiscard]] mode_t type() const override { return S_IFSOCK; }

  // The values of options that have no effect here, as they were set: by level and option.
  std::map<std::pair<int, int>, std::string> options;
};

// A TCP socket: one of a client, or one that listens for connections from threads of its execution.
class Socket final : public ConnectionEnd {
 public:
  // A connection that waits to be accepted.
  struct Visitor {
    std::unique_ptr<Stream> stream;
    sockaddr_in from;
    sockaddr_in to;
  };

  // `family`: AF_INET or AF_INET6, which tells how programs see its addresses.
  explicit Socket(int family) : family_(family) {}
  // An accepted connection.
  Socket(int family, Visitor visitor);

  // Binds the socket to that address, with a new port instead of 0. Returns 0 or the error (errno).
  int bind(Execution& execution, sockaddr_in to);
  // Binds the socket to a new port if it is not bound. Returns 0 or the error.
  int listen(Execution& execution);
  // Whether connections to this address come here.
  [[nodiscard]] bool listens_at(const sockaddr_in& address) const;
  // Whether it is bound to this port, in network byte order.
  [[nodiscard]] bool has_port(in_port_t port) const { return own_.sin_port == port; }
  // Whether it is bound to this address, or to one that includes it.
  [[nodiscard]] bool is_at(const sockaddr_in& address) const;
  // Returns null with errno EAGAIN if no client has connected, or EINVAL if the socket does not
  // listen.
  [[nodiscard]] std::shared_ptr<Socket> accept();
  [[nodiscard]] const Stream* stream() const { return stream_.get(); }
  [[nodiscard]] bool listens() const override { return listens_; }
  [[nodiscard]] int domain() const override { return family_; }
  [[nodiscard]] bool is_connecting() const;

  // Begins to connect. Returns EINPROGRESS, even if the connection is established at once, as for
  // real nonblocking sockets. The next call returns EALREADY, or tells the outcome. Returns an
  // error (errno) if neither is possible.
  int connect(Execution& execution, const sockaddr_in& to);
  // Returns 0 if the attempt has succeeded. Otherwise returns the error, or ECONNABORTED if another
  // call has told it; then the socket can connect again.
  int tell_outcome();
  int take_error() override;
  [[nodiscard]] std::string own_name() const override;
  [[nodiscard]] std::string peer_name() const override;
  // Like peer_name(), also if the connection is over.
  [[nodiscard]] std::string visitor_name() const;

  short ready() override;
  [[nodiscard]] int read_error(std::size_t size) const override {
    return listens_ && size > 0 ? ENOTCONN : 0;
  }
  ssize_t read(char* into, std::size_t size) override;
  ssize_t peek(char* into, std::size_t size) override;
  ssize_t write(std::string_view bytes) override;
  [[nodiscard]] std::optional<std::chrono::nanoseconds> due(short events) override;
  [[nodiscard]] bool has_local_peer() const override;
  void close() override;
  // A simulated server does not learn of it. A socket that listens accepts no more.
  int shut(int how) override;

 private:
  void established(std::unique_ptr<Stream> stream);
  // Whether the option SO_REUSEADDR is set.
  [[nodiscard]] bool reuses() const;
  void choose_own_address(Execution& execution);
  void disconnect();
  // Ends an attempt to connect that is under way.
  void give_up_connecting();
  // Returns the number of bytes that a reader can have; 0 at the end of the connection; -1 and
  // errno for an error, with EAGAIN if the reader has to wait.
  [[nodiscard]] ssize_t readable_bytes();
  [[nodiscard]] ssize_t write_in_vain(std::string_view bytes);
  [[nodiscard]] ssize_t write_after_end();
  [[nodiscard]] bool draw_reset();
  // Returns the error (errno) of a reset that no call has told yet; 0 if there is none.
  [[nodiscard]] int untold_reset() const;
  // Whether nothing can pass in either direction any more.
  [[nodiscard]] bool is_over() const;
  void reset_visitors();
  // Whether a close resets the connection (SO_LINGER with a time of 0).
  [[nodiscard]] bool aborts() const;

  std::unique_ptr<Stream> stream_;
  int family_;
  std::deque<Visitor> visitors_;  // Connected, not yet accepted.
  sockaddr_in own_{};
  sockaddr_in peer_{};
  bool listens_ = false;
  std::optional<std::chrono::nanoseconds> connects_until_;
  int error_ = 0;
  bool refused_ = false;
  bool outcome_is_due_ = false;  // No connect() has told how the attempt has ended.
  bool reads_no_more_ = false;
  bool writes_no_more_ = false;
  Pieces in_;
  Pieces out_;
  bool has_read_ = false;
  bool end_is_known_ = false;
  bool reset_is_told_ = false;
  bool has_written_in_vain_ = false;
};

// These return null and set errno if the number has no such descriptor.
[[nodiscard]] std::shared_ptr<ConnectionEnd> end_of(Execution& execution, int file);
// For calls that the ends of a socket pair do not support.
[[nodiscard]] std::shared_ptr<Socket> socket_of(Execution& execution, int file);

}  // namespace lockstep::intercept
