// Requests at the edges of the protocol: paths that are empty or null, other null fields and
// negative counts, requests behind the end of the session, and operations that clients do not send.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "conformance/wire_lab.h"
#include "lockstep/wire/jute.h"

namespace lockstep::conformance {
namespace {

using namespace std::string_literals;
using wire::Op;

constexpr std::int32_t kBadArguments = -8;
constexpr std::int32_t kNoWatch = -121;

template <class... Fields>
std::string encoded(const Fields&... fields) {
  std::string bytes;
  wire::Writer writer(bytes);
  writer(fields...);
  return bytes;
}

std::string text(const wire::Ustring& value) { return encoded(value); }
std::string number(std::int32_t value) { return encoded(value); }
const std::string kNull = number(-1);

TEST_P(WireConformance, Z64RequestsBehindACloseGetNoReplyOrAnError) {
  constexpr std::int32_t kSessionExpired = -112;
  constexpr std::int32_t kUnknownSession = -12;
  const std::function<void(WireSession&)> later[] = {
      [](WireSession& session) { session.send(Op::kPing, wire::Nothing{}); },
      [](WireSession& session) { session.send_bytes(5, static_cast<int>(Op::kExists), ""); },
      [](WireSession& session) { session.send(Op::kGetData, wire::ReadRequest{}); },
      [](WireSession& session) { session.send(Op::kCreate, a_create("/late")); },
  };
  for (const auto& send_later : later) {
    WireSession session(*lab);
    session.send(Op::kCloseSession, wire::Nothing{});
    send_later(session);
    EXPECT_EQ(session.next_header().value().err, 0);
    const std::optional<wire::Reply> second = session.next_header();
    const std::int32_t error = second ? second->err : kSessionExpired;
    EXPECT_THAT(error, testing::AnyOf(kSessionExpired, kUnknownSession));
  }
}

TEST_P(WireConformance, Z64ACreateOfNoModeBehindACloseGetsNoReplyOrABadArgument) {
  WireSession session(*lab);
  session.send(Op::kCloseSession, wire::Nothing{});
  session.send(Op::kCreate, a_create("/late", 77));
  EXPECT_EQ(session.next_header().value().err, 0);
  const std::optional<wire::Reply> second = session.next_header();
  EXPECT_EQ(second ? second->err : kBadArguments, kBadArguments);
}

TEST_P(WireConformance, Z2ExistsRefusesANulAndLeavesNoWatch) {
  WireSession session(*lab);
  const std::string path = root + "\0b"s;
  EXPECT_EQ(session.error_of(Op::kExists, a_read(path, true)), -8);
  EXPECT_EQ(session.error_of(Op::kRemoveWatches, wire::WatchesRequest{path, 3}), kNoWatch);
  EXPECT_EQ(session.error_of(Op::kGetData, a_read(path)), -101);
}

TEST_P(WireConformance, Z2TheEmptyPathIsTheRootForReads) {
  WireSession session(*lab);
  const auto stat_of = [&](const std::string& path) {
    return std::get<wire::StatReply>(session.ask(Op::kExists, a_read(path)).body).stat;
  };
  EXPECT_EQ(stat_of(""), stat_of("/"));
  EXPECT_EQ(session.error_of(Op::kGetData, a_read("")), 0);
  EXPECT_EQ(session.error_of(Op::kGetChildren, a_read("")), 0);
  const auto list = session.ask(Op::kGetChildren2, a_read(""));
  EXPECT_EQ(std::get<wire::Children2Reply>(list.body).stat, stat_of("/"));
  EXPECT_EQ(session.error_of(Op::kGetAcl, at("")), 0);
  const auto descendants = [&](const std::string& path) {
    return std::get<wire::NumberReply>(session.ask(Op::kGetAllChildrenNumber, at(path)).body)
        .number;
  };
  // The server counts what begins with the path and a slash.
  EXPECT_EQ(descendants(""), descendants("/") + 1);
}

TEST_P(WireConformance, Z2AWatchOnTheEmptyPathHearsNothing) {
  WireSession session(*lab);
  EXPECT_EQ(session.error_of(Op::kGetChildren, a_read("", true)), 0);
  EXPECT_EQ(session.error_of(Op::kExists, a_read("", true)), 0);
  session.create(root);
  session.expect_quiet();
  EXPECT_EQ(session.error_of(Op::kRemoveWatches, wire::WatchesRequest{"/", 3}), kNoWatch);
  for (const std::int32_t type : {1, 2}) {
    EXPECT_EQ(session.error_of(Op::kRemoveWatches, wire::WatchesRequest{"", type}), 0);
  }
}

TEST_P(WireConformance, Z46TheEmptyPathIsTheRootForWatchesThatAreSetAgain) {
  WireSession session(*lab);
  session.create(root);
  wire::SetWatches watches;
  for (auto* const list : {&watches.data, &watches.exist, &watches.child}) list->emplace();
  watches.exist->emplace_back("");
  watches.child->emplace_back("");
  session.send(Op::kSetWatches, watches);
  EXPECT_EQ(session.event(), "created ");
  EXPECT_EQ(session.event(), "child ");
  EXPECT_EQ(session.reply(Op::kSetWatches).err, 0);
}

TEST_P(WireConformance, Z73APingIsAnsweredAsOneWhateverItsXid) {
  WireSession session(*lab);
  session.send_bytes(17, static_cast<std::int32_t>(Op::kPing), "");
  EXPECT_EQ(session.next_header().value().xid, wire::kPingXid);
}

// In one piece, so that both arrive together.
TEST_P(WireConformance, Z73NoReplyOvertakesThatToAnEarlierCredential) {
  WireSession session(*lab);
  std::string both;
  const wire::AuthPacket credential{.scheme = "digest", .auth = "user:secret"};
  wire::append_frame(both, wire::encode(wire::Request{wire::kAuthXid, Op::kAuth, credential}));
  wire::append_frame(both, wire::encode(wire::Request{wire::kPingXid, Op::kPing, {}}));
  session.send_stream(both);
  EXPECT_EQ(session.next_header().value().xid, wire::kAuthXid);
  EXPECT_EQ(session.next_header().value().xid, wire::kPingXid);
}

TEST_P(WireConformance, Z66ANullCredentialIsRejected) {
  WireSession session(*lab);
  session.send(Op::kAuth, wire::AuthPacket{.scheme = "digest", .auth = {}});
  const std::optional<wire::Reply> reply = session.next_header();
  EXPECT_EQ(reply ? reply->err : -115, -115);
  EXPECT_FALSE(reply && session.next_header());
  WireSession other(*lab);
  EXPECT_EQ(other.error_of(Op::kAuth, wire::AuthPacket{.scheme = "digest", .auth = ""}), 0);
}

TEST_P(WireConformance, Z25TheAddressIsListedOnce) {
  WireSession session(*lab);
  EXPECT_EQ(session.error_of(Op::kAuth, wire::AuthPacket{.scheme = "ip", .auth = "x"}), 0);
  const wire::Reply reply = session.ask(Op::kWhoAmI, wire::Nothing{});
  EXPECT_EQ(std::get<wire::WhoAmIReply>(reply.body).clients->size(), 1U);
}

TEST_P(WireConformance, Z78WithoutAConfigurationASaslTokenGetsAnEmptyAnswer) {
  WireSession session(*lab);
  for (const char* const token : {"", "token"}) {
    const wire::Reply reply = session.ask(Op::kSasl, wire::Token{.token = token});
    EXPECT_EQ(reply.err, 0);
    EXPECT_EQ(reply.zxid, 0);
    EXPECT_EQ(std::get<wire::Token>(reply.body).token, std::nullopt);
  }
  for (const std::string& token : {kNull, ""s}) {
    WireSession other(*lab);
    other.send_bytes(1, static_cast<std::int32_t>(Op::kSasl), token);
    EXPECT_FALSE(other.next_header());
  }
}

// The server overlooks that a request may name a container to be deleted.
TEST_P(WireConformance, Z36AClientCannotAskForTheDeletionOfAContainer) {
  WireSession session(*lab);
  session.create(root);
  EXPECT_EQ(session.ask_bytes(static_cast<Op>(20), text(root) + number(-1)).err, -8);
  EXPECT_EQ(session.ask_bytes(static_cast<Op>(20), "").err, -8);
  EXPECT_EQ(session.error_of(Op::kExists, a_read(root)), 0);
}

std::string a_create_with(const std::string& path, const std::string& acl, std::int32_t flags = 0) {
  return text(path) + text("data") + acl + number(flags);
}

TEST_P(WireConformance, Z129AnAclWithANullIdIsAMarshallingError) {
  WireSession session(*lab);
  const auto check = [&](const wire::Ustring& scheme, const wire::Ustring& id, int error) {
    const std::string acl = number(1) + number(31) + text(scheme) + text(id);
    EXPECT_EQ(session.ask_bytes(Op::kCreate, a_create_with(root, acl)).err, error);
    session.create(root);
    EXPECT_EQ(session.ask_bytes(Op::kSetAcl, text(root) + acl + number(-1)).err, error);
    session.remove(root);
  };
  check("world", {}, -5);
  check("digest", {}, -5);
  check("ip", {}, -5);
  check("unknown", {}, -114);
  check({}, "anyone", -114);
  check({}, {}, -114);
}

TEST_P(WireConformance, Z129ANullPathOfASetDataOrASetAclIsABadArgument) {
  WireSession session(*lab);
  const std::string null_id = number(1) + number(31) + text("world") + kNull;
  EXPECT_EQ(session.error_of(Op::kSetData, wire::SetDataRequest{{}, "data", -1}), -8);
  EXPECT_EQ(session.ask_bytes(Op::kSetAcl, kNull + null_id + number(-1)).err, -8);
  EXPECT_EQ(session.error_of(Op::kDelete, wire::VersionRequest{{}, -1}), -5);
  EXPECT_EQ(session.error_of(Op::kGetAcl, wire::PathRequest{}), -5);
}

TEST_P(WireConformance, Z129TheServerReadsFlagsAndTimesBeforePathsAndAcls) {
  constexpr std::int32_t kTtlFlags = 5;
  WireSession session(*lab);
  wire::CreateRequest body = a_create(root, kTtlFlags);
  body.acl->front().id.id.reset();
  wire::CreateTtlRequest lasting = a_ttl_create(root, kTtlFlags, 0);
  lasting.acl = body.acl;
  for (const Op op : {Op::kCreate, Op::kCreate2, Op::kCreateContainer}) {
    EXPECT_EQ(session.error_of(op, body), -8) << name(op);
    EXPECT_EQ(session.error_of(op, wire::CreateRequest{.flags = 77}), -8) << name(op);
    EXPECT_EQ(session.error_of(op, wire::CreateRequest{.flags = kTtlFlags}), -8) << name(op);
  }
  EXPECT_EQ(session.error_of(Op::kCreateTtl, lasting), -8);
  lasting.ttl_ms = 1000;
  EXPECT_EQ(session.error_of(Op::kCreateTtl, lasting), -5);
  lasting.ttl_ms = 0;
  wire::MultiRequest multi;
  multi.ops.push_back({.op = Op::kCreateTtl, .body = lasting});
  const wire::Reply reply = session.ask(Op::kMulti, multi);
  EXPECT_EQ(reply.err, 0);
  const std::vector<wire::MultiResult>& results = std::get<wire::MultiReply>(reply.body).results;
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].err, -8);
}

