// Creates whose operation and flags do not belong together, alone and in a multi.
#include <gmock/gmock.h>

#include "conformance/wire_lab.h"

namespace lockstep::conformance {
namespace {

using testing::ElementsAre;
using wire::Op;

constexpr std::int32_t kEphemeralFlag = 1;
constexpr std::int32_t kSequentialFlag = 2;
constexpr std::int32_t kEphemeralSequentialFlag = 3;
constexpr std::int32_t kContainerFlag = 4;
constexpr std::int32_t kTtlFlag = 5;

std::int64_t owner_of(WireSession& session, const std::string& path) {
  const wire::Reply reply = session.ask(Op::kExists, a_read(path));
  return std::get<wire::StatReply>(reply.body).stat.ephemeral_owner;
}

// The path that createContainer makes with these flags, which takes children and has no owner.
std::string made_container(WireSession& session, const std::string& path, std::int32_t flags) {
  const wire::Reply reply = session.ask(Op::kCreateContainer, a_create(path, flags));
  EXPECT_EQ(reply.err, 0) << flags;
  const auto& made = std::get<wire::Create2Reply>(reply.body);
  EXPECT_EQ(made.stat.ephemeral_owner, 0) << flags;
  session.create(*made.path + "/child");
  return *made.path;
}

TEST_P(WireConformance, Z128AContainerIsNeverEphemeralWhateverItsFlags) {
  WireSession session(*lab);
  session.create(root);
  EXPECT_EQ(made_container(session, root + "/p", 0), root + "/p");
  EXPECT_EQ(made_container(session, root + "/e", kEphemeralFlag), root + "/e");
  EXPECT_EQ(made_container(session, root + "/s", kSequentialFlag), root + "/s0000000002");
  EXPECT_EQ(made_container(session, root + "/t", kEphemeralSequentialFlag), root + "/t0000000003");
  EXPECT_EQ(made_container(session, root + "/c", kContainerFlag), root + "/c");
  for (const std::string name : {"/p", "/e", "/s0000000002", "/t0000000003", "/c"}) {
    EXPECT_EQ(owner_of(session, root + name), 0) << name;
  }
}

// The end of the only child shows which znode is a container: the server deletes that alone.
TEST_P(WireConformance, Z128TheOperationMakesAContainerAndTheFlagsDoNot) {
  WireSession session(*lab);
  session.create(root);
  for (const Op op : {Op::kCreate, Op::kCreate2}) {
    const std::string path = root + "/" + std::string(name(op));
    EXPECT_EQ(session.error_of(op, a_create(path, kContainerFlag)), 0);
    session.create(path + "/child");
    session.remove(path + "/child");
  }
  const std::string container = made_container(session, root + "/c", kEphemeralFlag);
  EXPECT_EQ(session.error_of(Op::kExists, a_read(container, true)), 0);
  session.remove(container + "/child");
  EXPECT_EQ(session.event(), "deleted " + container);
  // One look may delete its candidates in any order, so a second one comes.
  const std::string second = made_container(session, root + "/d", 0);
  EXPECT_EQ(session.error_of(Op::kExists, a_read(second, true)), 0);
  session.remove(second + "/child");
  EXPECT_EQ(session.event(), "deleted " + second);
  EXPECT_EQ(owner_of(session, root + "/create"), 0);
  EXPECT_EQ(session.error_of(Op::kExists, a_read(root + "/create")), 0);
  EXPECT_EQ(session.error_of(Op::kExists, a_read(root + "/create2")), 0);
}

std::vector<std::int32_t> errors_of(const wire::Reply& reply) {
  EXPECT_EQ(reply.err, 0);
  std::vector<std::int32_t> errors;
  for (const wire::MultiResult& result : std::get<wire::MultiReply>(reply.body).results) {
    errors.push_back(result.err);
  }
  return errors;
}

TEST_P(WireConformance, Z122CreatesWithTheFlagsOfATimeToLiveFailTheWholeMulti) {
  WireSession session(*lab);
  for (const Op op : {Op::kCreate, Op::kCreate2, Op::kCreateContainer}) {
    wire::MultiRequest body;
    body.ops.push_back({.op = Op::kCreate, .body = a_create(root)});
    body.ops.push_back({.op = op, .body = a_create(root + "/t", kTtlFlag)});
    EXPECT_EQ(session.error_of(Op::kMulti, body), -5);
    // Unless an operation before it fails.
    body.ops.front().body = a_create(root + "/none/a");
    EXPECT_THAT(errors_of(session.ask(Op::kMulti, body)), ElementsAre(-101, -2));
  }
  EXPECT_EQ(session.error_of(Op::kExists, a_read(root)), -101);
}

TEST_P(WireConformance, Z122FlagsWithoutATimeToLiveIgnoreIt) {
  WireSession session(*lab);
  session.create(root);
  const wire::Op kinds[] = {Op::kCreate, Op::kCreate, Op::kCreate2};
  const std::int32_t flags[] = {0, kEphemeralFlag, kContainerFlag};
  for (const std::int64_t ttl_ms : {std::int64_t{-1}, std::int64_t{5}}) {
    wire::MultiRequest body;
    for (const std::int32_t flag : flags) {
      const std::string path = root + "/" + std::to_string(ttl_ms) + "-" + std::to_string(flag);
      body.ops.push_back({.op = Op::kCreateTtl, .body = a_ttl_create(path, flag, ttl_ms)});
    }
    const wire::Reply reply = session.ask(Op::kMulti, body);
    EXPECT_THAT(errors_of(reply), ElementsAre(0, 0, 0)) << ttl_ms;
    const auto& results = std::get<wire::MultiReply>(reply.body).results;
    for (std::size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i].op, kinds[i]) << i;
  }
  EXPECT_EQ(owner_of(session, root + "/5-0"), 0);
  EXPECT_EQ(owner_of(session, root + "/5-1"), session.id());
}

wire::MultiOp a_get_data(std::string path) {
  return {.op = Op::kGetData, .body = a_read(std::move(path))};
}

TEST_P(WireConformance, Z121AMultiTakesNoReads) {
  WireSession session(*lab);
  const wire::MultiOp check{.op = Op::kCheck, .body = of_any_version("/")};
  const wire::MultiOp bad{.op = Op::kCheck, .body = of_any_version(root)};
  for (const std::vector<wire::MultiOp>& ops :
       {std::vector{a_get_data("/")}, std::vector{check, a_get_data("/")},
        std::vector{bad, a_get_data("/")}, std::vector{a_get_data(root), check}}) {
    EXPECT_EQ(session.error_of(Op::kMulti, wire::MultiRequest{ops}), -5);
  }
}

}  // namespace
}  // namespace lockstep::conformance
