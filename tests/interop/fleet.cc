#include "interop/fleet.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "lockstep/sleep.h"
#include "real/watch_count.h"
#include "support/lab.h"

namespace lockstep::interop {

using support::must;

namespace {

// The limit of a test on a busy machine.
constexpr Duration kTestLimit = std::chrono::seconds(120);

zookeeper::Options options_for(const std::string& address, Duration session_timeout) {
  return zookeeper::Options(address, session_timeout);
}

// "opened <session> <password, hexadecimal>"
zookeeper::Credentials credentials_in(const std::string& answer) {
  std::istringstream words(answer);
  std::string opened;
  std::string password;
  SessionId session = 0;
  words >> opened >> session >> password;
  if (opened != "opened" || password.size() != 32) throw std::runtime_error(answer);
  std::array<char, 16> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(std::stoi(password.substr(2 * i, 2), nullptr, 16));
  }
  return {session, bytes};
}

Task<void> bear_witness(Session& session, const HeldLock& held, std::string_view what) {
  Path znode = Fleet::witness() / (std::string(held.znode().name()) + std::string(what));
  must(co_await session.create(std::move(znode), Data(), CreateMode::kPersistent), "witness");
}

}  // namespace

Fleet::Fleet(Library others) : others_(others) {}

void Fleet::run(Task<void> test) {
  runtime_.spawn(limit());
  runtime_.run(set_up(std::move(test)));
  runtime_.drop_spawned();
}

Task<void> Fleet::limit() {
  static_cast<void>(co_await sleep_for(runtime_, kTestLimit));
  throw std::runtime_error("the test waits for something that does not happen\n" +
                           others_.errors());
}

Task<void> Fleet::set_up(Task<void> test) {
  const auto session = co_await open();
  must(co_await session->create(parent(), Data(), CreateMode::kPersistent), "parent");
  must(co_await session->create(witness(), Data(), CreateMode::kPersistent), "witness");
  co_await std::move(test);
}

Task<std::shared_ptr<Session>> Fleet::open(Duration session_timeout) {
  auto proxy = std::make_unique<support::TcpProxy>(server_.port());
  auto client =
      std::make_unique<zookeeper::Client>(runtime_, options_for(proxy->address(), session_timeout));
  zookeeper::Client& opened = *client;
  seats_.push_back({std::move(proxy), std::move(client)});
  co_return must(co_await opened.session(Context()), "open");
}

const Fleet::Seat& Fleet::seat(const Session& session) const {
  return *std::ranges::find_if(seats_, [&session](const Seat& seat) {
    const auto credentials = seat.client->credentials();
    return credentials && credentials->session() == session.id();
  });
}

support::TcpProxy& Fleet::proxy_for(int other) {
  std::unique_ptr<support::TcpProxy>& proxy = proxies_of_others_[other];
  if (!proxy) proxy = std::make_unique<support::TcpProxy>(server_.port());
  return *proxy;
}

Task<void> Fleet::kill(const Session& session) {
  const Seat& its = seat(session);
  return kill(*its.proxy, *its.client->credentials());
}

Task<void> Fleet::kill(int other, zookeeper::Credentials credentials) {
  return kill(proxy_for(other), credentials);
}

// With its credentials another client can take a session over, and close it. Its own client would
// take it back at once.
Task<void> Fleet::kill(support::TcpProxy& proxy, zookeeper::Credentials credentials) {
  proxy.refuse();
  zookeeper::Options options = options_for(server_.address(), kLongSessionTimeout);
  options.attach_to = credentials;
  zookeeper::Client killer(runtime_, std::move(options));
  const auto session = must(co_await killer.session(Context()), "attach");
  must(co_await session->close(), "close");
  proxy.accept_again();
}

Task<void> Fleet::expire(const Session& session) {
  seat(session).proxy->refuse();
  while (server_.knows_session(session.id())) co_await pause();
  seat(session).proxy->accept_again();
}

Task<void> Fleet::pause() {
  must(co_await sleep_for(runtime_, std::chrono::milliseconds(1)), "wait");
}

Task<void> Fleet::until_watching(zookeeper::Credentials credentials) {
  const std::string path = lock().string();
  while (!support::watches_below(server_, credentials.session(), path)) co_await pause();
}

Verdict Fleet::verdict(std::size_t leases) const {
  return judge(chaos::read_transactions({server_.data()}, parent().string()), leases);
}

Task<std::string> Other::answer() const {
  for (;;) {
    std::optional<std::string> line = fleet_->others().answer(number_);
    if (line) co_return std::move(*line);
    co_await fleet_->pause();
  }
}

Task<std::string> Other::ask(std::string command) const {
  tell(command);
  co_return co_await answer();
}

Task<void> Other::expect(std::string command, std::string expected) const {
  const std::string answered = co_await ask(command);
  if (answered != expected) throw std::runtime_error(command + ": " + answered);
}

Task<zookeeper::Credentials> Other::open(Duration session_timeout) const {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(session_timeout);
  std::string command = "open " + fleet_->address_for(number_) + " " + std::to_string(ms.count());
  co_return credentials_in(co_await ask(std::move(command)));
}

Task<void> Other::hold(std::string recipe) const {
  tell("lock -1 " + recipe);
  co_await enter();
}

Task<void> Other::enter() const {
  const std::string granted = co_await answer();
  if (!granted.starts_with("held ")) throw std::runtime_error("no grant: " + granted);
  co_await expect("in " + Fleet::witness().string(), "written");
}

Task<void> Other::leave() const {
  co_await expect("out " + Fleet::witness().string(), "written");
  co_await expect("unlock", "released");
}

Task<Result<HeldLock>> Ours::result(Fleet& fleet) {
  while (!got_) co_await fleet.pause();
  co_return std::move(*got_);
}

Task<void> enter(Session& session, const HeldLock& held) {
  return bear_witness(session, held, ".in");
}

Task<ReleaseOutcome> leave(Session& session, HeldLock& held) {
  co_await bear_witness(session, held, ".out");
  co_return co_await held.release();
}

}  // namespace lockstep::interop
