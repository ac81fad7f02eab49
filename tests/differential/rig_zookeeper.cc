#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <vector>

#include "differential/rig.h"
#include "differential/users.h"
#include "lockstep/sleep.h"
#include "lockstep/zookeeper/client.h"
#include "real/tcp_proxy.h"
#include "real/zookeeper_server.h"
#include "support/lab.h"

namespace lockstep::differential {

namespace {

using support::must;

constexpr Duration kProgramLimit = std::chrono::seconds(30);
// Programs leave znodes, which fill the server's memory.
constexpr int kProgramsPerServer = 1000;

// Only the C client connects to the server, and it retries without a delay.
zookeeper::Options bare_options(const std::string& address, Duration session_timeout) {
  zookeeper::Options options(address, session_timeout);
  options.probe_servers = false;
  options.retry.base_delay = Duration(0);
  options.retry.longest_delay = Duration(0);
  return options;
}

std::string port_of(const std::string& address) { return address.substr(address.find(':') + 1); }

// Whether the server has accepted a connection on that port and neither end has closed it. Reads
// the kernel's table: addresses are hexadecimal, state 01 is "established", and a connection that
// has not been accepted has no inode.
bool has_accepted(const std::string& port) {
  std::ostringstream local;
  local << ':' << std::uppercase << std::hex << std::setw(4) << std::setfill('0')
        << std::stoi(port);
  std::ifstream table("/proc/self/net/tcp");
  for (std::string line; std::getline(table, line);) {
    std::istringstream fields(line);
    std::string number, here, there, state, skipped, inode;
    fields >> number >> here >> there >> state;
    for (int i = 0; i < 5; ++i) fields >> skipped;
    if (here.ends_with(local.str()) && state == "01" && fields >> inode && inode != "0")
      return true;
  }
  return false;
}

// Starts a server for this rig alone: on a shared one, others would take zxids. It never checks for
// containers and TTL znodes to remove (Exclusion::kReaping).
std::unique_ptr<support::ZookeeperServer> start_server() {
  // Unlike JAVA_TOOL_OPTIONS, this takes precedence over the command line.
  setenv("_JAVA_OPTIONS",
         "-Dzookeeper.extendedTypesEnabled=true -Dznode.container.checkIntervalMs=86400000", 1);
  return std::make_unique<support::ZookeeperServer>();
}

// A client with its proxy.
class Seat {
 public:
  Seat(zookeeper::Runtime& runtime, std::uint16_t port, Duration session_timeout)
      : proxy(port), client(runtime, bare_options(proxy.address(), session_timeout)) {}

  support::TcpProxy proxy;
  zookeeper::Client client;
  std::shared_ptr<Session> session;
  std::optional<zookeeper::Credentials> credentials;
};

class ZookeeperRig final : public Rig {
 public:
  ~ZookeeperRig() override { runtime_.drop_spawned(); }

  std::string_view name() const override { return "zookeeper"; }
  void begin() override;
  void end() override;
  int programs() const override { return programs_; }
  void run(Task<void> task) override;
  Task<std::shared_ptr<Session>> inspector() override;
  Task<std::shared_ptr<Session>> open(Duration session_timeout) override;

  void hold_replies(Session& session) override { proxy(session).hold_replies(); }
  void stall(Session& session) override { proxy(session).stall(); }
  void cut(Session& session) override { proxy(session).cut(); }
  // A stalled proxy stays stalled.
  void keep_away(Session&) override {}
  Task<void> attempt(Session& session) override;
  void let_through(Session& session) override;
  Task<void> kill(Session& session) override;
  Task<void> expire(Session& session) override;

 private:
  static Task<void> limit(Executor& executor);
  Seat& seat(const Session& session);
  support::TcpProxy& proxy(const Session& session) { return seat(session).proxy; }
  Task<void> end_all();
  Task<void> end_on_server(zookeeper::Credentials credentials);

