#include "chaos/real_servers.h"

#include <poll.h>

#include <algorithm>
#include <csignal>
#include <deque>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "chaos/queues.h"

namespace lockstep::chaos {

namespace {

using std::chrono::milliseconds;
using support::ZookeeperEnsemble;

constexpr milliseconds kLongestStop(9000);
constexpr milliseconds kUsualRealTimeout(2500);
constexpr std::chrono::seconds kPatienceWithLogs(60);
constexpr std::size_t kMostLogLines = 60;

}  // namespace

std::vector<std::uint16_t> RealServers::ports() const {
  std::vector<std::uint16_t> ports;
  ports.reserve(ZookeeperEnsemble::kServers);
  for (std::size_t i = 0; i < ZookeeperEnsemble::kServers; ++i) ports.push_back(ensemble_.port(i));
  return ports;
}

// Waits until the log contains a marker written now.
std::vector<Transaction> RealServers::committed(const std::string& root) {
  const std::string marker = write_marker(ports(), root);
  const auto deadline = std::chrono::steady_clock::now() + kPatienceWithLogs;
  std::vector<std::filesystem::path> logs;
  logs.reserve(ZookeeperEnsemble::kServers);
  for (std::size_t i = 0; i < ZookeeperEnsemble::kServers; ++i) {
    logs.push_back(ensemble_.server(i).data());
  }
  while (std::chrono::steady_clock::now() < deadline) {
    std::vector<Transaction> transactions = read_transactions(logs, root);
    const bool complete = std::ranges::any_of(
        transactions, [&](const Transaction& known) { return known.path == marker; });
    if (complete) return transactions;
    poll(nullptr, 0, 20);
  }
  throw std::runtime_error("no server writes its transaction log");
}

// Chooses the leader twice as often as the others together.
std::size_t RealServers::choose_server(Draw& draw) const {
  if (draw.one_in(2)) {
    for (std::size_t i = 0; i < ZookeeperEnsemble::kServers; ++i) {
      if (!disturbed_[i] && ensemble_.server(i).mode() == "leader") return i;
    }
  }
  return draw.below(ZookeeperEnsemble::kServers);
}

std::optional<Servers::Fault> RealServers::disturb(Draw& draw) {
  // Without a quorum nothing happens, so this is rare.
  const auto already = std::ranges::count(disturbed_, true);
  if (already > 1 || (already == 1 && !draw.one_in(6))) return std::nullopt;
  const std::size_t number = choose_server(draw);
  if (disturbed_[number]) return std::nullopt;
  const bool kills = draw.one_in(2);
  const milliseconds time = std::min(2 * duration_of_fault(draw, kUsualRealTimeout), kLongestStop);
  support::ServerProcess& server = ensemble_.server(number);
  const std::string role = server.mode();
  disturbed_[number] = true;
  if (kills) {
    server.stop();
  } else {
    server.signal(SIGSTOP);
  }
  return Fault{
      "server " + std::to_string(number) + ", " + role + ": " + (kills ? "killed" : "stopped"),
      time, [this, &server, number, kills] {
        if (kills) {
          server.start();
        } else {
          server.signal(SIGCONT);
        }
        disturbed_[number] = false;
      }};
}

void RealServers::heal() {
  // Each attempt allows half a minute per server on a slow machine, and restarts servers that have
  // ended: another program may have taken a port meanwhile.
  constexpr int kAttempts = 6;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (ensemble_.wait_until_ready()) return;
    for (std::size_t i = 0; i < ZookeeperEnsemble::kServers; ++i) {
      if (!ensemble_.server(i).started()) ensemble_.server(i).start();
    }
  }
  std::string missing;
  for (std::size_t i = 0; i < ZookeeperEnsemble::kServers; ++i) {
    support::ServerProcess& server = ensemble_.server(i);
    if (server.wait_until_ready()) continue;
    missing += " server " + std::to_string(i) + (server.started() ? " (silent)" : " (has ended)");
  }
  throw std::runtime_error("does not come back:" + missing + logs());
}

std::string RealServers::logs() const {
  std::string text;
  for (std::size_t i = 0; i < ZookeeperEnsemble::kServers; ++i) {
    text += "\n  the log of server " + std::to_string(i) + " ends:\n";
    std::istringstream log(ensemble_.server(i).log());
    std::deque<std::string> lines;
    for (std::string line; std::getline(log, line);) {
      lines.push_back("    " + line + "\n");
      if (lines.size() > kMostLogLines) lines.pop_front();
    }
    for (const std::string& line : lines) text += line;
  }
  return text;
}

}  // namespace lockstep::chaos
