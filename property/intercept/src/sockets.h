#pragma once

#include <netinet/in.h>

#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "descriptors.h"
#include "pieces.h"

namespace lockstep::intercept {

// A TCP socket: one of a client, or one that listens for connections from threads of its execution.
class Socket final : public Descriptor {
 public:
  Socket() = default;
  // An accepted connection.
  Socket(std::unique_ptr<Stream> stream, const sockaddr_in& own);

  void bind(const sockaddr_in& to);
  // Returns 0 or the error (errno).
  int listen();
  // Whether connections to this address come here.
  [[nodiscard]] bool listens_at(const sockaddr_in& address) const;
  // Returns null with errno EAGAIN if no client has connected, or EINVAL if the socket does not
  // listen.
  [[nodiscard]] std::shared_ptr<Socket> accept();
  [[nodiscard]] const sockaddr_in& own() const { return own_; }
  [[nodiscard]] const Stream* stream() const { return stream_.get(); }

  // Begins to connect. Returns EINPROGRESS, even if the connection is established at once, as for
  // real nonblocking sockets; or an error (errno).
  int connect(Execution& execution, const sockaddr_in& to);
  // Returns the error of the last connect(), and clears it (SO_ERROR).
  int take_error() { return is_connecting() ? 0 : std::exchange(error_, 0); }
  [[nodiscard]] const sockaddr_in* peer() const {
    return stream_ && !is_connecting() ? &peer_ : nullptr;
  }

  short ready() override;
  ssize_t read(char* into, std::size_t size) override;
  ssize_t peek(char* into, std::size_t size) override;
  ssize_t write(std::string_view bytes) override;
  [[nodiscard]] std::optional<std::chrono::nanoseconds> due(short events) override;
  [[nodiscard]] bool has_local_peer() const override;
  void close() override;
  // Affects only this end: the other end does not see SHUT_WR as an end of the connection.
  void shut(int how);

 private:
  void established(std::unique_ptr<Stream> stream);
  [[nodiscard]] bool is_connecting() const;
  // Returns the number of bytes that a reader can have; 0 at the end of the connection; -1 and
  // errno for an error, with EAGAIN if the reader has to wait.
  [[nodiscard]] ssize_t readable_bytes();
  [[nodiscard]] bool is_reset();

  std::unique_ptr<Stream> stream_;
  std::deque<std::unique_ptr<Stream>> visitors_;  // Connected, not yet accepted.
  sockaddr_in own_{};
  sockaddr_in peer_{};
  bool listens_ = false;
  std::optional<std::chrono::nanoseconds> connects_until_;
  int error_ = 0;
  bool refused_ = false;
  bool reads_no_more_ = false;
  bool writes_no_more_ = false;
  Pieces in_;
  Pieces out_;
  bool has_read_ = false;
  bool end_is_known_ = false;
};

}  // namespace lockstep::intercept
