#include <gtest/gtest.h>

#include <chrono>
#include <utility>

#include "conformance/conformance.h"
#include "lockstep/sleep.h"

// The server removes a TTL znode whose data has not been set for its TTL.
namespace lockstep::conformance {

namespace {

constexpr std::chrono::milliseconds kSoon(200);
constexpr std::chrono::milliseconds kNever = std::chrono::hours(24);

Creation with_ttl(std::chrono::milliseconds ttl) { return {CreateMode::kPersistentWithTtl, ttl}; }

// The time when the session is notified that the znode has gone.
Task<TimePoint> removal_of(Session& session, Path path) {
  auto watched = must(co_await session.exists_watched(std::move(path)), "exists_watched");
  if (watched.value) {
    EXPECT_EQ((co_await event_of(watched.watch)).type(), EventType::kDeleted);
  }
  co_return session.executor().now();
}

}  // namespace

CONFORMANCE_TEST_IN_SESSION(Z37AZnodeIsRemovedAfterItsTtl) {
  const Path path = lab.parent() / "t";
  const TimePoint before = lab.executor().now();
  co_await create(session, path, Data(), with_ttl(kSoon));
  const TimePoint removed = co_await removal_of(session, path);
  EXPECT_GT(removed, before + kSoon);
  EXPECT_LE(removed, before + kSoon + lab.container_check_interval() + lab.lateness());
  EXPECT_EQ(error_of(co_await session.exists(path)), Error::kNoNode);
}

// An attempt may be too late on a busy machine and is repeated.
CONFORMANCE_TEST_IN_SESSION(Z37SettingTheDataStartsTheTtlAgain) {
  const std::chrono::milliseconds ttl(1000);
  for (;;) {
    const Path path = lab.parent() / "t";
    co_await create(session, path, Data(), with_ttl(ttl));
    must(co_await sleep_for(lab.executor(), ttl / 2), "sleep");
    const TimePoint before = lab.executor().now();
    const auto set = co_await session.set_data(path, Data());
    if (error_of(set) == Error::kNoNode) continue;
    EXPECT_GT(co_await removal_of(session, path), before + ttl);
    break;
  }
}

// A child keeps the znode alive, but does not restart its TTL.
CONFORMANCE_TEST_IN_SESSION(Z37AZnodeWithAChildOutlivesItsTtl) {
  const Path kept = lab.parent() / "kept";
  co_await create(session, kept, Data(), with_ttl(std::chrono::seconds(2)));
  co_await create(session, kept / "child");
  co_await create(session, lab.parent() / "t", Data(), with_ttl(std::chrono::seconds(2)));
  co_await removal_of(session, lab.parent() / "t");
  co_await create(session, lab.parent() / "t", Data(), with_ttl(kSoon));
  co_await removal_of(session, lab.parent() / "t");  // A later check removes this one.
  EXPECT_EQ((co_await stat_of(session, kept)).num_children, 1);
  const TimePoint before = lab.executor().now();
  co_await remove(session, kept / "child");
  const TimePoint removed = co_await removal_of(session, kept);
  EXPECT_LE(removed, before + lab.container_check_interval() + lab.lateness());
}

CONFORMANCE_TEST_IN_SESSION(Z37TheEndOfATtlFiresLikeARemoval) {
  const Path path = lab.parent() / "t";
  const Watch parent_before = co_await watch_children(session, lab.parent());
  const Watch exists = co_await watch_exists(session, path);
  co_await create(session, path, Data(), with_ttl(kSoon));
  co_await event_of(exists);
  co_await event_of(parent_before);
  const Watch parent = co_await watch_children(session, lab.parent());
  const auto watched = must(co_await session.exists_watched(path), "exists_watched");
  if (!watched.value) co_return;  // On a busy machine the znode is already gone.
  EXPECT_EQ(co_await event_of(watched.watch), WatchEvent(EventType::kDeleted, path));
  EXPECT_EQ(co_await event_of(parent), WatchEvent(EventType::kChild, lab.parent()));
}

CONFORMANCE_TEST_IN_SESSION(Z11AZnodeWithATtlHasNoOwner) {
  const Created created = co_await create(session, lab.parent() / "t", "x", with_ttl(kNever));
  EXPECT_EQ(created.path, lab.parent() / "t");
  EXPECT_EQ(created.stat.ephemeral_owner, 0);
  EXPECT_EQ(co_await stat_of(session, created.path), created.stat);
}

CONFORMANCE_TEST_IN_SESSION(Z29AZnodeWithATtlCanBeSequential) {
  co_await create(session, lab.parent() / "plain", Data(), with_ttl(kNever));
  const Creation sequential(CreateMode::kPersistentSequentialWithTtl, kNever);
  const Created created = co_await create(session, lab.parent() / "t-", Data(), sequential);
  EXPECT_EQ(created.path, lab.parent() / "t-0000000001");
}

CONFORMANCE_TEST_IN_SESSION(Z33AZnodeWithATtlMayHaveChildren) {
  const Path path = lab.parent() / "t";
  co_await create(session, path, Data(), with_ttl(kNever));
  co_await create(session, path / "child", Data(), CreateMode::kEphemeral);
  EXPECT_EQ((co_await stat_of(session, path)).num_children, 1);
}

CONFORMANCE_TEST_IN_SESSION(Z33AnEphemeralHasNoChildrenWithATtlEither) {
  const Path path = lab.parent() / "e";
  co_await create(session, path, Data(), CreateMode::kEphemeral);
  const auto created = co_await session.create(path / "t", Data(), with_ttl(kNever));
  EXPECT_EQ(error_of(created), Error::kNoChildrenForEphemerals);
}

CONFORMANCE_TEST_IN_SESSION(Z15ATtlHasFortyBits) {
  const std::chrono::milliseconds most((std::int64_t{1} << 40) - 1);
  const CreateMode modes[] = {CreateMode::kPersistentWithTtl,
                              CreateMode::kPersistentSequentialWithTtl};
  for (const CreateMode mode : modes) {
    const std::chrono::milliseconds outside[] = {
        std::chrono::milliseconds(0), std::chrono::milliseconds(-1),
        most + std::chrono::milliseconds(1), std::chrono::milliseconds::max()};
    for (const std::chrono::milliseconds ttl : outside) {
      const auto created = co_await session.create(lab.parent() / "t", Data(), Creation(mode, ttl));
      EXPECT_EQ(error_of(created), Error::kBadArguments) << ttl.count();
    }
    const auto longest = co_await session.create(lab.parent() / "t", Data(), Creation(mode, most));
    EXPECT_EQ(error_of(longest), std::nullopt);
  }
}

CONFORMANCE_TEST_IN_SESSION(Z15OtherModesHaveNoTtl) {
  const CreateMode modes[] = {CreateMode::kPersistent, CreateMode::kEphemeral,
                              CreateMode::kPersistentSequential, CreateMode::kEphemeralSequential,
                              CreateMode::kContainer};
  for (const CreateMode mode : modes) {
    const Creation with(mode, std::chrono::milliseconds(1));
    const auto created = co_await session.create(lab.parent() / "t", Data(), with);
    EXPECT_EQ(error_of(created), Error::kBadArguments);
  }
}

}  // namespace lockstep::conformance
