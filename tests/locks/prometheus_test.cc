#include "lockstep/prometheus.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "lockstep/async_event.h"
#include "lockstep/cohort_mutex.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/multi_lock.h"
#include "lockstep/on_client.h"
#include "lockstep/semaphore.h"
#include "lockstep/shared_on_client.h"
#include "lockstep/task_set.h"
#include "lockstep/unfair_mutex.h"
#include "support/by_hand.h"

namespace lockstep {
namespace {

using namespace unit;

// Outlives the simulation, whose sessions report their ends.
class Measured {
 protected:
  PrometheusMetrics metrics_;
};

class PrometheusTest : protected Measured, public SimulatedTest {
 protected:
  void SetUp() override { client_.set_observer(&metrics_); }

  std::vector<std::string> lines() const {
    std::vector<std::string> found;
    std::istringstream stream(metrics_.text());
    for (std::string line; std::getline(stream, line);) found.push_back(line);
    return found;
  }
  // The value of a sample; "none" without such a sample.
  std::string value(const std::string& sample) const {
    for (const std::string& line : lines()) {
      if (line.starts_with(sample + " ")) return line.substr(sample.size() + 1);
    }
    return "none";
  }

  // The locks for which there are series.
  std::set<std::string> labels() const {
    const std::string_view before = "lockstep_held{lock=\"";
    std::set<std::string> found;
    for (const std::string& line : lines()) {
      if (!line.starts_with(before)) continue;
      found.insert(line.substr(before.size(), line.find('"', before.size()) - before.size()));
    }
    return found;
  }

  fake::FakeClient& client_ = simulation_.client("A");
  const std::shared_ptr<FakeSession> other_ = simulation_.open("B");
  FairMutex others_{*other_, "/lock"};
};

TEST_F(PrometheusTest, CountsALockCycle) {
  OnClient<FairMutex> mutex(client_, "/lock", &metrics_);
  ClientGrant grant = must(simulation_.run(mutex.acquire()), "acquire");
  EXPECT_EQ(value("lockstep_places_reserved_total{lock=\"/lock\"}"), "1");
  EXPECT_EQ(value("lockstep_grants_total{lock=\"/lock\",share=\"exclusive\"}"), "1");
  EXPECT_EQ(value("lockstep_held{lock=\"/lock\"}"), "1");
  EXPECT_EQ(value("lockstep_waiting{lock=\"/lock\"}"), "0");
  simulation_.advance(1500ms);
  simulation_.run(grant.held.release());
  EXPECT_EQ(value("lockstep_held{lock=\"/lock\"}"), "0");
  EXPECT_EQ(value("lockstep_releases_total{lock=\"/lock\",outcome=\"released\"}"), "1");
  EXPECT_EQ(value("lockstep_hold_seconds_bucket{lock=\"/lock\",le=\"1\"}"), "0");
  EXPECT_EQ(value("lockstep_hold_seconds_bucket{lock=\"/lock\",le=\"5\"}"), "1");
  EXPECT_EQ(value("lockstep_hold_seconds_bucket{lock=\"/lock\",le=\"+Inf\"}"), "1");
  EXPECT_EQ(value("lockstep_hold_seconds_sum{lock=\"/lock\"}"), "1.5");
  EXPECT_EQ(value("lockstep_hold_seconds_count{lock=\"/lock\"}"), "1");
  EXPECT_EQ(value("lockstep_requests_total{op=\"remove\"}"), "1");
  EXPECT_EQ(value("lockstep_request_errors_total{op=\"create\",error=\"no node\"}"), "1");
  EXPECT_EQ(value("lockstep_session_states_total{state=\"connected\"}"), "1");
}

TEST_F(PrometheusTest, ALossThatOnlyTheReleaseShowsIsCounted) {
  OnClient<FairMutex> mutex(client_, "/lock", &metrics_);
  ClientGrant grant = must(simulation_.run(mutex.acquire()), "acquire");
  must(simulation_.run(remove(*other_, grant.held.znode())), "remove");
  EXPECT_EQ(simulation_.run(grant.held.release()), ReleaseOutcome::kAlreadyLost);
  EXPECT_EQ(value("lockstep_losses_total{lock=\"/lock\",cause=\"no node\"}"), "1");
  EXPECT_EQ(value("lockstep_releases_total{lock=\"/lock\",outcome=\"already lost\"}"), "1");
  EXPECT_EQ(value("lockstep_held{lock=\"/lock\"}"), "0");
}

// Sets an event as soon as a read finds nothing, before the reader hears of it.
class FindsNothing final : public SessionObserver {
 public:
  explicit FindsNothing(AsyncEvent& event) : event_(event) {}
  void answered(OpCode, std::optional<Error> error) override {
    if (error == Error::kNoNode) event_.set();
  }

