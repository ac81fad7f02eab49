// Requests that a server refuses in the middle of reading them: where it stops decides which error
// it answers, and whether a transaction has the zxid.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "conformance/wire_lab.h"
#include "lockstep/wire/jute.h"

namespace lockstep::conformance {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using wire::Op;

constexpr std::int32_t kMarshalling = -5;
constexpr std::int32_t kInvalidAcl = -114;

// The zxids around a request: how many it takes, and how many its own reply shows.
struct Zxids {
  std::int64_t taken;
  std::int64_t shown;

  friend bool operator==(const Zxids&, const Zxids&) = default;
};

// The least of some attempts, because the end of another test's session takes a zxid too.
Zxids zxids_of(WireSession& session, const std::string& znode,
               const std::function<wire::Reply()>& request) {
  Zxids least{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max()};
  const wire::SetDataRequest write{znode, "", -1};
  for (int i = 0; i < 5; ++i) {
    const std::int64_t before = session.ask(Op::kSetData, write).zxid;
    const std::int64_t shown = request().zxid - before;
    const std::int64_t after = session.ask(Op::kSetData, write).zxid;
    least = {std::min(least.taken, after - before - 1), std::min(least.shown, shown)};
  }
  return least;
}

std::vector<std::int32_t> errors_in(const wire::Reply& reply) {
  std::vector<std::int32_t> errors;
  const auto* const multi = std::get_if<wire::MultiReply>(&reply.body);
  if (multi == nullptr) return {1};  // There is no body.
  for (const wire::MultiResult& result : multi->results) errors.push_back(result.err);
  return errors;
}

TEST_P(WireConformance, Z129ANullPathFailsAMultiBeforeItHasATransaction) {
  WireSession session(*lab);
  session.create(root);
  const wire::MultiOp made{.op = Op::kCreate, .body = a_create(root + "/a")};
  const wire::MultiOp flags{.op = Op::kCreate, .body = a_create(root + "/a", 77)};
  const wire::MultiOp null{.op = Op::kDelete, .body = wire::VersionRequest{{}, -1}};
  const wire::MultiOp set{.op = Op::kSetData, .body = wire::SetDataRequest{{}, "", -1}};
  const wire::MultiOp read{.op = Op::kGetData, .body = wire::ReadRequest{}};
  using Ops = std::vector<wire::MultiOp>;
  for (const Ops& ops : {Ops{null}, Ops{made, null}, Ops{flags, set}, Ops{read}}) {
    const auto multi = [&] {
      wire::Reply reply = session.ask(Op::kMulti, wire::MultiRequest{ops});
      EXPECT_EQ(reply.err, kMarshalling);
      EXPECT_THAT(errors_in(reply), IsEmpty());
      return reply;
    };
    EXPECT_EQ(zxids_of(session, root, multi), (Zxids{.taken = 1, .shown = 0}));
  }
  EXPECT_EQ(session.error_of(Op::kExists, a_read(root + "/a")), -101);
}

TEST_P(WireConformance, Z124ARefusedReconfigurationTakesAZxid) {
  WireSession session(*lab);
  session.create(root);
  const wire::ReconfigRequest more{
      .joining_servers = "server.9=127.0.0.1:1:2;3", .leaving_servers = "", .config_id = -1};
  const auto whole = [&] {
    wire::Reply reply = session.ask(Op::kReconfig, more);
    EXPECT_EQ(reply.err, -123);
    return reply;
  };
  EXPECT_EQ(zxids_of(session, root, whole), (Zxids{.taken = 1, .shown = 1}));
  const auto broken_off = [&] {
    wire::Reply reply = session.ask_bytes(Op::kReconfig, "\0\0\0\x05/a"s);
    EXPECT_EQ(reply.err, kMarshalling);
    return reply;
  };
  EXPECT_EQ(zxids_of(session, root, broken_off), (Zxids{.taken = 0, .shown = 0}));
}

TEST_P(WireConformance, Z48ACheckStumblesOverAPathWithoutItsSlash) {
  WireSession session(*lab);
  const auto checks = [&](const std::string& path) {
    std::vector<std::int32_t> errors;
    for (const std::int32_t type : {1, 2, 3}) {
      errors.push_back(session.error_of(Op::kCheckWatches, wire::WatchesRequest{path, type}));
    }
    return errors;
  };
  constexpr std::int32_t kNone = -121;
  const std::string name = root.substr(1);
  for (const std::string& path : {name, name + "/a", ""s}) {
    EXPECT_EQ(session.error_of(Op::kExists, a_read(path, true)), path.empty() ? 0 : -101);
  }
  EXPECT_THAT(checks(""), ElementsAre(kNone, kNone, kNone));
  EXPECT_THAT(checks(name), ElementsAre(kMarshalling, kMarshalling, kMarshalling));
  EXPECT_THAT(checks(root + "/"), ElementsAre(kNone, kNone, kNone));
  // A recursive watch, wherever it is, makes the server look at every parent.
  EXPECT_EQ(session.error_of(Op::kAddWatch, wire::WatchesRequest{root, 1}), 0);
  EXPECT_THAT(checks(name + "/a"), ElementsAre(kMarshalling, 0, kMarshalling));
  EXPECT_THAT(checks(name + "/b"), ElementsAre(kMarshalling, kMarshalling, kMarshalling));
  EXPECT_THAT(checks(root + "/a"), ElementsAre(kNone, kNone, kNone));
  for (const std::string& path : {name, name + "/a", ""s}) {
    EXPECT_EQ(session.error_of(Op::kRemoveWatches, wire::WatchesRequest{path, 3}), 0) << path;
  }
}

std::string bytes_of(const std::string& path, const std::vector<wire::Acl>& acl, bool creates) {
  std::string bytes;
  wire::Writer writer(bytes);
  writer(wire::Ustring(path));
  if (creates) writer(wire::Buffer("data"));
  writer(wire::Vector<wire::Acl>(acl), creates ? 0 : -1);
  return bytes;
}

TEST_P(WireConformance, Z129AnAclIsReadEntryByEntryAfterThePath) {
  WireSession session(*lab);
  const auto answers = [&](const std::vector<wire::Acl>& acl) {
    std::vector<std::int32_t> errors;
    for (const std::string& path : {"relative"s, root + "/none/a", root}) {
      errors.push_back(session.ask_bytes(Op::kCreate, bytes_of(path, acl, true)).err);
    }
    EXPECT_EQ(session.ask_bytes(Op::kSetAcl, bytes_of("relative", acl, false)).err, -8);
    EXPECT_EQ(session.ask_bytes(Op::kSetAcl, bytes_of(root, acl, false)).err, errors.back());
    return errors;
  };
  const auto entry = [](std::int32_t perms, const wire::Ustring& scheme, const wire::Ustring& id) {
    return wire::Acl{.perms = perms, .id = {.scheme = scheme, .id = id}};
  };
  const wire::Acl open = entry(31, "world", "anyone");
  const wire::Acl null = entry(1, "world", {});
  const wire::Acl unknown = entry(31, "unknown", "x");
  const auto unreadable = ElementsAre(-8, kMarshalling, kMarshalling);
  const auto invalid = ElementsAre(-8, kInvalidAcl, kInvalidAcl);
  EXPECT_THAT(answers({open, null}), unreadable);
  EXPECT_THAT(answers({null, unknown}), unreadable);
  EXPECT_THAT(answers({unknown, null}), invalid);
  EXPECT_THAT(answers({entry(31, "auth", ""), null}), invalid);
  EXPECT_THAT(answers({entry(31, "auth", {})}), invalid);
  // Entries with the same permissions are compared before any is looked at.
  EXPECT_THAT(answers({unknown, open, entry(31, "world", {})}), unreadable);
  EXPECT_THAT(answers({unknown, entry(31, "unknown", {})}), unreadable);
  EXPECT_THAT(answers({unknown, entry(31, {}, "x")}), unreadable);
  EXPECT_THAT(answers({unknown, entry(30, {}, "x")}), invalid);
  EXPECT_THAT(answers({entry(31, {}, "x"), open}), invalid);
}

TEST_P(WireConformance, Z129ANullIdFailsAMultiInItsTurn) {
  WireSession session(*lab);
  wire::CreateRequest null = a_create(root);
  null.acl->front().id.id.reset();
  wire::CreateRequest malformed = null;
  malformed.path = "relative";
  const auto multi = [&](const wire::CreateRequest& second) {
    return session.ask(Op::kMulti, wire::MultiRequest{{{.op = Op::kCreate, .body = a_create(root)},
                                                       {.op = Op::kCreate, .body = second}}});
  };
  EXPECT_EQ(multi(null).err, kMarshalling);
  EXPECT_THAT(errors_in(multi(malformed)), ElementsAre(0, -8));
  EXPECT_EQ(session.error_of(Op::kExists, a_read(root)), -101);
}

TEST_P(WireConformance, Z121AMultiReadAnswersWhatComesBeforeItFails) {
  WireSession session(*lab);
  const wire::MultiOp missing{.op = Op::kGetData, .body = a_read(root)};
  const wire::MultiOp null{.op = Op::kGetChildren, .body = wire::ReadRequest{}};
  const wire::MultiOp write{.op = Op::kDelete, .body = of_any_version(root)};
  const auto answer = [&](const std::vector<wire::MultiOp>& ops) {
    const wire::Reply reply = session.ask(Op::kMultiRead, wire::MultiRequest{ops});
    EXPECT_EQ(reply.err, kMarshalling);
    return errors_in(reply);
  };
  EXPECT_THAT(answer({missing, null, missing}), ElementsAre(-101));
  EXPECT_THAT(answer({null}), IsEmpty());
  EXPECT_THAT(answer({write, write}), IsEmpty());
  EXPECT_THAT(answer({missing, write}), ElementsAre(1));
  EXPECT_THAT(answer({write, missing}), ElementsAre(1));
}

}  // namespace
}  // namespace lockstep::conformance