  std::unique_ptr<support::ZookeeperServer> server_;
  int programs_ = 0;
  zookeeper::Runtime runtime_;
  std::unique_ptr<zookeeper::Client> inspector_;
  SessionId introduced_ = 0;  // The session of the inspector that has all identities.
  std::vector<std::unique_ptr<Seat>> seats_;
};

void ZookeeperRig::begin() {
  if (programs_++ % kProgramsPerServer != 0) return;
  inspector_.reset();
  server_.reset();
  server_ = start_server();
}

void ZookeeperRig::end() {
  run(end_all());
  seats_.clear();
}

// Ends the sessions whose clients could not close them: each would expire during a later program
// and take a zxid there.
Task<void> ZookeeperRig::end_all() {
  for (const auto& seat : seats_) {
    if (seat->session && !is_over(seat->session->state())) {
      static_cast<void>(co_await seat->session->close());
    }
  }
  for (const auto& seat : seats_) {
    if (!seat->credentials || !server_->knows_session(seat->credentials->session())) continue;
    co_await end_on_server(*seat->credentials);
  }
}

void ZookeeperRig::run(Task<void> task) {
  runtime_.spawn(limit(runtime_));
  runtime_.run(std::move(task));
  runtime_.drop_spawned();
}

Task<void> ZookeeperRig::limit(Executor& executor) {
  static_cast<void>(co_await sleep_for(executor, kProgramLimit));
  throw std::runtime_error("the program waits for something that does not happen");
}

Task<std::shared_ptr<Session>> ZookeeperRig::inspector() {
  if (!inspector_) {
    // The inspector's session must not end on a busy machine: that would take two zxids.
    zookeeper::Options options(server_->address(), support::ZookeeperServer::kMaxSessionTimeout);
    inspector_ = std::make_unique<zookeeper::Client>(runtime_, std::move(options));
  }
  // The session may still expire if this process is stopped for a while.
  std::shared_ptr<Session> session = must(co_await inspector_->session(Context()), "open");
  if (session->id() != introduced_) co_await introduce_as_everybody(session);
  introduced_ = session->id();
  co_return session;
}

Task<std::shared_ptr<Session>> ZookeeperRig::open(Duration session_timeout) {
  seats_.push_back(std::make_unique<Seat>(runtime_, server_->port(), session_timeout));
  Seat& seat = *seats_.back();
  seat.session = must(co_await seat.client.session(Context()), "open");
  seat.credentials = seat.client.credentials();
  co_return seat.session;
}

Seat& ZookeeperRig::seat(const Session& session) {
  const auto found = std::ranges::find_if(
      seats_, [&session](const auto& seat) { return seat->session.get() == &session; });
  if (found == seats_.end()) throw std::logic_error("a session of another rig");
  return **found;
}

Task<void> ZookeeperRig::attempt(Session& session) {
  while (!has_accepted(port_of(proxy(session).address()))) {
    must(co_await sleep_for(runtime_, std::chrono::milliseconds(1)), "wait");
  }
}

void ZookeeperRig::let_through(Session& session) { proxy(session).pass_again(); }

// Another client with the session's credentials takes the session over and closes it.
Task<void> ZookeeperRig::end_on_server(zookeeper::Credentials credentials) {
  zookeeper::Options options(server_->address());
  options.attach_to = credentials;
  zookeeper::Client operator_client(runtime_, std::move(options));
  const auto attached = co_await operator_client.session(Context());
  if (attached) static_cast<void>(co_await (*attached)->close());
}

Task<void> ZookeeperRig::kill(Session& session) {
  co_await end_on_server(*seat(session).credentials);
}

Task<void> ZookeeperRig::expire(Session& session) {
  while (server_->knows_session(session.id())) {
    must(co_await sleep_for(runtime_, std::chrono::milliseconds(20)), "wait");
  }
}

}  // namespace

std::unique_ptr<Rig> make_zookeeper_rig() { return std::make_unique<ZookeeperRig>(); }

}  // namespace lockstep::differential
