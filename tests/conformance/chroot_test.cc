#include <gtest/gtest.h>

#include "conformance/conformance.h"
#include "conformance/identities.h"
#include "lockstep/fair_mutex.h"

// A session with a chroot sees only the znodes below it, and never the chroot in a path.
namespace lockstep::conformance {

namespace {

constexpr const char* kMalformed[] = {"", "x", "foo", "foo/bar", "//", "/x/", "/."};

Task<std::shared_ptr<Session>> open_below(Lab& lab, Path app) {
  Client& client = lab.add_client(Lab::kLongSessionTimeout, app);
  co_return must(co_await client.session(Context()), "open");
}

}  // namespace

CONFORMANCE_TEST(Z5TheChrootIsNotCreated) {
  const auto outside = co_await lab.open();
  const auto session = co_await open_below(lab, lab.parent() / "app");
  const auto below = co_await session->create("/a", Data(), CreateMode::kPersistent);
  EXPECT_EQ(error_of(below), Error::kNoNode);
  const Created root = co_await create(*session, "/");
  EXPECT_EQ(root.path, Path("/"));
  co_await create(*session, "/a", "x");
  const auto seen = must(co_await outside->get_data(lab.parent() / "app" / "a"), "get_data");
  EXPECT_EQ(seen.data.view(), "x");
}

// A recipe creates the chroot with all its missing ancestors.
CONFORMANCE_TEST(Z5ALockCreatesItsMissingChroot) {
  const auto outside = co_await lab.open();
  const Path app = lab.parent() / "team" / "app";
  const auto session = co_await open_below(lab, app);
  FairMutex mutex(*session, "/locks/nightly");
  HeldLock held = must(co_await mutex.acquire(), "acquire");
  EXPECT_EQ(held.lock(), Path("/locks/nightly"));
  const auto queue =
      must(co_await outside->get_children(app / "locks" / "nightly"), "get_children");
  EXPECT_EQ(queue.size(), 1U);
  EXPECT_EQ(co_await held.release(), ReleaseOutcome::kReleased);
}

// A recipe that may not create the chroot reports that error.
CONFORMANCE_TEST(Z5AChrootThatMayNotBeCreatedIsAnError) {
  const auto outside = co_await lab.open();
  const Creation closed(CreateMode::kPersistent, anyone(permission::kRead));
  co_await create(*outside, lab.parent() / "closed", Data(), closed);
  const auto session = co_await open_below(lab, lab.parent() / "closed" / "team" / "app");
  FairMutex mutex(*session, "/locks/nightly");
  EXPECT_EQ(error_of(co_await mutex.acquire()), Error::kNoAuth);
}

// The C client would prepend the chroot to these, which makes them valid paths.
CONFORMANCE_TEST(Z5NoPathBecomesOneInAChroot) {
  const auto outside = co_await lab.open();
  co_await create(*outside, lab.parent() / "app");
  const auto session = co_await open_below(lab, lab.parent() / "app");
  for (const char* const malformed : kMalformed) {
    const auto created = co_await session->create(malformed, Data(), CreateMode::kPersistent);
    EXPECT_EQ(error_of(created), Error::kBadArguments) << malformed;
    Transaction transaction;
    std::move(transaction).check(malformed);
    const auto checked = co_await session->multi(std::move(transaction));
    EXPECT_EQ(error_of(checked), Error::kBadArguments) << malformed;
  }
  const auto children = must(co_await outside->get_children(lab.parent()), "get_children");
  EXPECT_EQ(children.size(), 1U);
}

CONFORMANCE_TEST(Z6RepliesComeWithoutTheChroot) {
  const auto outside = co_await lab.open();
  co_await create(*outside, lab.parent() / "app");
  const auto session = co_await open_below(lab, lab.parent() / "app");
  const Created created = co_await create(*session, "/a");
  EXPECT_EQ(created.path, Path("/a"));
  const Created numbered =
      co_await create(*session, "/a/n-", Data(), CreateMode::kEphemeralSequential);
  EXPECT_EQ(numbered.path, Path("/a/n-0000000000"));
  const auto children = must(co_await session->get_children("/a"), "get_children");
  EXPECT_EQ(children.size(), 1U);
  must(co_await session->sync("/"), "sync");
  co_await set_data(*session, "/", "root");
  const auto root = must(co_await outside->get_data(lab.parent() / "app"), "get_data");
  EXPECT_EQ(root.data.view(), "root");
}

CONFORMANCE_TEST(Z6ResultsOfAMultiComeWithoutTheChroot) {
  const auto outside = co_await lab.open();
  co_await create(*outside, lab.parent() / "app");
  const auto session = co_await open_below(lab, lab.parent() / "app");
  Transaction transaction;
  std::move(transaction).create("/a", "", CreateMode::kPersistent);
  std::move(transaction).create("/a/n-", "", CreateMode::kPersistentSequential);
  std::move(transaction).check("/a").set_data("/", "x");
  const MultiResults results = co_await commit(*session, std::move(transaction));
  EXPECT_EQ(results.at(0).path, Path("/a"));
  EXPECT_EQ(results.at(1).path, Path("/a/n-0000000000"));
  const Stat stat = co_await stat_of(*outside, lab.parent() / "app" / "a" / "n-0000000000");
  EXPECT_EQ(stat.data_length, 0);
  Transaction failing;
  std::move(failing).check("/a").remove("/none");
  const auto failed = co_await session->multi(std::move(failing));
  EXPECT_EQ(error_of(failed), Error::kNoNode);
  EXPECT_EQ(failed_op(failed), 1U);
}

CONFORMANCE_TEST(Z6EventsComeWithoutTheChroot) {
  const auto outside = co_await lab.open();
  const Path app = lab.parent() / "app";
  co_await create(*outside, app);
  const auto session = co_await open_below(lab, app);
  const Watch children = co_await watch_children(*session, "/");
  const Watch exists = co_await watch_exists(*session, "/a");
  co_await create(*outside, app / "a");
  EXPECT_EQ(co_await event_of(exists), WatchEvent(EventType::kCreated, "/a"));
  EXPECT_EQ(co_await event_of(children), WatchEvent(EventType::kChild, "/"));
}

// The watches that a client sets again after a reconnect carry the chroot, too.
CONFORMANCE_TEST(Z6EventsOfAnAbsenceComeWithoutTheChroot) {
  const auto outside = co_await lab.open();
  const Path app = lab.parent() / "app";
  co_await create(*outside, app);
  co_await create(*outside, app / "a");
  const auto session = co_await open_below(lab, app);
  const Watch data = co_await watch_data(*session, "/a");
  co_await lab.disconnect(*session);
  co_await set_data(*outside, app / "a", "x");
  co_await lab.reconnect(*session);
  EXPECT_EQ(co_await event_of(data), WatchEvent(EventType::kChanged, "/a"));
}

}  // namespace lockstep::conformance
