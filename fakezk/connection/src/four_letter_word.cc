#include "lockstep/connection/four_letter_word.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "java_date.h"
#include "lockstep/fakezk/reaper.h"

namespace lockstep::connection {

namespace {

using fakezk::PathId;
using fakezk::SessionIndex;

constexpr std::string_view kVersion = "3.8.0-lockstep, built on 2020-01-01 00:00 UTC";

std::string hex(SessionId number) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  for (auto bits = static_cast<std::uint64_t>(number); bits != 0; bits >>= 4U) {
    digits.insert(digits.begin(), kDigits[bits & 0xfU]);
  }
  return "0x" + (digits.empty() ? "0" : digits);
}

std::string text(std::uint64_t number) { return std::to_string(number); }

// The living sessions, in the order of their creation.
std::vector<SessionIndex> sessions_of(const WordSubject& subject) {
  std::vector<SessionIndex> alive;
  for (SessionIndex index = 0; index < subject.servers.session_count(); ++index) {
    if (subject.servers.session_alive(index)) alive.push_back(index);
  }
  return alive;
}

const fakezk::Replica& replica_of(const WordSubject& subject) {
  return subject.servers.replica(subject.server);
}

std::string mode_of(const WordSubject& subject) {
  if (!subject.servers.options().is_ensemble()) return "standalone";
  constexpr int kEpochShift = 32;
  const auto epochs = static_cast<std::uint64_t>(subject.servers.last_zxid() >> kEpochShift);
  const auto leader =
      (epochs + subject.servers.replica_count() - 1) % subject.servers.replica_count();
  return leader == subject.server ? "leader" : "follower";
}

struct TreeFacts {
  std::uint64_t znodes = 1;  // ZooKeeper counts the root twice, as "" and as "/".
  std::uint64_t bytes = 0;   // In paths and data.
  std::uint64_t ephemerals = 0;
};

TreeFacts facts_of(const WordSubject& subject) {
  const fakezk::ZnodeTree& tree = replica_of(subject).tree();
  TreeFacts facts;
  std::vector<PathId> left = {fakezk::PathTable::kRoot};
  while (!left.empty()) {
    const PathId id = left.back();
    left.pop_back();
    const fakezk::Znode* const znode = tree.find(id);
    if (!znode) continue;
    ++facts.znodes;
    facts.bytes += subject.servers.paths().text(id).view().size() + znode->data.view().size();
    if (znode->ephemeral_owner != 0) ++facts.ephemerals;
    left.insert(left.end(), znode->children.begin(), znode->children.end());
  }
  return facts;
}

std::uint64_t outstanding(const WordSubject& subject) {
  std::uint64_t sum = 0;
  for (const WordClient& client : subject.clients) sum += client.queued;
  return sum;
}

// The paths whose data the session watches on this server, sorted by name.
std::vector<std::string> watched_by(const WordSubject& subject, SessionIndex session,
                                    const fakezk::WatchTable& table) {
  const fakezk::LinkIndex link = subject.servers.link_of(session);
  std::vector<std::string> paths;
  if (link == fakezk::kNoLink || subject.servers.replica_of(link) != subject.server) return paths;
  for (const PathId path : table.watched_by(link)) {
    paths.push_back(subject.servers.paths().path(path).string());
  }
  std::ranges::sort(paths);
  return paths;
}

std::string server_lines(const WordSubject& subject) {
  return "Latency min/avg/max: 0/0.0/0\nReceived: " + text(subject.received) +
         "\nSent: " + text(subject.sent) + "\nConnections: " + text(subject.clients.size()) +
         "\nOutstanding: " + text(outstanding(subject)) +
         "\nZxid: " + hex(replica_of(subject).last_zxid) + "\nMode: " + mode_of(subject) +
         "\nNode count: " + text(facts_of(subject).znodes) + "\n";
}

std::string srvr(const WordSubject& subject) {
  return "Zookeeper version: " + std::string(kVersion) + "\n" + server_lines(subject);
}

std::string line_of(const WordClient& client, const std::string& more = {}) {
  return " /" + client.address + (client.asks ? "[0](" : "[1](") + "queued=" + text(client.queued) +
         ",recved=" + text(client.received) + ",sent=" + text(client.sent) + more + ")\n";
}

std::string stat(const WordSubject& subject) {
  std::string out = "Zookeeper version: " + std::string(kVersion) + "\nClients:\n";
  for (const WordClient& client : subject.clients) out += line_of(client);
  return out + "\n" + server_lines(subject);
}

std::string cons(const WordSubject& subject) {
  std::string out;
  for (const WordClient& client : subject.clients) {
    std::string more;
    const SessionIndex session = subject.servers.sessions().find(client.session);
    if (session != fakezk::kNoSession) {
      const auto timeout = std::chrono::duration_cast<std::chrono::milliseconds>(
          subject.servers.sessions()[session].timeout);
      more = ",sid=" + hex(client.session) +
             ",to=" + text(static_cast<std::uint64_t>(timeout.count()));
    }
    out += line_of(client, more);
  }
  return out + "\n";
}

using Expiring = std::map<std::int64_t, std::vector<std::string>>;

// The time at which the session ends if the servers hear nothing more of it.
std::int64_t expiry_of(const WordSubject& subject, SessionIndex session) {
  const auto until = subject.servers.sessions()[session].silent_until();
  return fakezk::wall_clock_ms(until ? *until : subject.servers.expiry_time(session, subject.now));
}

std::string sets_of(std::string_view title, const Expiring& expiring) {
  std::size_t all = 0;
  std::string sets;
  for (const auto& [when, lines] : expiring) {
    all += lines.size();
    sets += text(lines.size()) + " expire at " + java_date(when) + ":\n";
    for (const std::string& line : lines) sets += "\t" + line + "\n";
  }
  return std::string(title) + " (" + text(expiring.size()) + ")/(" + text(all) + "):\n" + sets;
}

std::string dump(const WordSubject& subject) {
  Expiring sessions;
  std::size_t owners = 0;
  std::string ephemerals;
  for (const SessionIndex session : sessions_of(subject)) {
    const std::string id = hex(subject.servers.session_id(session));
    sessions[expiry_of(subject, session)].push_back(id);
    const std::span<const PathId> owned = subject.servers.ephemerals(session);
    if (owned.empty()) continue;
    ++owners;
    ephemerals += id + ":\n";
    for (const PathId path : owned) {
      ephemerals += "\t" + subject.servers.paths().path(path).string() + "\n";
    }
  }
  Expiring connections;
  for (const WordClient& client : subject.clients) {
    const SessionIndex session = subject.servers.sessions().find(client.session);
    const std::int64_t when = session == fakezk::kNoSession ? fakezk::wall_clock_ms(subject.now)
                                                            : expiry_of(subject, session);
    connections[when].push_back("ip: /" + client.address + " sessionId: " + hex(client.session));
  }
  return "SessionTracker dump:\n" + sets_of("Session Sets", sessions) +
         "ephemeral nodes dump:\nSessions with Ephemerals (" + text(owners) + "):\n" + ephemerals +
         "Connections dump:\n" + sets_of("Connections Sets", connections);
}

std::string envi(const WordSubject&) {
  return "Environment:\nzookeeper.version=" + std::string(kVersion) + "\nhost.name=localhost\n";
}

std::string mntr(const WordSubject& subject) {
  const TreeFacts tree = facts_of(subject);
  std::uint64_t watches = 0;
  for (const SessionIndex session : sessions_of(subject)) {
    watches += watched_by(subject, session, replica_of(subject).data_watches()).size() +
               watched_by(subject, session, replica_of(subject).child_watches()).size();
  }
  std::string out;
  const auto add = [&out](std::string_view key, const std::string& value) {
    out += "zk_" + std::string(key) + "\t" + value + "\n";
  };
  add("version", std::string(kVersion));
  add("server_state", mode_of(subject));
  add("ephemerals_count", text(tree.ephemerals));
  add("num_alive_connections", text(subject.clients.size()));
  add("avg_latency", "0.0");
  add("min_latency", "0");
  add("max_latency", "0");
  add("outstanding_requests", text(outstanding(subject)));
  add("znode_count", text(tree.znodes));
  add("global_sessions", text(sessions_of(subject).size()));
  add("local_sessions", "0");
  add("packets_sent", text(subject.sent));
  add("packets_received", text(subject.received));
  add("watch_count", text(watches));
  add("approximate_data_size", text(tree.bytes));
  return out;
}

// These three words show only data watches (DataTree.dumpWatches).
using ByKey = std::map<std::string, std::vector<std::string>>;

std::string listed(const ByKey& watches) {
  std::string out;
  for (const auto& [key, values] : watches) {
    out += key + "\n";
    for (const std::string& value : values) out += "\t" + value + "\n";
  }
  return out + "\n";
}

ByKey by_session(const WordSubject& subject) {
  ByKey watches;
  for (const SessionIndex session : sessions_of(subject)) {
    auto paths = watched_by(subject, session, replica_of(subject).data_watches());
    if (!paths.empty()) watches[hex(subject.servers.session_id(session))] = std::move(paths);
  }
  return watches;
}

ByKey by_path(const WordSubject& subject) {
  ByKey watches;
  for (const auto& [session, paths] : by_session(subject)) {
    for (const std::string& path : paths) watches[path].push_back(session);
  }
  return watches;
}

std::string wchs(const WordSubject& subject) {
  const ByKey watches = by_session(subject);
  std::size_t total = 0;
  for (const auto& [session, paths] : watches) total += paths.size();
  return text(watches.size()) + " connections watching " + text(by_path(subject).size()) +
         " paths\nTotal watches:" + text(total) + "\n";
}

struct Word {
  std::string_view name;
  std::string (*answer)(const WordSubject&);  // null if the word is not in the whitelist.
};

constexpr std::array kWords = {
    Word{"ruok", [](const WordSubject&) { return std::string("imok"); }},
    Word{"isro", [](const WordSubject&) { return std::string("rw"); }},
    Word{"srvr", srvr},
    Word{"stat", stat},
    Word{"cons", cons},
    Word{"dump", dump},
    Word{"envi", envi},
    Word{"mntr", mntr},
    Word{"wchs", wchs},
    Word{"wchc", [](const WordSubject& subject) { return listed(by_session(subject)); }},
    Word{"wchp", [](const WordSubject& subject) { return listed(by_path(subject)); }},
    Word{"conf", nullptr},
    Word{"crst", nullptr},
    Word{"dirs", nullptr},
    Word{"gtmk", nullptr},
    Word{"hash", nullptr},
    Word{"srst", nullptr},
    Word{"stmk", nullptr},
};

const Word* find(std::string_view name) {
  const auto* const found = std::ranges::find(kWords, name, &Word::name);
  return found == kWords.end() ? nullptr : found;
}

}  // namespace

bool is_four_letter_word(std::string_view bytes) { return find(bytes) != nullptr; }

std::string answer_four_letter_word(std::string_view word, const WordSubject& subject) {
  const Word* const known = find(word);
  if (known != nullptr && known->answer != nullptr) return known->answer(subject);
  return std::string(word) + " is not executed because it is not in the whitelist.\n";
}

}  // namespace lockstep::connection
