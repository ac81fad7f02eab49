#pragma once

#include <netinet/in.h>

#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "descriptors.h"
#include "pieces.h"

namespace lockstep::intercept {

// A TCP socket: of a client, or one that waits for connections from threads of its own execution.
class Socket final : public Descriptor {
 public:
  Socket() = default;
  // An accepted one.
  Socket(std::unique_ptr<Stream> stream, const sockaddr_in& own);

  void bind(const sockaddr_in& to);
  // 0, or the error.
  int listen();
  // Whether connections to this address come here.
  [[nodiscard]] bool listens_at(const sockaddr_in& address) const;
  // Null, and errno is EAGAIN, if no client has connected.
  [[nodiscard]] std::shared_ptr<Socket> accept();
  [[nodiscard]] const sockaddr_in& own() const { return own_; }
  [[nodiscard]] const Stream* stream() const { return stream_.get(); }

  // Begins to connect: EINPROGRESS, or an error. Connections that are established at once say so
  // only afterwards, as real ones do.
  int connect(Execution& execution, const sockaddr_in& to);
  // Takes the error of the last connect: SO_ERROR.
  int take_error() { return is_connecting() ? 0 : std::exchange(error_, 0); }
  [[nodiscard]] const sockaddr_in* peer() const {
    return stream_ && !is_connecting() ? &peer_ : nullptr;
  }

  short ready() override;
  ssize_t read(char* into, std::size_t size) override;
  ssize_t peek(char* into, std::size_t size) override;
  ssize_t write(std::string_view bytes) override;
  [[nodiscard]] std::optional<std::chrono::nanoseconds> due(short events) override;
  void close() override;
  // Only in this direction: SHUT_WR is not told to the server.
  void shut(int how);

 private:
  void established(std::unique_ptr<Stream> stream);
  [[nodiscard]] bool is_connecting() const;
  // Those that a reader can have: -1 and errno if it has to wait or has an error, 0 at the end.
  [[nodiscard]] ssize_t readable_bytes();
  [[nodiscard]] bool is_reset();

  std::unique_ptr<Stream> stream_;
  std::deque<std::unique_ptr<Stream>> visitors_;  // Connected and not accepted.
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
