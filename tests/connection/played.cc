#include "connection/played.h"

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fuzz/bytes.h"
#include "lockstep/connection/client_connection.h"
#include "lockstep/wire/frames.h"
#include "lockstep/wire/jute.h"
#include "lockstep/wire/reply.h"
#include "lockstep/wire/request.h"

namespace lockstep::connection {

namespace {

using fuzz::Bytes;

constexpr wire::Op kOps[] = {wire::Op::kCreate,
                             wire::Op::kDelete,
                             wire::Op::kExists,
                             wire::Op::kGetData,
                             wire::Op::kSetData,
                             wire::Op::kGetAcl,
                             wire::Op::kSetAcl,
                             wire::Op::kGetChildren,
                             wire::Op::kSync,
                             wire::Op::kPing,
                             wire::Op::kGetChildren2,
                             wire::Op::kCheck,
                             wire::Op::kMulti,
                             wire::Op::kCreate2,
                             wire::Op::kReconfig,
                             wire::Op::kCheckWatches,
                             wire::Op::kRemoveWatches,
                             wire::Op::kCreateContainer,
                             wire::Op::kCreateTtl,
                             wire::Op::kMultiRead,
                             wire::Op::kAuth,
                             wire::Op::kSetWatches,
                             wire::Op::kSasl,
                             wire::Op::kGetEphemerals,
                             wire::Op::kGetAllChildrenNumber,
                             wire::Op::kSetWatches2,
                             wire::Op::kAddWatch,
                             wire::Op::kWhoAmI,
                             wire::Op::kCloseSession};
constexpr wire::Op kOpsOfMultis[] = {wire::Op::kCreate, wire::Op::kDelete,  wire::Op::kSetData,
                                     wire::Op::kCheck,  wire::Op::kGetData, wire::Op::kGetChildren};
constexpr const char* kPaths[] = {"/", "/a", "/a/b", "/a/b-",      "/c",
                                  "",  "a",  "/a/",  "/zookeeper", "/a//b"};

// Sets the fields that decide what the request encounters.
template <class Body>
void fill(Body& body, Bytes& bytes) {
  if constexpr (requires { body.path = wire::Ustring("x"); }) {
    const std::uint32_t path = bytes.below(std::size(kPaths) + 1);
    if (path < std::size(kPaths)) body.path = kPaths[path];
  }
  if constexpr (requires { body.flags; }) body.flags = bytes.next() % 8;
  if constexpr (requires { body.watch; }) body.watch = bytes.next() % 2 == 1;
  if constexpr (requires { body.version; }) body.version = bytes.next() % 4 - 1;
  if constexpr (requires { body.type; }) body.type = bytes.next() % 6;
  if constexpr (requires { body.data = wire::Buffer("x"); }) body.data = "data";
  if constexpr (requires { body.acl.emplace().push_back(wire::Acl{}); }) {
    if (bytes.next() % 8 != 7) {
      body.acl.emplace().push_back({.perms = 31, .id = {.scheme = "world", .id = "anyone"}});
    }
  }
}

wire::Request request_in(Bytes& bytes, std::int32_t xid) {
  wire::Request request{.xid = xid, .op = bytes.one_of(kOps), .body = {}};
  if (request.op == wire::Op::kPing) request.xid = wire::kPingXid;
  if (request.op == wire::Op::kAuth) request.xid = wire::kAuthXid;
  request.body = *wire::empty_body(request.op);
  std::visit([&](auto& body) { fill(body, bytes); }, request.body);
  if (auto* const multi = std::get_if<wire::MultiRequest>(&request.body)) {
    for (std::uint32_t left = bytes.below(4); left > 0; --left) {
      const wire::Op op = bytes.one_of(kOpsOfMultis);
      wire::MultiOp& each = multi->ops.emplace_back(op, *wire::empty_multi_body(op));
      std::visit([&](auto& body) { fill(body, bytes); }, each.body);
    }
  }
  return request;
}

// The requests of a connection, read from its bytes, and the allowed replies: in the same order,
// each of the request's kind. The replies to auths and SASL may overtake others. An unknown
// operation is refused at once, and no reply follows.
class Expected {
 public:
  void feed(std::string_view stream) {
    reader_.feed(stream);
    while (const auto frame = reader_.next()) {
      if (std::exchange(greeted_, true)) take(*frame);
    }
  }
  // Returns a complaint about a reply; empty if it is correct.
  std::string reply(std::string_view frame) {
    std::int32_t xid = 0;
    std::int64_t zxid = 0;
    std::int32_t error = 0;
    wire::Reader header(frame);
    header(xid, zxid, error);
    if (header.error()) return "a reply without a header";
    if (ambiguous_) return {};
    if (refused_) return "a reply behind a refusal";
    // Replies to auths and SASL have no zxid, and only the latter a body; others have a zxid,
    // because a session has been opened.
    if (zxid == 0) return answers(header.left() == 0 ? auths_ : sasls_, xid, frame);
    if (zxid != -1) return answers(others_, xid, frame);
    refused_ = true;
    return std::erase(unknown_, xid) > 0 ? "" : "a refusal of what was not asked";
  }

