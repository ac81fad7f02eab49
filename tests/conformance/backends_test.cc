#include <algorithm>

#include "conformance/conformance.h"
#include "conformance/served_lab.h"
#include "real/lab_zookeeper.h"
#include "support/lab_fake.h"
#include "support/session_waits.h"

namespace lockstep::conformance {

Task<void> Conformance::in_session(Lab& lab, TestInSession test) {
  const auto session = co_await lab.open();
  co_await test(lab, *session);
}

Task<void> Conformance::in_two_sessions(Lab& lab, TestInTwoSessions test) {
  const auto one = co_await lab.open();
  const auto other = co_await lab.open();
  co_await test(lab, *one, *other);
}

Task<void> Conformance::on_znode(Lab& lab, TestOnZnode test) {
  const auto session = co_await lab.open();
  const Path path = lab.parent() / "n";
  co_await create(*session, path);
  co_await test(lab, *session, path);
}

Task<void> Conformance::of_watcher(Lab& lab, TestOfWatcher test) {
  const auto watcher = co_await lab.open();
  const auto actor = co_await lab.open();
  const Path path = lab.parent() / "n";
  co_await create(*actor, path);
  co_await test(lab, *watcher, *actor, path);
}

Task<Created> create(Session& session, Path path, Data data, Creation creation) {
  const std::string what = "create " + path.string();
  co_return must(co_await session.create(std::move(path), std::move(data), std::move(creation)),
                 what);
}

Task<Stat> stat_of(Session& session, Path path) {
  const std::string what = "exists " + path.string();
  co_return must(co_await session.exists(std::move(path)), what);
}

Task<void> remove(Session& session, Path path) {
  const std::string what = "remove " + path.string();
  must(co_await session.remove(std::move(path)), what);
}

Task<Stat> set_data(Session& session, Path path, Data data) {
  const std::string what = "set_data " + path.string();
  co_return must(co_await session.set_data(std::move(path), std::move(data)), what);
}

Task<MultiResults> commit(Session& session, Transaction transaction) {
  auto results = co_await session.multi(std::move(transaction));
  if (!results) throw std::runtime_error("multi: " + std::string(name(results.error().error)));
  co_return std::move(*results);
}

Task<MultiError> failure_of(Session& session, Transaction transaction) {
  const auto results = co_await session.multi(std::move(transaction));
  if (results) throw std::runtime_error("the multi works");
  co_return results.error();
}

Task<void> add_auth(Session& session, std::string user_and_password) {
  Data credential(user_and_password);
  must(co_await session.add_auth("digest", std::move(credential)), "add_auth");
}

Task<void> add_rejected_auth(Session& session, std::string scheme) {
  const auto rejected = co_await session.add_auth(std::move(scheme), "ann:secret");
  EXPECT_TRUE(fails_with_a_rejection(error_of(rejected)));
  co_await support::StateReached(session, SessionState::kAuthFailed);
}

bool fails_with_a_rejection(std::optional<Error> error) {
  return error == Error::kAuthFailed || error == Error::kConnectionLoss;
}

bool ends_with_a_rejection(const std::vector<SessionState>& states) {
  if (states.empty() || states.back() != SessionState::kAuthFailed) return false;
  return std::all_of(states.begin(), states.end() - 1, [](SessionState state) {
    return state == SessionState::kSuspended || state == SessionState::kConnected;
  });
}

Task<Acl> acl_of(Session& session, Path path) {
  const std::string what = "get_acl " + path.string();
  co_return must(co_await session.get_acl(std::move(path)), what).acl;
}

Task<void> set_acl(Session& session, Path path, Acl acl) {
  const std::string what = "set_acl " + path.string();
  must(co_await session.set_acl(std::move(path), std::move(acl)), what);
}

Task<Watch> watch_data(Session& session, Path path) {
  co_return must(co_await session.get_data_watched(std::move(path)), "get_data_watched").watch;
}

Task<Watch> watch_exists(Session& session, Path path) {
  co_return must(co_await session.exists_watched(std::move(path)), "exists_watched").watch;
}

Task<Watch> watch_children(Session& session, Path path) {
  co_return must(co_await session.get_children_watched(std::move(path)), "get_children_watched")
      .watch;
}

Task<WatchEvent> event_of(const Watch& watch) { co_return must(co_await watch.fired(), "watch"); }

Task<void> settle(Session& session, Path path) {
  must(co_await session.sync(std::move(path)), "sync");
  static_cast<void>(co_await session.exists(Path()));
}

namespace {

std::string fake_name(const ::testing::TestParamInfo<Conformance::ParamType>&) { return "fake"; }

INSTANTIATE_TEST_SUITE_P(Backends, Conformance, ::testing::Values(&support::make_fake_lab),
                         fake_name);

#ifdef LOCKSTEP_WITH_ZOOKEEPER
std::string real_name(const ::testing::TestParamInfo<Conformance::ParamType>&) {
  return "zookeeper";
}

INSTANTIATE_TEST_SUITE_P(Server, Conformance, ::testing::Values(&support::make_zookeeper_lab),
                         real_name);

// The production backend against the simulated servers behind sockets.
std::string served_name(const ::testing::TestParamInfo<Conformance::ParamType>&) {
  return "served";
}

INSTANTIATE_TEST_SUITE_P(Wire, Conformance, ::testing::Values(&make_served_lab), served_name);
#endif

}  // namespace
}  // namespace lockstep::conformance
