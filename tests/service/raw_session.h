#pragma once

#include <poll.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "lockstep/wire/frames.h"
#include "lockstep/wire/reply.h"
#include "lockstep/wire/request.h"

namespace lockstep::service {

// A blocking client that sends only what a test tells it to: no pings, no second connection.
class RawSession {
 public:
  explicit RawSession(std::uint16_t port,
                      std::chrono::milliseconds timeout = std::chrono::seconds(20)) {
    connect(port, {.timeout_ms = static_cast<std::int32_t>(timeout.count()),
                   .password = std::string(16, '\0'),
                   .read_only = false});
  }
  // Comes back with the session of `before`, which keeps its connection. Its id is 0 if that is
  // over.
  RawSession(std::uint16_t port, const RawSession& before) {
    connect(port, {.timeout_ms = 20'000,
                   .session = before.session_,
                   .password = before.password_,
                   .read_only = false});
  }

  // 0 if the server has closed the connection instead of opening a session.
  [[nodiscard]] std::int64_t id() const { return session_; }
  void send(wire::Op op, wire::Request::Body body) {
    send(wire::encode({.xid = ++xid_, .op = op, .body = std::move(body)}));
  }
  // Sends that many of them in one piece, with any bytes after them.
  void send_together(int count, wire::Op op, const wire::Request::Body& body,
                     const std::string& last = {}) {
    std::string stream;
    for (int i = 0; i < count; ++i) {
      wire::append_frame(stream, wire::encode({.xid = ++xid_, .op = op, .body = body}));
    }
    send_bytes(stream + last);
  }
  void send_bytes(const std::string& bytes) {
    boost::asio::write(socket_, boost::asio::buffer(bytes));
  }
  // The next frame, which must be the reply.
  wire::Reply reply(wire::Op op) {
    const std::optional<std::string> answer = frame();
    if (!answer) throw std::runtime_error("the connection is closed");
    return wire::decode_reply(op, *answer).value();
  }
  // The next frame, which must be an event.
  wire::Event event() { return wire::decode_event(frame().value()).value(); }
  wire::Reply ask(wire::Op op, wire::Request::Body body) {
    send(op, std::move(body));
    return reply(op);
  }
  // Returns the path of the new znode.
  std::string create(std::string path, std::int32_t flags = 0) {
    wire::CreateRequest body{.path = std::move(path), .data = "data", .flags = flags};
    body.acl.emplace().push_back({.perms = 31, .id = {.scheme = "world", .id = "anyone"}});
    return std::get<wire::PathReply>(ask(wire::Op::kCreate, std::move(body)).body).path.value();
  }
  std::int32_t exists(std::string path) {
    return ask(wire::Op::kExists, wire::ReadRequest{.path = std::move(path)}).err;
  }
  // Waits until the server resets the connection, without reading what it has sent. False if it
  // does not.
  [[nodiscard]] bool wait_for_reset() {
    constexpr int kMuchTooLongMs = 30'000;
    pollfd waiting{.fd = socket_.native_handle(), .events = 0, .revents = 0};
    return poll(&waiting, 1, kMuchTooLongMs) == 1;
  }
  // Waits until the server closes the connection, and ignores what it sends before.
  void wait_for_close() {
    while (frame()) {
    }
  }

 private:
  void connect(std::uint16_t port, const wire::ConnectRequest& request) {
    socket_.connect({boost::asio::ip::address_v4::loopback(), port});
    send(wire::encode(request));
    const std::optional<std::string> welcome = frame();
    if (!welcome) return;
    const wire::ConnectResponse response = wire::decode_connect_response(*welcome).value();
    session_ = response.session;
    password_ = response.password.value();
  }
  void send(const std::string& frame) {
    std::string bytes;
    wire::append_frame(bytes, frame);
    send_bytes(bytes);
  }
  // None if the connection is closed.
  std::optional<std::string> frame() {
    for (;;) {
      if (const auto next = reader_.next()) return std::string(*next);
      boost::system::error_code error;
      const std::size_t size = socket_.read_some(boost::asio::buffer(bytes_), error);
      if (error) return std::nullopt;
      reader_.feed({bytes_.data(), size});
    }
  }

  boost::asio::io_context context_;
  boost::asio::ip::tcp::socket socket_{context_};
  wire::FrameReader reader_{1U << 30U};  // A multiRead's answer may be long.
  std::array<char, 4096> bytes_{};
  std::int64_t session_ = 0;
  std::string password_;
  std::int32_t xid_ = 0;
};

}  // namespace lockstep::service