 private:
  struct Asked {
    std::int32_t xid;
    wire::Op op;
  };
  void take(std::string_view frame) {
    std::int32_t xid = 0;
    std::int32_t op = 0;
    wire::Reader header(frame);
    header(xid, op);
    if (header.error()) return;
    if (xid == wire::kEventXid) ambiguous_ = true;
    const auto known = static_cast<wire::Op>(op);
    if (!wire::empty_body(known)) return unknown_.push_back(xid);
    if (known == wire::Op::kAuth) return auths_.push_back({xid, known});
    if (known == wire::Op::kSasl) return sasls_.push_back({xid, known});
    others_.push_back({known == wire::Op::kPing ? wire::kPingXid : xid, known});
  }
  static std::string answers(std::deque<Asked>& asked, std::int32_t xid, std::string_view frame) {
    if (asked.empty()) return "a reply to nothing";
    const Asked first = asked.front();
    asked.pop_front();
    if (first.xid != xid) return "a reply out of order";
    if (!wire::decode_reply(first.op, frame)) return "a reply to another kind of request";
    return {};
  }

  wire::FrameReader reader_;
  bool greeted_ = false;
  bool ambiguous_ = false;  // Replies cannot be told from events.
  bool refused_ = false;
  std::deque<Asked> auths_;
  std::deque<Asked> sasls_;
  std::deque<Asked> others_;
  std::vector<std::int32_t> unknown_;
};

// One link and its present client.
class Side {
 public:
  Side(fakezk::World& world, fakezk::Process& process)
      : world_(world),
        process_(process),
        connection_(std::make_unique<ClientConnection>(process)) {}

  void act(Bytes& bytes);
  // Connects another client over the same link.
  void come_back(std::uint32_t server) {
    const fakezk::LinkIndex link = connection_->link();
    connection_.reset();
    connection_ = std::make_unique<ClientConnection>(process_, link);
    world_.network()[link].goes_to = server;
    reader_ = wire::FrameReader();
    expected_ = Expected();
    requests_ = replies_ = arrived_ = 0;
    first_.clear();
    over_ = false;
  }
  // Reads the bytes that have arrived; returns a complaint if they are wrong.
  std::string look(Played& played);

 private:
  void feed(std::string_view stream) {
    if (first_.size() < 4) first_ += stream.substr(0, 4 - first_.size());
    expected_.feed(stream);
    connection_->feed(stream);
  }
  void send(std::string_view frame) {
    std::string stream;
    wire::append_frame(stream, frame);
    feed(stream);
  }
  void greet(Bytes& bytes);

