#pragma once

#include <netinet/in.h>

#include <deque>
#include <memory>
#include <utility>

#include "descriptors.h"

namespace lockstep::intercept {

// A TCP socket: of a client, or one that waits for connections from threads of its own execution.
class Socket final : public Descriptor {
 public:
  Socket() = default;
  // An accepted one.
  Socket(std::unique_ptr<Stream> stream, const sockaddr_in& own)
      : stream_(std::move(stream)), own_(own) {}

  void bind(const sockaddr_in& to);
  // 0, or the error.
  int listen();
  // Whether connections to this address come here.
  [[nodiscard]] bool listens_at(const sockaddr_in& address) const;
  // Null, and errno is EAGAIN, if no client has connected.
  [[nodiscard]] std::shared_ptr<Socket> accept();
  [[nodiscard]] const sockaddr_in& own() const { return own_; }
  [[nodiscard]] const Stream* stream() const { return stream_.get(); }

  // 0, or the error. Connections are established at once, but a nonblocking connect says so only
  // afterwards, as a real one does.
  int connect(Execution& execution, const sockaddr_in& to);
  // Takes the error of the last connect: SO_ERROR.
  int take_error() { return std::exchange(error_, 0); }
  [[nodiscard]] const sockaddr_in* peer() const { return stream_ ? &peer_ : nullptr; }

  short ready() override;
  ssize_t read(char* into, std::size_t size) override;
  ssize_t peek(char* into, std::size_t size) override;
  ssize_t write(std::string_view bytes) override;
  void close() override;
  // Only in this direction: SHUT_WR is not told to the server.
  void shut(int how);

 private:
  std::unique_ptr<Stream> stream_;
  std::deque<std::unique_ptr<Stream>> visitors_;  // Connected and not accepted.
  sockaddr_in own_{};
  sockaddr_in peer_{};
  bool listens_ = false;
  int error_ = 0;
  bool refused_ = false;
  bool reads_no_more_ = false;
  bool writes_no_more_ = false;
};

}  // namespace lockstep::intercept
