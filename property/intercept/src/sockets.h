#pragma once

#include <memory>

#include "descriptors.h"

namespace lockstep::intercept {

// A TCP socket of a client.
class Socket final : public Descriptor {
 public:
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
  void close() override { stream_.reset(); }
  // Only in this direction: SHUT_WR is not told to the server.
  void shut(int how);

 private:
  std::unique_ptr<Stream> stream_;
  sockaddr_in peer_{};
  int error_ = 0;
  bool refused_ = false;
  bool reads_no_more_ = false;
  bool writes_no_more_ = false;
};

}  // namespace lockstep::intercept