TEST_P(WireConformance, Z129ANegativeCountIsAnEmptyList) {
  WireSession session(*lab);
  EXPECT_EQ(session.ask_bytes(Op::kCreate, a_create_with(root, number(-7))).err, -114);
  const std::string zxid(8, '\0');
  EXPECT_EQ(session.ask_bytes(Op::kSetWatches, zxid + number(-7) + number(-2) + number(0)).err, 0);
  // A text is not a list.
  EXPECT_EQ(session.ask_bytes(Op::kExists, number(-7) + "\0"s).err, -5);
}

TEST_P(WireConformance, Z129ANullListOfWatchesIsAMarshallingError) {
  WireSession session(*lab);
  const std::string none = number(0);
  const std::string zxid(8, '\0');
  EXPECT_EQ(session.ask_bytes(Op::kSetWatches, zxid + none + none + none).err, 0);
  EXPECT_EQ(session.ask_bytes(Op::kSetWatches, zxid + kNull + none + none).err, -5);
  EXPECT_EQ(session.ask_bytes(Op::kSetWatches, zxid + none + none + kNull).err, -5);
  const std::string three = none + none + none;
  EXPECT_EQ(session.ask_bytes(Op::kSetWatches2, zxid + three + kNull + none).err, -5);
  EXPECT_EQ(session.ask_bytes(Op::kSetWatches2, zxid + three + none + kNull).err, -5);
}