  fakezk::World& world_;
  fakezk::Process& process_;
  std::unique_ptr<ClientConnection> connection_;
  wire::FrameReader reader_;
  Expected expected_;
  std::string first_;  // The first four bytes sent.
  std::int32_t xid_ = 0;
  std::size_t requests_ = 0;  // The most replies that are allowed.
  std::size_t replies_ = 0;
  std::size_t arrived_ = 0;
  bool over_ = false;
  std::int64_t session_ = 0;
  std::string password_ = std::string(16, '\0');
};

void Side::greet(Bytes& bytes) {
  wire::ConnectRequest greeting{.timeout_ms = bytes.next() * 100, .password = password_};
  if (bytes.next() % 2 == 1) greeting.read_only = false;
  if (bytes.next() % 4 != 0) greeting.session = session_;
  if (bytes.next() % 8 == 7) greeting.last_zxid_seen = 1'000'000;
  ++requests_;  // A second greeting counts as a request.
  send(wire::encode(greeting));
}

void Side::act(Bytes& bytes) {
  switch (bytes.next() % 8) {
    case 0: return greet(bytes);
    case 1: {  // Arbitrary bytes; frames in them may be requests.
      std::string raw;
      for (std::uint32_t left = bytes.next(); left > 0 && !bytes.empty(); --left) {
        raw += static_cast<char>(bytes.next());
      }
      requests_ += raw.size();
      return feed(raw);
    }
    case 2: {  // A request with bytes changed, cut off or added.
      std::string frame = wire::encode(request_in(bytes, ++xid_));
      frame[bytes.next() % frame.size()] = static_cast<char>(bytes.next());
      frame.resize(frame.size() - std::min<std::size_t>(frame.size(), bytes.next() % 4));
      ++requests_;
      return send(frame);
    }
    case 3:
      if (bytes.next() % 4 != 0) return world_.settle();
      return connection_->hang_up(bytes.next() % 2 == 0 ? ClientConnection::kAll : bytes.next());
    default:
      if (first_.empty()) return greet(bytes);
      ++requests_;
      return send(wire::encode(request_in(bytes, ++xid_)));
  }
}

std::string Side::look(Played& played) {
  const std::string output = connection_->take_output();
  if (over_ && !output.empty()) return "bytes after the end";
  over_ = connection_->closed();
  if (is_four_letter_word(first_)) return {};
  reader_.feed(output);
  while (const auto frame = reader_.next()) {
    ++played.frames;
    if (arrived_++ == 0) {
      const auto welcome = wire::decode_connect_response(*frame);
      if (!welcome) return "the first frame is no ConnectResponse";
      if (welcome->session != 0) {
        ++played.opened;
        session_ = welcome->session;
        password_ = welcome->password.value_or("");
      }
      continue;
    }
    const auto xid = wire::xid_of(*frame);
    if (!xid) return "a frame without a header";
    if (*xid == wire::kEventXid && wire::decode_event(*frame)) continue;
    if (++replies_ > requests_) return "more replies than requests";
    if (std::string wrong = expected_.reply(*frame); !wrong.empty()) return wrong;
  }
  if (reader_.refused() || reader_.pending() > 0) return "bytes that are no frame";
  return {};
}

// Checks that a correct client is served.
std::string serve_another(fakezk::World& world, fakezk::Process& process, std::uint32_t server) {
  ClientConnection client(process);
  world.network()[client.link()].goes_to = server;
  wire::FrameReader reader;
  const auto ask = [&](const std::string& frame) -> std::optional<std::string> {
    std::string stream;
    wire::append_frame(stream, frame);
    client.feed(stream);
    world.settle();
    reader.feed(client.take_output());
    const auto answer = reader.next();
    return answer ? std::optional(std::string(*answer)) : std::nullopt;
  };
  const auto welcome = ask(
      wire::encode(wire::ConnectRequest{.timeout_ms = 4000, .password = std::string(16, '\0')}));
  if (!welcome || wire::decode_connect_response(*welcome)->session == 0)
    return "nobody is let in any more";
  const auto list = ask(
      wire::encode({.xid = 1, .op = wire::Op::kExists, .body = wire::ReadRequest{.path = "/"}}));
  if (!list || wire::decode_reply(wire::Op::kExists, *list)->err != 0)
    return "nobody is served any more";
  return {};
}

}  // namespace

Played play(std::span<const std::uint8_t> input) {
  Bytes bytes(input);
  Played played;
  fakezk::ServerOptions options;
  options.replicas = bytes.next() % 2 == 0 ? 1 : 3;
  options.ttl_enabled = bytes.next() % 2 == 0;
  const std::uint32_t servers = options.replicas;
  fakezk::World world(options);
  fakezk::Process& process = world.add_process();
  constexpr int kSides = 4;
  std::vector<std::unique_ptr<Side>> sides;
  sides.reserve(kSides);
  for (int count = 0; count < kSides; ++count)
    sides.push_back(std::make_unique<Side>(world, process));
  for (std::size_t number = 0; number < sides.size(); ++number) {
    sides[number]->come_back(static_cast<std::uint32_t>(number) % servers);
  }
  while (!bytes.empty() && played.complaint.empty()) {
    Side& side = *sides[bytes.below(sides.size())];
    switch (bytes.next() % 8) {
      case 0: world.settle(); break;
      case 1: side.come_back(bytes.next() % servers); break;
      case 2:
        world.advance_clock(world.now() + std::chrono::milliseconds(bytes.next() * 100));
        break;
      default: side.act(bytes); break;
    }
    played.complaint = side.look(played);
  }
  world.settle();
  for (const auto& side : sides) {
    if (played.complaint.empty()) played.complaint = side->look(played);
  }
  if (played.complaint.empty()) played.complaint = serve_another(world, process, servers - 1);
  return played;
}

}  // namespace lockstep::connection
