// Recorded frames between ZooKeeper's own clients and server (wire/record/record.py records them).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lockstep/wire/frames.h"
#include "lockstep/wire/reply.h"
#include "lockstep/wire/request.h"

namespace lockstep::wire {
namespace {

using testing::ElementsAre;
using testing::IsSupersetOf;

std::string bytes_of(std::string_view hexadecimal) {
  std::string bytes;
  for (std::size_t i = 0; i < hexadecimal.size(); i += 2) {
    bytes.push_back(
        static_cast<char>(std::stoi(std::string(hexadecimal.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

// One direction of one connection.
struct Stream {
  std::string bytes;
  std::size_t frames = 0;
};

// By connection: the client's stream, then the server's.
std::map<int, std::pair<Stream, Stream>> streams_of(const std::string& client) {
  std::ifstream file(LOCKSTEP_GOLDEN_FRAMES "/" + client + ".txt");
  std::map<int, std::pair<Stream, Stream>> streams;
  int connection = 0;
  std::string way;
  std::string frame;
  while (file >> connection >> way >> frame) {
    Stream& stream = way == ">" ? streams[connection].first : streams[connection].second;
    append_frame(stream.bytes, bytes_of(frame));
    ++stream.frames;
  }
  if (streams.size() < 2) throw std::runtime_error("no golden frames of " + client);
  return streams;
}

// The frames, after an arrival in fragments of every kind.
std::vector<std::string> frames_of(const Stream& stream) {
  std::mt19937 random(1);
  std::vector<std::string> frames;
  FrameReader reader;
  for (std::string_view left = stream.bytes; !left.empty();) {
    const std::string_view fragment = left.substr(0, 1 + random() % 50);
    left.remove_prefix(fragment.size());
    reader.feed(fragment);
    while (const auto frame = reader.next()) frames.emplace_back(*frame);
  }
  EXPECT_EQ(frames.size(), stream.frames);
  return frames;
}

template <class T>
T must(std::expected<T, Malformed> decoded) {
  if (!decoded) throw std::runtime_error(std::string(name(decoded.error())));
  return std::move(*decoded);
}

// All messages of a client and its server, in order, decoded and encoded again.
class Conversation {
 public:
  explicit Conversation(const std::string& client) {
    for (const auto& [connection, streams] : streams_of(client)) {
      hear_client(frames_of(streams.first));
      hear_server(frames_of(streams.second));
    }
  }

  std::vector<ConnectRequest> handshakes;
  std::vector<ConnectResponse> sessions;
  std::vector<Request> requests;
  std::vector<std::pair<Op, Reply>> replies;
  std::vector<Event> events;

  [[nodiscard]] std::set<std::string_view> ops() const {
    std::set<std::string_view> all;
    for (const Request& request : requests) all.insert(name(request.op));
    return all;
  }
  // The bodies of the requests or replies of that type, in order.
  template <class Body>
  [[nodiscard]] std::vector<Body> asked(Op op) const {
    std::vector<Body> all;
    for (const Request& request : requests) {
      if (request.op == op) all.push_back(std::get<Body>(request.body));
    }
    return all;
  }
  [[nodiscard]] std::vector<Reply> answered(Op op) const {
    std::vector<Reply> all;
    for (const auto& [of, reply] : replies) {
      if (of == op) all.push_back(reply);
    }
    return all;
  }

 private:
  void hear_client(const std::vector<std::string>& frames) {
    handshakes.push_back(must(decode_connect_request(frames.at(0))));
    EXPECT_EQ(encode(handshakes.back()), frames[0]);
    sent_.clear();
    for (std::size_t i = 1; i < frames.size(); ++i) {
      requests.push_back(must(decode_request(frames[i])));
      EXPECT_EQ(encode(requests.back()), frames[i]) << name(requests.back().op);
      sent_[requests.back().xid] = requests.back().op;
    }
  }
  void hear_server(const std::vector<std::string>& frames) {
    sessions.push_back(must(decode_connect_response(frames.at(0))));
    EXPECT_EQ(encode(sessions.back()), frames[0]);
    for (std::size_t i = 1; i < frames.size(); ++i) {
      const std::int32_t xid = must(xid_of(frames[i]));
      if (xid == kEventXid) {
        events.push_back(must(decode_event(frames[i])));
        EXPECT_EQ(encode(events.back()), frames[i]);
      } else {
        const Op op = sent_.at(xid);
        replies.emplace_back(op, must(decode_reply(op, frames[i])));
        EXPECT_EQ(encode(replies.back().second), frames[i]) << name(op);
      }
    }
  }

  std::map<std::int32_t, Op> sent_;
};

const Vector<Acl> kOpen = std::vector<Acl>{{31, {"world", "anyone"}}};

TEST(GoldenFramesTest, TheCClientsHandshakesAndWatchesAreRead) {
  const Conversation heard("c_client");
  ASSERT_EQ(heard.handshakes.size(), 2U);
  EXPECT_EQ(heard.handshakes[0].timeout_ms, 10000);
  EXPECT_EQ(heard.handshakes[0].session, 0);
  EXPECT_EQ(heard.sessions[0].timeout_ms, 10000);
  EXPECT_EQ(heard.sessions[0].password->size(), 16U);
  EXPECT_EQ(heard.handshakes[1].session, heard.sessions[0].session);
  EXPECT_EQ(heard.handshakes[1].password, heard.sessions[0].password);
  EXPECT_EQ(heard.sessions[1].session, heard.sessions[0].session);

  const auto auth = heard.asked<AuthPacket>(Op::kAuth);
  ASSERT_EQ(auth.size(), 2U);
  EXPECT_EQ(auth[1], (AuthPacket{0, "digest", "user:secret"}));
  const auto watches = heard.asked<SetWatches>(Op::kSetWatches);
  ASSERT_EQ(watches.size(), 1U);
  EXPECT_EQ(watches[0].relative_zxid, heard.handshakes[1].last_zxid_seen);
  EXPECT_EQ(watches[0].exist, std::vector<Ustring>{"/golden/later"});
  ASSERT_GE(heard.events.size(), 3U);
  EXPECT_EQ(heard.events[0], (Event{-1, 3, 3, "/golden"}));            // Its data changed.
  EXPECT_EQ(heard.events.back(), (Event{-1, 1, 3, "/golden/later"}));  // It was created.
}

TEST(GoldenFramesTest, TheCClientsOperationsAreRead) {
  const Conversation heard("c_client");
  EXPECT_THAT(heard.ops(),
              IsSupersetOf({"create", "create2", "createContainer", "createTTL", "exists",
                            "getData", "setData", "getChildren", "getChildren2", "getACL", "setACL",
                            "sync", "multi", "delete", "removeWatches", "closeSession"}));
  const auto creates = heard.asked<CreateRequest>(Op::kCreate);
  EXPECT_EQ(creates.at(0), (CreateRequest{"/golden", "hello", kOpen, 0}));
  EXPECT_EQ(creates.at(2), (CreateRequest{"/golden/e-", std::nullopt, kOpen, 3}));
  EXPECT_EQ(heard.answered(Op::kCreate).at(0).body, Reply::Body(PathReply{"/golden"}));
  EXPECT_EQ(heard.answered(Op::kCreate).at(1).err, -110);
  EXPECT_EQ(heard.answered(Op::kCreate).at(2).body, Reply::Body(PathReply{"/golden/e-0000000000"}));

  const auto data = std::get<DataReply>(heard.answered(Op::kGetData).at(1).body);
  EXPECT_EQ(data.data, "world");
  EXPECT_EQ(data.stat.version, 1);
  EXPECT_EQ(data.stat.data_length, 5);
  EXPECT_EQ(data.stat.num_children, 4);
  EXPECT_GT(data.stat.mzxid, data.stat.czxid);
  EXPECT_EQ(heard.answered(Op::kSetData).at(1).err, -103);
  EXPECT_EQ(std::get<AclReply>(heard.answered(Op::kGetAcl).at(0).body).acl, kOpen);
}

TEST(GoldenFramesTest, TheCClientsTransactionsAreRead) {
  const Conversation heard("c_client");
  const auto asked = heard.asked<MultiRequest>(Op::kMulti);
  ASSERT_EQ(asked.size(), 2U);
  const auto ops = [](const auto& parts) {
    std::vector<Op> all;
    for (const auto& part : parts) all.push_back(part.op);
    return all;
  };
  EXPECT_THAT(ops(asked[0].ops), ElementsAre(Op::kCreate, Op::kSetData, Op::kCheck, Op::kDelete));
  const auto done = std::get<MultiReply>(heard.answered(Op::kMulti).at(0).body);
  EXPECT_THAT(ops(done.results), ElementsAre(Op::kCreate, Op::kSetData, Op::kCheck, Op::kDelete));
  EXPECT_EQ(done.results[0].body, MultiResult::Body(PathReply{"/golden/m"}));
  const auto failed = std::get<MultiReply>(heard.answered(Op::kMulti).at(1).body);
  ASSERT_EQ(failed.results.size(), 3U);
  EXPECT_EQ(failed.results[0].body, MultiResult::Body(ErrorReply{0}));
  EXPECT_EQ(failed.results[1].body, MultiResult::Body(ErrorReply{-101}));
  EXPECT_EQ(failed.results[2].body, MultiResult::Body(ErrorReply{-2}));
}

TEST(GoldenFramesTest, TheJavaClientsOperationsAreRead) {
  const Conversation heard("java_client");
  EXPECT_THAT(heard.ops(),
              IsSupersetOf({"create", "create2", "createContainer", "createTTL", "getEphemerals",
                            "getAllChildrenNumber", "whoAmI", "multi", "multiRead", "addWatch",
                            "checkWatches", "removeWatches", "setWatches2", "reconfig", "sync"}));
  EXPECT_EQ(heard.asked<CreateTtlRequest>(Op::kCreateTtl).at(0).ttl_ms, 60000);
  const auto created = std::get<Create2Reply>(heard.answered(Op::kCreate2).at(0).body);
  EXPECT_EQ(created.path, "/java/e");
  EXPECT_EQ(created.stat.ephemeral_owner, heard.sessions[0].session);
  EXPECT_EQ(created.stat.czxid, heard.answered(Op::kCreate2).at(0).zxid);
  EXPECT_EQ(created.stat.mzxid, created.stat.czxid);
  EXPECT_EQ(created.stat.pzxid, created.stat.czxid);
  EXPECT_EQ(created.stat.mtime, created.stat.ctime);
  EXPECT_EQ(heard.answered(Op::kGetEphemerals).at(1).body,
            Reply::Body(ChildrenReply{std::vector<Ustring>{"/java/e"}}));
  EXPECT_EQ(heard.answered(Op::kGetAllChildrenNumber).at(0).body, Reply::Body(NumberReply{3}));
  EXPECT_EQ(heard.answered(Op::kWhoAmI).at(0).body,
            Reply::Body(WhoAmIReply{std::vector<ClientInfo>{{"ip", "127.0.0.1"}}}));
  const auto read = std::get<MultiReply>(heard.answered(Op::kMultiRead).at(0).body);
  ASSERT_EQ(read.results.size(), 3U);
  EXPECT_EQ(std::get<DataReply>(read.results[0].body).data, "z");
  EXPECT_EQ(std::get<ChildrenReply>(read.results[1].body).children->size(), 4U);
  EXPECT_EQ(read.results[2].body, MultiResult::Body(ErrorReply{-101}));
  EXPECT_EQ(heard.answered(Op::kReconfig).at(0).err, -123);
  const auto watches = heard.asked<SetWatches2>(Op::kSetWatches2).at(0);
  EXPECT_EQ(watches.persistent, std::vector<Ustring>{"/java"});
  EXPECT_EQ(watches.persistent_recursive, std::vector<Ustring>{"/java"});
}

}  // namespace
}  // namespace lockstep::wire
