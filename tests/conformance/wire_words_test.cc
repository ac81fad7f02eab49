// Four-letter words, which a client sends instead of a ConnectRequest.
#include <gmock/gmock.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>

#include "conformance/wire_lab.h"

namespace lockstep::conformance {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;
using wire::Op;

// Everything that the server sends before it closes the connection.
std::string ask(WireLab& lab, std::string_view word) {
  const std::unique_ptr<WireStream> stream = lab.connect();
  stream->send(word);
  std::string all;
  for (std::string some = stream->receive(); !some.empty(); some = stream->receive()) all += some;
  return all;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string hex(std::int64_t number) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  return "0x" + std::string(digits.data(), end);
}

int number_after(const std::string& text, std::string_view key) {
  const std::size_t at = text.find(key);
  return at == std::string::npos ? -1 : std::stoi(text.substr(at + key.size()));
}

TEST_P(WireConformance, Z123RuokAndIsroAnswerWithOneWord) {
  EXPECT_EQ(ask(*lab, "ruok"), "imok");
  EXPECT_EQ(ask(*lab, "isro"), "rw");
}

// The server takes the bytes for a frame's length, which is too long.
TEST_P(WireConformance, Z123AnUnknownWordClosesTheConnection) { EXPECT_EQ(ask(*lab, "abcd"), ""); }

TEST_P(WireConformance, Z123SrvrDescribesTheServer) {
  WireSession session(*lab);
  const std::string before = ask(*lab, "srvr");
  EXPECT_THAT(lines_of(before),
              ElementsAre(MatchesRegex("Zookeeper version: 3\\.8\\.0-.*, built on .* UTC"),
                          MatchesRegex("Latency min/avg/max: [0-9]+/[0-9.]+/[0-9]+"),
                          MatchesRegex("Received: [0-9]+"), MatchesRegex("Sent: [0-9]+"),
                          MatchesRegex("Connections: [0-9]+"), "Outstanding: 0",
                          MatchesRegex("Zxid: 0x[0-9a-f]+"), "Mode: standalone",
                          MatchesRegex("Node count: [0-9]+")));
  session.create(root);
  session.create(root + "/a");
  const std::string after = ask(*lab, "srvr");
  EXPECT_EQ(number_after(after, "Node count: "), number_after(before, "Node count: ") + 2);
  EXPECT_THAT(after, HasSubstr("Zxid: " + hex(session.last_zxid()) + "\n"));
  EXPECT_GE(number_after(after, "Received: "), number_after(before, "Received: ") + 2);
  EXPECT_GE(number_after(after, "Sent: "), number_after(before, "Sent: ") + 2);
}

// Asks until a line has that form: the server counts a reply only after it has sent it.
std::string ask_until(WireLab& lab, std::string_view word, const std::string& form) {
  constexpr int kAttempts = 100;
  std::string told = ask(lab, word);
  for (int i = 0; i < kAttempts && !testing::Value(lines_of(told), Contains(MatchesRegex(form)));
       ++i) {
    told = ask(lab, word);
  }
  return told;
}

TEST_P(WireConformance, Z123StatAndConsListTheClients) {
  WireSession session(*lab);
  session.expect_quiet();
  const std::string counted = " /127\\.0\\.0\\.1:[0-9]+\\[1\\]\\(queued=0,recved=2,sent=2";
  const std::string stat = ask_until(*lab, "stat", counted + "\\)");
  EXPECT_THAT(stat, StartsWith("Zookeeper version: 3.8.0-"));
  EXPECT_THAT(lines_of(stat), Contains(MatchesRegex(counted + "\\)")));
  EXPECT_THAT(lines_of(stat), Contains("Clients:"));
  EXPECT_THAT(stat, HasSubstr(")\n\nLatency min/avg/max: "));
  EXPECT_THAT(stat, HasSubstr("\nNode count: "));
  const std::string cons = ask(*lab, "cons");
  EXPECT_THAT(lines_of(cons),
              Contains(MatchesRegex(counted + ",sid=" + hex(session.id()) + ",.*to=20000.*\\)")));
  EXPECT_THAT(cons, EndsWith(")\n\n"));
}

TEST_P(WireConformance, Z123DumpListsSessionsAndEphemerals) {
  WireSession session(*lab);
  session.create(root, 1);
  const std::string dump = ask(*lab, "dump");
  const std::string id = hex(session.id());
  EXPECT_THAT(dump, StartsWith("SessionTracker dump:\nSession Sets ("));
  const std::vector<std::string> lines = lines_of(dump);
  for (const char* const pattern :
       {"Session Sets \\([0-9]+\\)/\\([0-9]+\\):", "ephemeral nodes dump:",
        "[0-9]+ expire at [A-Z][a-z][a-z] [A-Z][a-z][a-z] [0-9][0-9] [0-9:]+ UTC [0-9]+:",
        "Sessions with Ephemerals \\([0-9]+\\):", "Connections dump:",
        "Connections Sets \\([0-9]+\\)/\\([0-9]+\\):"}) {
    EXPECT_THAT(lines, Contains(MatchesRegex(pattern)));
  }
  EXPECT_THAT(lines, Contains("\t" + id));
  EXPECT_THAT(dump, HasSubstr("\n" + id + ":\n\t" + root + "\n"));
  EXPECT_THAT(lines, Contains(MatchesRegex("\tip: /127\\.0\\.0\\.1:[0-9]+ sessionId: " + id)));
}

TEST_P(WireConformance, Z123MntrPrintsNumbers) {
  WireSession session(*lab);
  session.create(root, 1);
  EXPECT_EQ(session.error_of(Op::kGetData, a_read(root, true)), 0);
  EXPECT_EQ(session.error_of(Op::kGetChildren, a_read(root, true)), 0);
  const std::string mntr = ask(*lab, "mntr");
  EXPECT_THAT(mntr, HasSubstr("zk_version\t3.8.0-"));
  EXPECT_THAT(mntr, HasSubstr("zk_server_state\tstandalone\n"));
  for (const char* const key :
       {"avg_latency", "min_latency", "max_latency", "outstanding_requests", "local_sessions",
        "packets_sent", "packets_received", "approximate_data_size"}) {
    EXPECT_GE(number_after(mntr, "zk_" + std::string(key) + "\t"), 0) << key;
  }
  for (const char* const key :
       {"ephemerals_count", "num_alive_connections", "znode_count", "global_sessions"}) {
    EXPECT_GE(number_after(mntr, "zk_" + std::string(key) + "\t"), 1) << key;
  }
  EXPECT_GE(number_after(mntr, "zk_watch_count\t"), 2);
}

// The size counts the path and the data of a znode. A session of an earlier test may end at any
// time, and its ephemerals with it: the sizes before and after compare only if exactly one znode
// was added.
TEST_P(WireConformance, Z123MntrCountsPathsAndData) {
  WireSession session(*lab);
  for (char name = 'a';; ++name) {
    ASSERT_LE(name, 'z') << "other sessions never rest";
    const std::string before = ask(*lab, "mntr");
    session.create(root + name, 0, "1234");
    const std::string after = ask(*lab, "mntr");
    const auto grown = [&](const std::string& key) {
      return number_after(after, key) - number_after(before, key);
    };
    if (grown("zk_znode_count\t") != 1) continue;
    EXPECT_EQ(grown("zk_approximate_data_size\t"), static_cast<int>(root.size()) + 5);
    break;
  }
}

TEST_P(WireConformance, Z123WordsAboutWatchesCountOnlyDataWatches) {
  WireSession session(*lab);
  session.create(root);
  const std::string path = root + "/watched";
  const std::string id = hex(session.id());
  EXPECT_EQ(session.error_of(Op::kGetChildren, a_read(root, true)), 0);
  EXPECT_THAT(lines_of(ask(*lab, "wchc")), testing::Not(Contains(id)));
  EXPECT_EQ(session.error_of(Op::kExists, a_read(path, true)), -101);
  EXPECT_THAT("\n" + ask(*lab, "wchc"), HasSubstr("\n" + id + "\n\t" + path + "\n"));
  EXPECT_THAT("\n" + ask(*lab, "wchp"), HasSubstr("\n" + path + "\n\t" + id + "\n"));
  EXPECT_THAT(ask(*lab, "wchc"), EndsWith("\n\n"));
  const std::string wchs = ask(*lab, "wchs");
  EXPECT_THAT(lines_of(wchs), ElementsAre(MatchesRegex("[0-9]+ connections watching [0-9]+ paths"),
                                          MatchesRegex("Total watches:[0-9]+")));
  EXPECT_EQ(session.error_of(Op::kRemoveWatches, wire::WatchesRequest{root, 1}), 0);
  session.create(root + "/x");
  EXPECT_EQ(session.error_of(Op::kGetData, a_read(root + "/x", true)), 0);
  EXPECT_EQ(number_after(ask(*lab, "wchs"), "Total watches:"),
            number_after(wchs, "Total watches:") + 1);
}

TEST_P(WireConformance, Z123EnviPrintsTheVersion) {
  EXPECT_THAT(ask(*lab, "envi"), StartsWith("Environment:\nzookeeper.version=3.8.0-"));
}

}  // namespace
}  // namespace lockstep::conformance
