// Queries that return no znode: a client's identity and ephemerals, descendants, and several reads
// at once.
#include <gmock/gmock.h>

#include "conformance/wire_lab.h"

namespace lockstep::conformance {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;
using testing::UnorderedElementsAre;
using wire::Op;

std::vector<std::string> texts_of(const wire::Vector<wire::Ustring>& list) {
  std::vector<std::string> texts;
  for (const wire::Ustring& text : *list) texts.push_back(*text);
  return texts;
}

std::vector<std::string> clients_of(const wire::Reply& reply) {
  std::vector<std::string> clients;
  for (const wire::ClientInfo& client : *std::get<wire::WhoAmIReply>(reply.body).clients) {
    clients.push_back(*client.auth_scheme + ":" + *client.user);
  }
  return clients;
}

TEST_P(WireConformance, Z25WhoAmIReturnsTheAddressAndTheIdentities) {
  WireSession session(*lab);
  EXPECT_THAT(clients_of(session.ask(Op::kWhoAmI, wire::Nothing{})), ElementsAre("ip:127.0.0.1"));
  for (const char* const who : {"ann:secret", "bob:other", "ann:secret"}) {
    EXPECT_EQ(session.error_of(Op::kAuth, wire::AuthPacket{.scheme = "digest", .auth = who}), 0);
  }
  // The server leaves out the digests' hashes.
  EXPECT_THAT(clients_of(session.ask(Op::kWhoAmI, wire::Nothing{})),
              UnorderedElementsAre("ip:127.0.0.1", "digest:ann", "digest:bob"));
  WireSession other(*lab);
  EXPECT_THAT(clients_of(other.ask(Op::kWhoAmI, wire::Nothing{})), ElementsAre("ip:127.0.0.1"));
}

std::vector<std::string> ephemerals(WireSession& session, wire::Ustring prefix) {
  const wire::Reply reply = session.ask(Op::kGetEphemerals, wire::PathRequest{std::move(prefix)});
  EXPECT_EQ(reply.err, 0);
  return texts_of(std::get<wire::ChildrenReply>(reply.body).children);
}

TEST_P(WireConformance, Z25GetEphemeralsMatchesAPrefixOfTheText) {
  WireSession session(*lab);
  WireSession other(*lab);
  EXPECT_THAT(ephemerals(session, "/"), IsEmpty());
  session.create(root);
  session.create(root + "/ab", 1);
  session.create(root + "/abc", 1);
  session.create(root + "/b", 1);
  session.create(root + "/a");
  other.create(root + "/abd", 1);
  const std::string ab = root + "/ab";
  const std::string abc = root + "/abc";
  EXPECT_THAT(ephemerals(session, ab), UnorderedElementsAre(ab, abc));
  EXPECT_THAT(ephemerals(session, root + "/a/"), IsEmpty());
  for (const wire::Ustring& all : {wire::Ustring("/"), wire::Ustring(""), wire::Ustring(" / "),
                                   wire::Ustring("  "), wire::Ustring()}) {
    EXPECT_THAT(ephemerals(session, all), UnorderedElementsAre(ab, abc, root + "/b"));
  }
  EXPECT_THAT(ephemerals(other, "/"), ElementsAre(root + "/abd"));
  session.remove(ab);
  EXPECT_THAT(ephemerals(session, ab), ElementsAre(abc));
}

TEST_P(WireConformance, Z25AllDescendantsCount) {
  WireSession session(*lab);
  EXPECT_EQ(session.error_of(Op::kGetAllChildrenNumber, at(root)), -101);
  session.create(root);
  const auto count = [&](const std::string& path) {
    return std::get<wire::NumberReply>(session.ask(Op::kGetAllChildrenNumber, at(path)).body)
        .number;
  };
  EXPECT_EQ(count(root), 0);
  const int before = count("/");
  session.create(root + "/a");
  session.create(root + "/a/b", 1);
  session.create(root + "/ab");
  EXPECT_EQ(count(root), 3);
  EXPECT_EQ(count(root + "/a"), 1);
  EXPECT_EQ(count("/"), before + 3);
  EXPECT_EQ(count("/zookeeper"), 2);
  session.remove(root + "/a/b");
  EXPECT_EQ(count(root), 2);
}

TEST_P(WireConformance, Z25CountingNeedsReadPermission) {
  WireSession session(*lab);
  wire::CreateRequest closed = a_create(root);
  closed.acl->front().perms = 30;
  EXPECT_EQ(session.error_of(Op::kCreate, closed), 0);
  EXPECT_EQ(session.error_of(Op::kGetAllChildrenNumber, at(root)), -102);
}

TEST_P(WireConformance, Z124AServerDoesNotReconfigureByDefault) {
  WireSession session(*lab);
  const wire::ReconfigRequest more{
      .joining_servers = "server.9=127.0.0.1:1:2;3", .leaving_servers = "", .config_id = -1};
  EXPECT_EQ(session.error_of(Op::kReconfig, more), -123);
}

wire::MultiOp reads(Op op, std::string path) { return {.op = op, .body = a_read(std::move(path))}; }

TEST_P(WireConformance, Z121AMultiReadReturnsEachResultOrError) {
  WireSession session(*lab);
  session.create(root);
  session.create(root + "/a");
  wire::CreateRequest closed = a_create(root + "/closed");
  closed.acl->front().perms = 30;
  EXPECT_EQ(session.error_of(Op::kCreate, closed), 0);
  wire::MultiRequest all{{reads(Op::kGetData, root + "/a"), reads(Op::kGetChildren, root),
                          reads(Op::kGetData, root + "/none"),
                          reads(Op::kGetChildren, root + "/closed"), reads(Op::kGetData, root)}};
  const wire::Reply reply = session.ask(Op::kMultiRead, all);
  EXPECT_EQ(reply.err, 0);
  const auto& results = std::get<wire::MultiReply>(reply.body).results;
  ASSERT_EQ(results.size(), 5U);
  EXPECT_EQ(results[0].op, Op::kGetData);
  const auto& data = std::get<wire::DataReply>(results[0].body);
  EXPECT_THAT(data.data, Optional(std::string("data")));
  EXPECT_EQ(data.stat.data_length, 4);
  EXPECT_EQ(results[1].op, Op::kGetChildren);
  EXPECT_THAT(texts_of(std::get<wire::ChildrenReply>(results[1].body).children),
              UnorderedElementsAre("a", "closed"));
  EXPECT_EQ(results[2].op, Op::kError);
  EXPECT_EQ(results[2].err, -101);
  EXPECT_EQ(std::get<wire::ErrorReply>(results[2].body).err, -101);
  EXPECT_EQ(results[3].err, -102);
  EXPECT_EQ(std::get<wire::DataReply>(results[4].body).stat.num_children, 2);
  EXPECT_THAT(
      std::get<wire::MultiReply>(session.ask(Op::kMultiRead, wire::MultiRequest{}).body).results,
      IsEmpty());
}

// A multi read ignores the flags for watches.
TEST_P(WireConformance, Z121AMultiReadLeavesNoWatch) {
  WireSession session(*lab);
  session.create(root);
  wire::MultiRequest one{{{.op = Op::kGetData, .body = a_read(root, true)}}};
  EXPECT_EQ(session.error_of(Op::kMultiRead, one), 0);
  session.set_data(root);
  session.expect_quiet();
}

}  // namespace
}  // namespace lockstep::conformance