 private:
  AsyncEvent& event_;
};

Task<Result<void>> pass_on(AsyncEvent& from, AsyncEvent& to) {
  co_await ok(from.wait());
  to.set();
  co_return Result<void>();
}

Task<Result<void>> drop_after(AsyncEvent& event, std::optional<ClientGrant>& grant) {
  co_await ok(event.wait());
  grant.reset();
  co_return Result<void>();
}

TEST_F(PrometheusTest, ALossThatIsNotNoticedBeforeTheGrantIsDroppedIsCounted) {
  OnClient<FairMutex> mutex(client_, "/lock", &metrics_);
  std::optional<ClientGrant> grant = must(simulation_.run(mutex.acquire()), "acquire");
  static_cast<void>(grant->held.lost_token());
  simulation_.settle();
  AsyncEvent found_nothing(client_.executor());
  FindsNothing observer(found_nothing);
  client_.current()->set_observer(&observer);
  AsyncEvent reader_knows(client_.executor());
  const auto passes_on = start_and_settle(pass_on(found_nothing, reader_knows));
  const auto drops = start_and_settle(drop_after(reader_knows, grant));
  must(run_and_settle(remove(*other_, grant->held.znode())), "remove");
  client_.current()->set_observer(&metrics_);
  EXPECT_TRUE(passes_on.done() && drops.done());
  EXPECT_EQ(value("lockstep_held{lock=\"/lock\"}"), "0");
  EXPECT_EQ(value("lockstep_losses_total{lock=\"/lock\",cause=\"no node\"}"), "1");
}

TEST_F(PrometheusTest, CountsSuspicions) {
  OnClient<FairMutex> mutex(client_, "/lock", &metrics_);
  const ClientGrant grant = must(simulation_.run(mutex.acquire()), "acquire");
  const std::shared_ptr<fake::FakeSession> session = client_.current();
  disconnect(simulation_, *session);
  EXPECT_EQ(value("lockstep_suspicions_total{lock=\"/lock\"}"), "1");
  EXPECT_EQ(value("lockstep_recoveries_total{lock=\"/lock\"}"), "0");
  reconnect(simulation_, *session);
  EXPECT_EQ(value("lockstep_recoveries_total{lock=\"/lock\"}"), "1");
}

TEST_F(PrometheusTest, SuspicionsOfAnUnfairMutexCountForItsZnode) {
  OnClient<UnfairMutex> mutex(client_, "/locks/one", &metrics_);
  const ClientGrant grant = must(simulation_.run(mutex.acquire()), "acquire");
  const std::shared_ptr<fake::FakeSession> session = client_.current();
  disconnect(simulation_, *session);
  reconnect(simulation_, *session);
  EXPECT_EQ(value("lockstep_suspicions_total{lock=\"/locks/one\"}"), "1");
  EXPECT_EQ(value("lockstep_recoveries_total{lock=\"/locks/one\"}"), "1");
  EXPECT_EQ(labels(), std::set<std::string>({"/locks/one"}));
}

Task<Result<Created>> create_with(Session& session, Path path, Acl acl) {
  co_return co_await session.create(path, Data(), Creation(CreateMode::kPersistent, acl));
}

// The parent's ACL forbids deletions. (The session's end deletes the znode all the same.)
TEST_F(PrometheusTest, AReleaseThatTheServerRefusesIsCounted) {
  const Acl no_deletion({AclEntry(permission::kAll & ~permission::kDelete, "world", "anyone")});
  must(simulation_.run(create_with(*other_, "/lock", no_deletion)), "create");
  OnClient<FairMutex> mutex(client_, "/lock", &metrics_);
  ClientGrant grant = must(simulation_.run(mutex.acquire()), "acquire");
  EXPECT_EQ(run_and_settle(grant.held.release()), ReleaseOutcome::kUnknown);
  EXPECT_TRUE(simulation_.exists(grant.held.znode()));
  EXPECT_EQ(value("lockstep_orphan_deletes_total"), "1");
  EXPECT_EQ(value("lockstep_orphans_left_total{error=\"not authenticated\"}"), "1");
}

TEST_F(PrometheusTest, CountsHandoversInsideASession) {
  SharedOnClient<CohortMutex> mutex(client_, "/lock", CohortBounds(), &metrics_);
  auto first = must(simulation_.run(mutex.acquire()), "acquire");
  const auto second = start_and_settle(mutex.acquire());
  EXPECT_EQ(value("lockstep_handovers_total{lock=\"/lock\"}"), "0");
  simulation_.run(first.held.release());
  simulation_.run_until(second);
  EXPECT_EQ(value("lockstep_handovers_total{lock=\"/lock\"}"), "1");
  EXPECT_EQ(value("lockstep_grants_total{lock=\"/lock\",share=\"exclusive\"}"), "1");
}

TEST_F(PrometheusTest, CountsWaitersAndThoseThatGiveUp) {
  const Result<HeldLock> held = simulation_.run(others_.acquire());
  OnClient<FairMutex> mutex(client_, "/lock", &metrics_);
  const auto waits = start_and_settle(mutex.acquire(Context(simulation_.now() + 2s)));
  EXPECT_EQ(value("lockstep_waiting{lock=\"/lock\"}"), "1");
  EXPECT_EQ(value("lockstep_ahead{lock=\"/lock\"}"), "1");
  EXPECT_EQ(value("lockstep_acquires_in_flight{lock=\"/lock\"}"), "1");
  simulation_.run_until(waits);
  EXPECT_EQ(value("lockstep_acquires_in_flight{lock=\"/lock\"}"), "0");
  EXPECT_EQ(value("lockstep_waiting{lock=\"/lock\"}"), "0");
  EXPECT_EQ(value("lockstep_acquires_failed_total{lock=\"/lock\",error=\"timed out\"}"), "1");
  EXPECT_EQ(value("lockstep_orphan_deletes_total"), "1");
}

TEST_F(PrometheusTest, NobodyIsAheadOnceNoneOfOursWaits) {
  OnClient<FairMutex> mutex(client_, "/lock", &metrics_);
  Result<HeldLock> held = simulation_.run(others_.acquire());
  const auto gives_up = start_and_settle(mutex.acquire(2s));
  const auto waits = simulation_.start(mutex.acquire());
  simulation_.advance(2s);
  EXPECT_EQ(value("lockstep_waiting{lock=\"/lock\"}"), "1");
  EXPECT_EQ(value("lockstep_ahead{lock=\"/lock\"}"), "1");
  simulation_.run(held->release());
  simulation_.run_until(waits);
  EXPECT_EQ(value("lockstep_held{lock=\"/lock\"}"), "1");
  EXPECT_EQ(value("lockstep_ahead{lock=\"/lock\"}"), "0");
}

TEST_F(PrometheusTest, NobodyIsAheadAfterAnUnfairWait) {
  UnfairMutex others(*other_, "/locks/one");
  OnClient<UnfairMutex> mutex(client_, "/locks/one", &metrics_);
  Result<HeldLock> held = simulation_.run(others.acquire());
  const auto waits = start_and_settle(mutex.acquire());
  EXPECT_EQ(value("lockstep_ahead{lock=\"/locks/one\"}"), "1");
  simulation_.run(held->release());
  simulation_.run_until(waits);
  EXPECT_EQ(value("lockstep_ahead{lock=\"/locks/one\"}"), "0");
}

TEST_F(PrometheusTest, NobodyIsAheadAfterAnUnfairMutexGaveUp) {
  UnfairMutex others(*other_, "/locks/one");
  OnClient<UnfairMutex> mutex(client_, "/locks/one", &metrics_);
  const Result<HeldLock> held = simulation_.run(others.acquire());
  const auto waits = start_and_settle(mutex.acquire(Context(simulation_.now() + 1s)));
  EXPECT_EQ(value("lockstep_ahead{lock=\"/locks/one\"}"), "1");
  simulation_.run_until(waits);
  EXPECT_EQ(value("lockstep_ahead{lock=\"/locks/one\"}"), "0");
}

TEST_F(PrometheusTest, CountsTheLastNumbersOfAQueue) {
  constexpr std::int32_t kFirstOfTheLast = 0x7fffffff - (1 << 20) + 1;
  OnClient<FairMutex> mutex(client_, "/lock", &metrics_);
  OnClient<Semaphore> semaphore(client_, "/s", std::int32_t{1}, &metrics_);
  static_cast<void>(must(simulation_.run(mutex.acquire()), "acquire"));
  static_cast<void>(must(simulation_.run(semaphore.acquire()), "acquire"));
  simulation_.settle();
  simulation_.wind_sequence("/lock", kFirstOfTheLast - 1);
  simulation_.wind_sequence("/s/leases", kFirstOfTheLast - 1);
  for (const char* count : {"0", "1", "2"}) {
    static_cast<void>(must(simulation_.run(mutex.acquire()), "acquire"));
    static_cast<void>(must(simulation_.run(semaphore.acquire()), "acquire"));
    simulation_.settle();
    EXPECT_EQ(value("lockstep_last_numbers_total{lock=\"/lock\"}"), count);
    EXPECT_EQ(value("lockstep_last_numbers_total{lock=\"/s\"}"), count);
  }
}

TEST_F(PrometheusTest, AcquireThatIsDestroyedIsNotInFlight) {
  const Result<HeldLock> held = simulation_.run(others_.acquire());
  {
    OnClient<FairMutex> mutex(client_, "/lock", &metrics_);
    TaskSet destroyed;
    destroyed.spawn(ignore(mutex.acquire()));
    simulation_.settle();
    EXPECT_EQ(value("lockstep_acquires_in_flight{lock=\"/lock\"}"), "1");
    destroyed.clear();
  }
  EXPECT_EQ(value("lockstep_acquires_in_flight{lock=\"/lock\"}"), "0");
}

// Two of them with one parent are two locks.
TEST_F(PrometheusTest, UnfairMutexCountsForItsZnode) {
  UnfairMutex others(*other_, "/locks/one");
  const Result<HeldLock> held = simulation_.run(others.acquire());
  OnClient<UnfairMutex> mutex(client_, "/locks/one", &metrics_);
  EXPECT_EQ(error_of(simulation_.run(mutex.try_acquire())), Error::kConflict);
  EXPECT_EQ(value("lockstep_acquires_failed_total{lock=\"/locks/one\",error=\"conflict\"}"), "1");
  OnClient<UnfairMutex> another(client_, "/locks/two", &metrics_);
  ClientGrant grant = must(simulation_.run(another.acquire()), "acquire");
  EXPECT_EQ(value("lockstep_held{lock=\"/locks/two\"}"), "1");
  EXPECT_EQ(value("lockstep_held{lock=\"/locks/one\"}"), "0");
  simulation_.run(ignore(grant.held.release()));
  EXPECT_EQ(value("lockstep_held{lock=\"/locks/two\"}"), "0");
  EXPECT_EQ(labels(), std::set<std::string>({"/locks/one", "/locks/two"}));
}

// Whatever znodes it consists of.
// The second grant has the name of the first one, whose release has not had its answer yet.
TEST_F(PrometheusTest, TwoGrantsOfOneUnfairMutexEndSeparately) {
  OnClient<UnfairMutex> mutex(client_, "/locks/one", &metrics_);
  ClientGrant first = must(simulation_.run(mutex.acquire()), "acquire");
  const auto second = start_and_settle(mutex.acquire());
  const auto released = simulation_.start(first.held.release());
  disconnect(simulation_, *client_.current(), 1);
  reconnect(simulation_, *client_.current());
  ASSERT_TRUE(released.done());
  ASSERT_TRUE(second.done());
  EXPECT_EQ(value("lockstep_held{lock=\"/locks/one\"}"), "1");
  simulation_.run(second.result()->held.release());
  EXPECT_EQ(value("lockstep_held{lock=\"/locks/one\"}"), "0");
  EXPECT_EQ(value("lockstep_hold_seconds_count{lock=\"/locks/one\"}"), "2");
}

TEST_F(PrometheusTest, SemaphoreHasOneLabel) {
  OnClient<Semaphore> semaphore(client_, "/s", std::int32_t{1}, &metrics_);
  ClientGrant grant = must(run_and_settle(semaphore.acquire()), "acquire");
  EXPECT_EQ(labels(), std::set<std::string>({"/s"}));
  EXPECT_EQ(value("lockstep_grants_total{lock=\"/s\",share=\"shared\"}"), "1");
  EXPECT_EQ(value("lockstep_grants_total{lock=\"/s\",share=\"exclusive\"}"), "none");
  EXPECT_EQ(value("lockstep_held{lock=\"/s\"}"), "1");
  EXPECT_EQ(value("lockstep_waiting{lock=\"/s\"}"), "0");
  EXPECT_EQ(value("lockstep_wait_seconds_count{lock=\"/s\"}"), "1");
  const auto waits = simulation_.start(semaphore.acquire());
  simulation_.advance(2s);
  EXPECT_EQ(value("lockstep_waiting{lock=\"/s\"}"), "1");
  EXPECT_EQ(value("lockstep_acquires_in_flight{lock=\"/s\"}"), "1");
  simulation_.run(ignore(grant.held.release()));
  simulation_.run_until(waits);
  simulation_.settle();
  EXPECT_EQ(value("lockstep_waiting{lock=\"/s\"}"), "0");
  EXPECT_EQ(value("lockstep_wait_seconds_sum{lock=\"/s\"}"), "2");
  EXPECT_EQ(value("lockstep_releases_total{lock=\"/s\",outcome=\"released\"}"), "1");
}

// A turn without a result is no grant, and the wait is over.
// An operator deletes the turn of one contender, and the next one of its session has it already
// when the first one hears of that.
TEST_F(PrometheusTest, ALostTurnDoesNotEndTheNextOne) {
  Semaphore others(*other_, "/s", 1);
  std::optional<HeldLock> lease = must(simulation_.run(others.acquire()), "acquire");
  simulation_.settle();
  OnClient<Semaphore> semaphore(client_, "/s", 1, &metrics_);
  simulation_.run(ignore(client_.session(Context())));
  const auto first = simulation_.start(semaphore.acquire());
  const auto second = start_and_settle(semaphore.acquire());
  const auto waiters = must(simulation_.run(others.waiters()), "waiters");
  ASSERT_EQ(waiters.size(), 2U);
  must(run_and_settle(remove(*other_, waiters.front().znode)), "remove");
  ASSERT_TRUE(first.done());
  EXPECT_EQ(error_of(first.result()), Error::kNoNode);
  EXPECT_FALSE(second.done());
  lease.reset();
  simulation_.settle();
  ASSERT_TRUE(second.done());
  EXPECT_EQ(value("lockstep_waiting{lock=\"/s\"}"), "0");
  EXPECT_EQ(value("lockstep_wait_seconds_count{lock=\"/s\"}"), "1");
}

TEST_F(PrometheusTest, AbandonedSemaphoreDoesNotWait) {
  OnClient<Semaphore> semaphore(client_, "/s", std::int32_t{1}, &metrics_);
  const ClientGrant grant = must(simulation_.run(semaphore.acquire()), "acquire");
  const Context patience(simulation_.now() + 1s);
  EXPECT_EQ(error_of(run_and_settle(semaphore.acquire(patience))), Error::kTimedOut);
  EXPECT_EQ(value("lockstep_waiting{lock=\"/s\"}"), "0");
  EXPECT_EQ(value("lockstep_acquires_failed_total{lock=\"/s\",error=\"timed out\"}"), "1");
  EXPECT_EQ(value("lockstep_acquires_in_flight{lock=\"/s\"}"), "0");
}

// It has no path of its own: it counts for the locks that a user knows.
TEST_F(PrometheusTest, MultiLockCountsForEachOfItsLocks) {
  const auto session = must(simulation_.run(client_.session(Context())), "session");
  MultiLock locks(*session, {Path("/a"), Path("/b")}, &metrics_);
  const HeldLocks held = must(simulation_.run(locks.acquire()), "acquire");
  EXPECT_EQ(labels(), std::set<std::string>({"/a", "/b"}));
}

TEST_F(PrometheusTest, CountsUnknownOutcomesAndLosses) {
  OnClient<FairMutex> mutex(client_, "/lock", &metrics_);
  simulation_.run(ignore(client_.session(Context())));
  const auto session = client_.current();
  const auto taking = simulation_.start(mutex.acquire());
  simulation_.cut(*session, 1);
  simulation_.run_until(taking);
  EXPECT_EQ(value("lockstep_ambiguous_creates_total"), "1");
  kill_and_settle(*session);
  EXPECT_EQ(value("lockstep_losses_total{lock=\"/lock\",cause=\"session expired\"}"), "1");
  EXPECT_EQ(value("lockstep_held{lock=\"/lock\"}"), "0");
  EXPECT_EQ(value("lockstep_session_states_total{state=\"expired\"}"), "1");
}

TEST_F(PrometheusTest, NoWaiterIsCountedInASessionThatIsOver) {
  const Result<HeldLock> held = simulation_.run(others_.acquire());
  OnClient<FairMutex> mutex(client_, "/lock", &metrics_);
  const auto waits = start_and_settle(mutex.acquire());
  EXPECT_EQ(value("lockstep_waiting{lock=\"/lock\"}"), "1");
  simulation_.kill(*client_.current());
  simulation_.cut(*client_.current());
  simulation_.run_until(waits);
  EXPECT_EQ(value("lockstep_waiting{lock=\"/lock\"}"), "0");
}

// Destroys the tasks of a session that is over.
class EndsTasks final : public SessionListener {
 public:
  explicit EndsTasks(Session& session) : session_(session) { session_.add_listener(*this); }
  ~EndsTasks() { session_.remove_listener(*this); }
  [[nodiscard]] TaskSet& tasks() { return tasks_; }

