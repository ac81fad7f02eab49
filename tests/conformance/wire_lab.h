#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/wire/frames.h"
#include "lockstep/wire/reply.h"
#include "lockstep/wire/request.h"

// ZooKeeper's behaviour in bytes, for features that other clients use but no Session offers. A test
// is a plain function and passes on both servers.
namespace lockstep::conformance {

// One connection to a server.
class WireStream {
 public:
  WireStream() = default;
  WireStream(const WireStream&) = delete;
  WireStream& operator=(const WireStream&) = delete;
  virtual ~WireStream() = default;

  virtual void send(std::string_view bytes) = 0;
  // The bytes that have arrived, at least one; empty if the server has closed the stream. Throws if
  // nothing arrives.
  virtual std::string receive() = 0;
};

// A server.
class WireLab {
 public:
  WireLab() = default;
  WireLab(const WireLab&) = delete;
  WireLab& operator=(const WireLab&) = delete;
  virtual ~WireLab() = default;

  virtual std::unique_ptr<WireStream> connect() = 0;
  // A path that no other test uses, and that does not exist yet.
  [[nodiscard]] virtual std::string parent() const = 0;
};

// A session whose requests and events a test handles one by one.
class WireSession {
 public:
  explicit WireSession(WireLab& lab);
  // Resumes another session by its id and password, after its stream has ended.
  WireSession(WireLab& lab, const WireSession& earlier);
  WireSession(const WireSession&) = delete;
  WireSession& operator=(const WireSession&) = delete;
  // Closes the session, unless the stream has ended: its expiry would take a zxid during another
  // test, which may count them.
  ~WireSession();

  // Sends a request, and returns the next frame, which must be its reply.
  wire::Reply ask(wire::Op op, wire::Request::Body body);
  std::int32_t error_of(wire::Op op, wire::Request::Body body) {
    return ask(op, std::move(body)).err;
  }
  // Sends without waiting.
  void send(wire::Op op, wire::Request::Body body);
  // The next frame, which must be the reply to this operation.
  wire::Reply reply(wire::Op op) { return wire::decode_reply(op, frame()).value(); }
  // Sends any bytes, as they are.
  void send_stream(std::string_view bytes) { stream_->send(bytes); }
  // Sends any bytes behind a request's header.
  void send_bytes(std::int32_t xid, std::int32_t op, std::string_view body);
  // Sends a request with such a body, and returns the header of the reply.
  wire::Reply ask_bytes(wire::Op op, std::string_view body);
  // The header of the next frame, or none if the server has closed the connection.
  std::optional<wire::Reply> next_header();
  // The next frame, which must be an event: "created /a". Throws on another frame.
  std::string event();
  // Checks that no event is in flight: the next frame answers a ping.
  void expect_quiet();
  // Ends the stream, but not the session.
  void leave() { stream_.reset(); }

  // These throw on failure.
  void create(const std::string& path, std::int32_t flags = 0, std::string data = "data");
  void remove(const std::string& path);
  void set_data(const std::string& path, std::string data = "other");

  [[nodiscard]] std::int64_t id() const { return session_.session; }
  [[nodiscard]] std::int64_t last_zxid() const { return last_zxid_; }

 private:
  void greet(const wire::ConnectRequest& request);
  std::string frame();
  std::optional<std::string> next_frame();
  void must(wire::Op op, wire::Request::Body body);

  std::unique_ptr<WireStream> stream_;
  wire::FrameReader reader_;
  wire::ConnectResponse session_;
  std::int32_t xid_ = 0;
  std::int64_t last_zxid_ = 0;
};

class WireConformance : public ::testing::TestWithParam<std::unique_ptr<WireLab> (*)()> {
 protected:
  WireConformance() : lab(GetParam()()), root(lab->parent()) {}

  std::unique_ptr<WireLab> lab;
  std::string root;  // The constructor does not create it.
};

// Bodies of requests.
inline wire::Vector<wire::Acl> open_acl() {
  return std::vector{wire::Acl{.perms = 31, .id = {.scheme = "world", .id = "anyone"}}};
}
inline wire::CreateRequest a_create(std::string path, std::int32_t flags = 0) {
  return {.path = std::move(path), .data = "data", .acl = open_acl(), .flags = flags};
}
inline wire::CreateTtlRequest a_ttl_create(std::string path, std::int32_t flags,
                                           std::int64_t ttl_ms) {
  return {
      .path = std::move(path), .data = "data", .acl = open_acl(), .flags = flags, .ttl_ms = ttl_ms};
}
inline wire::PathRequest at(std::string path) { return {.path = std::move(path)}; }
inline wire::ReadRequest a_read(std::string path, bool watch = false) {
  return {.path = std::move(path), .watch = watch};
}
inline wire::VersionRequest of_any_version(std::string path) {
  return {.path = std::move(path), .version = -1};
}

}  // namespace lockstep::conformance