TEST_P(WireConformance, Z129SomeRequestsTakeANullPath) {
  WireSession session(*lab);
  const wire::Reply synced = session.ask(Op::kSync, wire::PathRequest{});
  EXPECT_EQ(synced.err, 0);
  EXPECT_EQ(std::get<wire::PathReply>(synced.body).path, std::nullopt);
  EXPECT_EQ(session.ask_bytes(Op::kRemoveWatches, kNull + number(3)).err, kNoWatch);
  EXPECT_EQ(session.ask_bytes(Op::kCheckWatches, kNull + number(3)).err, -5);
  for (const Op op : {Op::kExists, Op::kGetData, Op::kGetChildren, Op::kGetChildren2}) {
    EXPECT_EQ(session.ask_bytes(op, kNull + "\0"s).err, -5) << name(op);
  }
}

// The number of zxids between two creates with these requests between them: the least of some
// attempts, because the expiry of another test's session takes a zxid too.
std::int64_t zxids_taken(WireSession& session, const std::string& path,
                         const std::function<void()>& requests) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 5; ++i) {
    const std::int64_t before = session.ask(Op::kSetData, wire::SetDataRequest{path, "", -1}).zxid;
    requests();
    const std::int64_t after = session.ask(Op::kSetData, wire::SetDataRequest{path, "", -1}).zxid;
    least = std::min(least, after - before - 1);
  }
  return least;
}