 private:
  void session_changed(SessionState state) override {
    if (is_over(state)) tasks_.clear();
  }

  Session& session_;
  TaskSet tasks_;
};

// Also if the metrics observe no session.
TEST_F(PrometheusTest, AWaiterThatIsDestroyedWithItsSessionIsNotCounted) {
  const Result<HeldLock> held = simulation_.run(others_.acquire());
  const auto session = simulation_.open("C");
  FairMutex mutex(*session, "/lock", &metrics_);
  EndsTasks owner(*session);
  owner.tasks().spawn(ignore(mutex.acquire()));
  simulation_.settle();
  EXPECT_EQ(value("lockstep_waiting{lock=\"/lock\"}"), "1");
  simulation_.kill(*session);
  simulation_.settle();
  EXPECT_EQ(value("lockstep_waiting{lock=\"/lock\"}"), "0");
  EXPECT_EQ(value("lockstep_acquires_in_flight{lock=\"/lock\"}"), "0");
}

TEST_F(PrometheusTest, ADestroyedGrantIsNotHeld) {
  OnClient<FairMutex> mutex(client_, "/lock", &metrics_);
  simulation_.run(ignore(mutex.acquire()));
  EXPECT_EQ(value("lockstep_held{lock=\"/lock\"}"), "0");
  EXPECT_EQ(value("lockstep_releases_total{lock=\"/lock\",outcome=\"dropped\"}"), "1");
}

TEST_F(PrometheusTest, TimesAreUnknownWithoutSessions) {
  PrometheusMetrics locks_only;
  const auto session = simulation_.open("B");
  FairMutex mutex(*session, "/lock", &locks_only);
  simulation_.run(ignore(mutex.acquire()));
  const std::string text = locks_only.text();
  EXPECT_NE(text.find("lockstep_grants_total{lock=\"/lock\",share=\"exclusive\"} 1\n"), text.npos);
  EXPECT_NE(text.find("lockstep_wait_seconds_count{lock=\"/lock\"} 0\n"), text.npos);
}

// A session gives the metrics their clock when it changes its state.
TEST_F(PrometheusTest, TimesThatBeganBeforeThereWasAClockAreUnknown) {
  simulation_.advance(1h);
  const auto session = simulation_.open("B");
  session->set_observer(&metrics_);
  FairMutex mutex(*session, "/lock", &metrics_);
  HeldLock first = must(simulation_.run(mutex.acquire()), "acquire");
  simulation_.cut(*session);
  simulation_.settle();
  simulation_.run(first.release());
  EXPECT_EQ(value("lockstep_held{lock=\"/lock\"}"), "0");
  EXPECT_EQ(value("lockstep_hold_seconds_count{lock=\"/lock\"}"), "0");
  HeldLock second = must(simulation_.run(mutex.acquire()), "acquire");
  simulation_.advance(2s);
  simulation_.run(second.release());
  EXPECT_EQ(value("lockstep_wait_seconds_count{lock=\"/lock\"}"), "1");
  EXPECT_EQ(value("lockstep_hold_seconds_count{lock=\"/lock\"}"), "1");
  EXPECT_EQ(value("lockstep_hold_seconds_sum{lock=\"/lock\"}"), "2");
}

// A request that the client refuses has been made, too.
TEST_F(PrometheusTest, ARefusedRequestIsCountedWithItsError) {
  const auto session = must(simulation_.run(client_.session(Context())), "session");
  const RequestCounter sent(simulation_);
  EXPECT_EQ(error_of(simulation_.run(create(*session, "malformed"))), Error::kBadArguments);
  EXPECT_EQ(sent.total(), 0U);
  EXPECT_EQ(value("lockstep_requests_total{op=\"create\"}"), "1");
  EXPECT_EQ(value("lockstep_request_errors_total{op=\"create\",error=\"bad arguments\"}"), "1");
}

TEST_F(PrometheusTest, EscapesLabels) {
  OnClient<FairMutex> mutex(client_, "/a\"b\\c", &metrics_);
  const Result<ClientGrant> grant = simulation_.run(mutex.acquire());
  ASSERT_TRUE(grant.has_value());
  EXPECT_EQ(value("lockstep_held{lock=\"/a\\\"b\\\\c\"}"), "1");
}

// The format's grammar, as far as a parser depends on it: every sample comes after the header of
// its metric, each header once, and no sample twice.
TEST_F(PrometheusTest, IsAValidExposition) {
  OnClient<FairMutex> mutex(client_, "/lock", &metrics_);
  simulation_.run(ignore(mutex.acquire()));
  std::set<std::string> seen;
  std::string metric;
  for (const std::string& line : lines()) {
    if (line.starts_with("# HELP ")) metric = line.substr(7, line.find(' ', 7) - 7);
    const std::string key = line.substr(0, line.rfind(' '));
    EXPECT_TRUE(seen.insert(line.starts_with("#") ? line : key).second) << line;
    if (line.starts_with("# TYPE ")) {
      EXPECT_TRUE(line.starts_with("# TYPE " + metric + " ")) << line;
    }
    if (line.starts_with("#")) continue;
    EXPECT_TRUE(line.starts_with(metric)) << line << " under " << metric;
    const std::string number = line.substr(line.rfind(' ') + 1);
    EXPECT_EQ(number.find_first_not_of("0123456789."), std::string::npos) << line;
  }
  EXPECT_EQ(metrics_.text().back(), '\n');
}

}  // namespace
}  // namespace lockstep
