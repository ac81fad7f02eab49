#include "local_streams.h"

#include <string>

#include "lockstep/intercept/thread_sanitizer.h"

namespace lockstep::intercept {

namespace {

// One direction of a connection.
struct Direction {
  std::string bytes;
  std::chrono::nanoseconds last_at{};
  bool is_shut = false;  // No more bytes follow.
  bool receiver_gone = false;
  bool is_reset = false;  // By its sender.
};

class LocalStream final : public Stream {
 public:
  LocalStream(Host& host, std::shared_ptr<Direction> in, std::shared_ptr<Direction> out)
      : host_(host), in_(std::move(in)), out_(std::move(out)) {}
  // As in TCP, an end that has not read all bytes resets the connection.
  ~LocalStream() override {
    if (!in_->bytes.empty()) LocalStream::abort();
    if (!out_->is_reset) LocalStream::shut_sending();
    in_->receiver_gone = true;
  }

  void send(std::string_view bytes) override {
    out_->bytes += bytes;
    happens_before(out_.get());
    out_->last_at = host_.now();
  }
  [[nodiscard]] std::string_view arrived() override { return in_->bytes; }
  void take(std::size_t bytes) override {
    in_->bytes.erase(0, bytes);
    happens_after(in_.get());
  }
  [[nodiscard]] End end() const override {
    if (in_->is_reset) return in_->is_shut ? End::kClosedAndReset : End::kReset;
    return in_->is_shut ? End::kClosed : End::kNone;
  }
  void shut_sending() override {
    out_->is_shut = true;
    happens_before(out_.get());
  }
  void abort() override {
    if (in_->is_shut && out_->is_shut) return;  // It is over.
    out_->is_reset = true;
    happens_before(out_.get());
  }
  [[nodiscard]] bool is_received() const override { return !out_->receiver_gone; }
  [[nodiscard]] std::chrono::nanoseconds last_arrival() const override { return in_->last_at; }

 private:
  Host& host_;
  std::shared_ptr<Direction> in_;
  std::shared_ptr<Direction> out_;
};

}  // namespace

std::pair<std::unique_ptr<Stream>, std::unique_ptr<Stream>> connect_locally(Host& host) {
  const auto there = std::make_shared<Direction>();
  const auto back = std::make_shared<Direction>();
  there->last_at = host.now();
  back->last_at = host.now();
  return {std::make_unique<LocalStream>(host, back, there),
          std::make_unique<LocalStream>(host, there, back)};
}

bool is_local(const Stream& stream) { return dynamic_cast<const LocalStream*>(&stream) != nullptr; }

}  // namespace lockstep::intercept
