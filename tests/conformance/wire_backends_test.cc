#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <deque>
#include <optional>
#include <stdexcept>

#include "conformance/wire_lab.h"
#include "lockstep/connection/client_connection.h"
#include "lockstep/fakezk/chooser.h"
#include "lockstep/fakezk/world.h"
#include "real/loopback.h"
#include "real/zookeeper_server.h"

namespace lockstep::conformance {

namespace {

std::string framed(std::string_view frame) {
  std::string bytes;
  wire::append_frame(bytes, frame);
  return bytes;
}

std::string name_of_event(std::int32_t type) {
  constexpr std::array kNames = {"", "created", "deleted", "changed", "child"};
  return kNames.at(static_cast<std::size_t>(type));
}

}  // namespace

WireSession::WireSession(WireLab& lab) : stream_(lab.connect()) {
  greet({.timeout_ms = 20'000, .password = std::string(16, '\0'), .read_only = false});
}

WireSession::WireSession(WireLab& lab, const WireSession& earlier) : stream_(lab.connect()) {
  greet({.last_zxid_seen = earlier.last_zxid_,
         .timeout_ms = 20'000,
         .session = earlier.session_.session,
         .password = earlier.session_.password,
         .read_only = false});
}

WireSession::~WireSession() {
  if (!stream_) return;
  try {
    send(wire::Op::kCloseSession, wire::Nothing{});
    while (!stream_->receive().empty()) {
    }
  } catch (const std::runtime_error&) {
    // The server has closed the stream before.
  }
}

void WireSession::greet(const wire::ConnectRequest& request) {
  stream_->send(framed(wire::encode(request)));
  session_ = wire::decode_connect_response(frame()).value();
  if (session_.session == 0) throw std::runtime_error("the server refuses the session");
}

std::string WireSession::frame() {
  std::optional<std::string> next = next_frame();
  if (!next) throw std::runtime_error("the server has closed the connection");
  return *std::move(next);
}

std::optional<std::string> WireSession::next_frame() {
  for (;;) {
    if (const auto next = reader_.next()) return std::string(*next);
    const std::string bytes = stream_->receive();
    if (bytes.empty()) return std::nullopt;
    reader_.feed(bytes);
  }
}

// The reply to a ping is a header alone, and no decoder minds what follows.
std::optional<wire::Reply> WireSession::next_header() {
  const std::optional<std::string> next = next_frame();
  if (!next) return std::nullopt;
  return wire::decode_reply(wire::Op::kPing, *next).value();
}

void WireSession::send_bytes(std::int32_t xid, std::int32_t op, std::string_view body) {
  std::string request;
  wire::Writer header(request);
  header(xid, op);
  request += body;
  stream_->send(framed(request));
}

wire::Reply WireSession::ask_bytes(wire::Op op, std::string_view body) {
  send_bytes(++xid_, static_cast<std::int32_t>(op), body);
  return next_header().value();
}

void WireSession::send(wire::Op op, wire::Request::Body body) {
  std::int32_t xid = ++xid_;
  if (op == wire::Op::kPing) xid = wire::kPingXid;
  if (op == wire::Op::kAuth) xid = wire::kAuthXid;
  if (op == wire::Op::kSetWatches || op == wire::Op::kSetWatches2) xid = wire::kSetWatchesXid;
  stream_->send(framed(wire::encode({.xid = xid, .op = op, .body = std::move(body)})));
}

wire::Reply WireSession::ask(wire::Op op, wire::Request::Body body) {
  send(op, std::move(body));
  wire::Reply answer = reply(op);
  if (answer.xid == wire::kEventXid) throw std::runtime_error("an event instead of the reply");
  if (answer.zxid > 0) last_zxid_ = answer.zxid;
  return answer;
}

std::string WireSession::event() {
  const auto event = wire::decode_event(frame());
  if (!event) throw std::runtime_error("a reply instead of an event");
  return name_of_event(event->type) + " " + event->path.value_or("null");
}

void WireSession::expect_quiet() {
  EXPECT_EQ(ask(wire::Op::kPing, wire::Nothing{}).xid, wire::kPingXid);
}

void WireSession::must(wire::Op op, wire::Request::Body body) {
  send(op, std::move(body));
  // The session's own events come before the reply.
  const std::string answer = frame();
  if (wire::xid_of(answer).value() == wire::kEventXid) throw std::runtime_error("an event");
  const wire::Reply decoded = wire::decode_reply(op, answer).value();
  if (decoded.err != 0) {
    throw std::runtime_error(std::string(name(op)) + ": " + std::to_string(decoded.err));
  }
  if (decoded.zxid > 0) last_zxid_ = decoded.zxid;
}

void WireSession::create(const std::string& path, std::int32_t flags, std::string data) {
  wire::CreateRequest body = a_create(path, flags);
  body.data = std::move(data);
  must(wire::Op::kCreate, std::move(body));
}

void WireSession::remove(const std::string& path) { must(wire::Op::kDelete, of_any_version(path)); }

void WireSession::set_data(const std::string& path, std::string data) {
  must(wire::Op::kSetData,
       wire::SetDataRequest{.path = path, .data = std::move(data), .version = -1});
}

namespace {

class FakeWireLab final : public WireLab {
 public:
  std::unique_ptr<WireStream> connect() override { return std::make_unique<Stream>(*this); }
  std::string parent() const override { return "/wire"; }

 private:
  class Stream final : public WireStream {
   public:
    explicit Stream(FakeWireLab& lab) : lab_(lab), connection_(lab.world_.add_process()) {
      lab_.streams_.push_back(this);
      connection_.describe_server_by([this] { return lab_.describe(*this); });
    }
    ~Stream() override { std::erase(lab_.streams_, this); }
    void send(std::string_view bytes) override { connection_.feed(bytes); }
    std::string receive() override {
      lab_.world_.settle();
      fakezk::Calm calm;  // Time passes only if nothing else can happen.
      while (!connection_.has_output() && !connection_.closed() && lab_.world_.step(calm)) {
      }
      std::string bytes = connection_.take_output();
      if (bytes.empty() && !connection_.closed()) throw std::runtime_error("nothing comes");
      return bytes;
    }
    [[nodiscard]] connection::WordClient facts() const {
      return {.address = "127.0.0.1:" + std::to_string(1000 + connection_.link()),
              .session = connection_.session_id(),
              .queued = connection_.unanswered(),
              .received = connection_.received(),
              .sent = connection_.sent()};
    }

   private:
    FakeWireLab& lab_;
    connection::ClientConnection connection_;
  };

  static fakezk::ServerOptions options() { return {.ttl_enabled = true}; }
  [[nodiscard]] connection::WordSubject describe(const Stream& asks) const {
    connection::WordSubject subject{world_.server(), 0, world_.now()};
    for (const Stream* const stream : streams_) {
      subject.clients.push_back(stream->facts());
      subject.clients.back().asks = stream == &asks;
      subject.received += subject.clients.back().received;
      subject.sent += subject.clients.back().sent;
    }
    return subject;
  }

  fakezk::World world_{options()};
  std::vector<Stream*> streams_;
};

std::unique_ptr<WireLab> make_fake() { return std::make_unique<FakeWireLab>(); }

using Parameter = ::testing::TestParamInfo<WireConformance::ParamType>;

INSTANTIATE_TEST_SUITE_P(Backends, WireConformance, ::testing::Values(&make_fake),
                         [](const Parameter&) { return "fake"; });

#ifdef LOCKSTEP_WITH_ZOOKEEPER
class RealWireLab final : public WireLab {
 public:
  std::unique_ptr<WireStream> connect() override { return std::make_unique<Stream>(); }
  std::string parent() const override { return parent_; }

 private:
  static constexpr std::chrono::seconds kLimit{30};

  class Stream final : public WireStream {
   public:
    Stream() : socket_(support::connect_to(support::ZookeeperServer::shared().port(), kLimit)) {
      if (socket_ == -1) throw std::runtime_error("cannot connect");
    }
    ~Stream() override { close(socket_); }
    void send(std::string_view bytes) override {
      while (!bytes.empty()) {
        const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) throw std::runtime_error("cannot send");
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      }
    }
    std::string receive() override {
      pollfd waiting{socket_, POLLIN, 0};
      const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(kLimit);
      if (poll(&waiting, 1, static_cast<int>(limit.count())) != 1) {
        throw std::runtime_error("nothing comes");
      }
      std::string bytes(65536, '\0');
      const ssize_t size = recv(socket_, bytes.data(), bytes.size(), 0);
      bytes.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
      return bytes;
    }

   private:
    int socket_;
  };

  std::string parent_ = support::unused_path("/wire");
};

std::unique_ptr<WireLab> make_real() { return std::make_unique<RealWireLab>(); }

INSTANTIATE_TEST_SUITE_P(Server, WireConformance, ::testing::Values(&make_real),
                         [](const Parameter&) { return "zookeeper"; });
#endif

}  // namespace
}  // namespace lockstep::conformance