TEST_P(WireConformance, Z14ARefusedReadCarriesTheLastZxid) {
  WireSession session(*lab);
  session.create(root);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 5; ++i) {
    const std::int64_t written = session.ask(Op::kSetData, wire::SetDataRequest{root, "", -1}).zxid;
    const wire::Reply refused = session.ask(Op::kExists, wire::ReadRequest{});
    EXPECT_EQ(refused.err, -5);
    least = std::min(least, refused.zxid - written);
  }
  EXPECT_EQ(least, 0);
}

TEST_P(WireConformance, Z13ARefusedCreateTakesAZxid) {
  WireSession session(*lab);
  session.create(root);
  const auto taken_by = [&](Op op, const wire::Request::Body& body, std::int32_t error) {
    return zxids_taken(session, root, [&] { EXPECT_EQ(session.error_of(op, body), error); });
  };
  EXPECT_EQ(taken_by(Op::kCreate, a_create(root + "/a", 77), -8), 1);
  EXPECT_EQ(taken_by(Op::kCreate2, a_create(root + "/a", 5), -8), 1);
  EXPECT_EQ(taken_by(Op::kCreateTtl, a_ttl_create(root + "/a", 5, 0), -8), 1);
  EXPECT_EQ(taken_by(Op::kCreateTtl, a_ttl_create(root + "/a", 0, 5), -8), 1);
  EXPECT_EQ(taken_by(Op::kCreate, wire::CreateRequest{}, -5), 1);
  EXPECT_EQ(taken_by(Op::kExists, wire::ReadRequest{}, -5), 0);
}

TEST_P(WireConformance, Z13AWriteThatCannotBeReadTakesAZxid) {
  WireSession session(*lab);
  session.create(root);
  const auto taken_by = [&](Op op, const std::string& body) {
    return zxids_taken(session, root, [&] { EXPECT_EQ(session.ask_bytes(op, body).err, -5); });
  };
  for (const Op op : {Op::kCreate, Op::kCreate2, Op::kCreateContainer, Op::kCreateTtl, Op::kSetData,
                      Op::kDelete, Op::kSetAcl, Op::kMulti}) {
    EXPECT_EQ(taken_by(op, "\0\0\0\x05/a"s), 1) << name(op);
  }
  const std::string end = number(-1) + "\1"s + number(-1);
  const std::string unknown = number(55) + "\0"s + number(-1) + text("/a");
  EXPECT_EQ(taken_by(Op::kMulti, unknown + end), 1);
  const std::string read = number(4) + "\0"s + number(-1) + text("/") + "\0"s;
  EXPECT_EQ(taken_by(Op::kMulti, read + end), 1);
  const std::string reaping = number(20) + "\0"s + number(-1) + text("/a");
  EXPECT_EQ(taken_by(Op::kMulti, reaping + end), 1);
  for (const Op op : {Op::kExists, Op::kMultiRead, Op::kSetWatches}) {
    EXPECT_EQ(taken_by(op, "\0\0\0\x05/a"s), 0) << name(op);
  }
  EXPECT_EQ(taken_by(Op::kMultiRead, unknown + end), 0);
}

}  // namespace
}  // namespace lockstep::conformance
