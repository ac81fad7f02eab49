#include "chaos/served_servers.h"

#include <cstdio>
#include <utility>

namespace lockstep::chaos {

namespace {

using service::Control;
using std::chrono::milliseconds;

constexpr std::uint32_t kServers = 3;
constexpr milliseconds kTick(50);
constexpr milliseconds kUsualServedTimeout(600);
constexpr std::size_t kMostRequestsShown = 200;

service::ServiceOptions served_options() { return {.servers = kServers, .tick_time = kTick}; }

// Ignores refusals: a session may have ended since the last look.
void whatever(const Control::Done& done) { static_cast<void>(done); }

std::string hex(SessionId session) {
  char text[2 + 16 + 1];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(session));
  return text;
}

}  // namespace

ServedServers::ServedServers()
    : service_(served_options()), control_(service_), serving_([this] { service_.run(); }) {}

ServedServers::~ServedServers() {
  service_.stop();
  serving_.join();
}

std::vector<Transaction> ServedServers::committed(const std::string& root) {
  std::vector<Transaction> transactions;
  for (const Control::Write& write : control_.history()) {
    const bool created = write.kind == Control::Write::Kind::kCreated;
    if (!created && write.kind != Control::Write::Kind::kDeleted) continue;
    if (!write.path.starts_with(root + "/")) continue;
    Transaction& known = transactions.emplace_back();
    known.kind = created ? Transaction::Kind::kCreate : Transaction::Kind::kDelete;
    known.zxid = write.zxid;
    known.session = write.session;
    known.path = write.path;
    known.ephemeral = write.owner != 0;
    // A session's end deletes its znodes one by one.
    if (created || !known.ephemeral || write.session != 0) continue;
    known.kind = Transaction::Kind::kEndOfSession;
    known.session = write.owner;
    known.path.clear();
  }
  return transactions;
}

std::optional<Servers::Fault> ServedServers::disturb(Draw& draw) {
  if (draw.one_in(3)) return disturb_server(draw);
  return disturb_session(draw);
}

Servers::Fault ServedServers::disturb_server(Draw& draw) {
  const auto server = static_cast<std::uint32_t>(draw.below(kServers));
  const std::string name = "server " + std::to_string(server);
  switch (draw.below(3)) {
    case 0:
      whatever(control_.refuse(server, true));
      return {name + ": refuses connections", duration_of_fault(draw, kUsualServedTimeout),
              [this, server] { whatever(control_.refuse(server, false)); }};
    case 1:
      whatever(control_.lag(server, true));
      return {name + ": lags", duration_of_fault(draw, kUsualServedTimeout),
              [this, server] { whatever(control_.lag(server, false)); }};
    default: whatever(control_.change_leader()); return {"another leader"};
  }
}

std::optional<Servers::Fault> ServedServers::disturb_session(Draw& draw) {
  std::vector<SessionId> connected;
  for (const Control::Session& session : control_.sessions()) {
    if (session.connected) connected.push_back(session.id);
  }
  if (connected.empty()) return std::nullopt;
  const SessionId victim = connected[draw.below(connected.size())];
  const std::string name = "session " + hex(victim);
  switch (draw.below(5)) {
    case 0: whatever(control_.cut(victim)); return Fault{name + ": cut"};
    case 1: whatever(control_.lose_request({}, victim)); return Fault{name + ": lost request"};
    case 2: whatever(control_.lose_reply({}, victim)); return Fault{name + ": lost reply"};
    case 3:
      whatever(control_.stall(victim));
      return Fault{name + ": stalled", duration_of_fault(draw, kUsualServedTimeout),
                   [this, victim] { whatever(control_.resume(victim)); }};
    default:
      whatever(control_.delay(victim, draw.between(milliseconds(1), kUsualServedTimeout / 3)));
      return Fault{name + ": delayed", duration_of_fault(draw, kUsualServedTimeout),
                   [this, victim] { whatever(control_.delay(victim, Duration::zero())); }};
  }
}

std::string ServedServers::logs() const {
  const std::vector<Control::LoggedRequest> log = control_.log();
  const std::size_t skipped = log.size() > kMostRequestsShown ? log.size() - kMostRequestsShown : 0;
  std::string text = "\n  the log of the servers ends:\n";
  for (std::size_t i = skipped; i < log.size(); ++i) {
    const auto at = std::chrono::duration_cast<milliseconds>(log[i].at.time_since_epoch()).count();
    text += "    " + std::to_string(at) + " ms, " + hex(log[i].session) + ", server " +
            std::to_string(log[i].server) + ": " + log[i].op + " " + log[i].path + ": " +
            log[i].answer + "\n";
  }
  return text;
}

}  // namespace lockstep::chaos
