#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/connection/client_connection.h"
#include "lockstep/wire/frames.h"
#include "lockstep/wire/reply.h"
#include "lockstep/wire/request.h"

namespace lockstep::connection {

// The client's side of a connection, in bytes.
class WireClient {
 public:
  explicit WireClient(fakezk::World& world) : WireClient(world, world.add_process()) {}
  WireClient(fakezk::World& world, fakezk::Process& process)
      : world_(world), connection_(process) {}
  WireClient(fakezk::World& world, fakezk::Process& process, fakezk::LinkIndex link)
      : world_(world), connection_(process, link) {}

  static std::string framed(std::string_view frame) {
    std::string stream;
    wire::append_frame(stream, frame);
    return stream;
  }
  static std::string bytes(const wire::Request& request) { return framed(wire::encode(request)); }
  static wire::ConnectRequest greeting() {
    return {.timeout_ms = 10000, .password = std::string(16, '\0'), .read_only = false};
  }

  void send(std::string_view stream) { connection_.feed(stream); }
  void send(const wire::Request& request) { send(bytes(request)); }

  // Lets everything happen that can, and returns the frames since the last call.
  std::vector<std::string> settled() {
    world_.settle();
    return arrived();
  }
  std::vector<std::string> arrived() {
    reader_.feed(connection_.take_output());
    std::vector<std::string> frames;
    while (const auto frame = reader_.next()) frames.emplace_back(*frame);
    return frames;
  }

  wire::ConnectResponse connect(const wire::ConnectRequest& request = greeting()) {
    send(framed(wire::encode(request)));
    const std::optional<std::string> frame = only_frame();
    return frame ? wire::decode_connect_response(*frame).value() : wire::ConnectResponse();
  }
  // The only reply to a request, when nothing else is in flight.
  wire::Reply ask(const wire::Request& request) {
    send(request);
    const std::optional<std::string> frame = only_frame();
    return frame ? wire::decode_reply(request.op, *frame).value() : wire::Reply();
  }

  [[nodiscard]] ClientConnection& connection() { return connection_; }

 private:
  // The only frame, when nothing else is in flight; empty after a failure.
  std::optional<std::string> only_frame() {
    const std::vector<std::string> frames = settled();
    if (frames.size() == 1) return frames[0];
    ADD_FAILURE() << frames.size() << " frames instead of one";
    return std::nullopt;
  }

  fakezk::World& world_;
  ClientConnection connection_;
  wire::FrameReader reader_;
};

// A world with one client, which is not connected yet.
class ClientConnectionTest : public ::testing::Test {
 protected:
  fakezk::World world_;
  WireClient client_{world_};
};

inline wire::Request create(std::int32_t xid, std::string path, std::int32_t flags = 0) {
  const wire::Acl open{.perms = 31, .id = {.scheme = "world", .id = "anyone"}};
  wire::CreateRequest body{.path = std::move(path), .data = "data", .flags = flags};
  body.acl.emplace().push_back(open);
  return {.xid = xid, .op = wire::Op::kCreate, .body = std::move(body)};
}
inline wire::Request read(std::int32_t xid, wire::Op op, std::string path, bool watch = false) {
  return {.xid = xid, .op = op, .body = wire::ReadRequest{.path = std::move(path), .watch = watch}};
}
inline wire::Request remove(std::int32_t xid, std::string path) {
  return {.xid = xid,
          .op = wire::Op::kDelete,
          .body = wire::VersionRequest{.path = std::move(path), .version = -1}};
}
inline wire::Request plain(std::int32_t xid, wire::Op op) {
  return {.xid = xid, .op = op, .body = wire::Nothing{}};
}
inline wire::Request auth(std::string scheme, std::string credential) {
  return {.xid = wire::kAuthXid,
          .op = wire::Op::kAuth,
          .body = wire::AuthPacket{.scheme = std::move(scheme), .auth = std::move(credential)}};
}

}  // namespace lockstep::connection
