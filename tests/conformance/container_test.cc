#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "conformance/conformance.h"

// The server removes a container znode after its last child.
namespace lockstep::conformance {

namespace {

// Creates a container that has had a child.
Task<Path> create_used(Session& session, Path path) {
  co_await create(session, path, Data(), CreateMode::kContainer);
  co_await create(session, path / "child");
  co_await remove(session, path / "child");
  co_return path;
}

Task<void> wait_until_removed(Session& session, Path path) {
  auto watched = must(co_await session.exists_watched(std::move(path)), "exists_watched");
  if (!watched.value) co_return;
  EXPECT_EQ((co_await event_of(watched.watch)).type(), EventType::kDeleted);
}

// Waits until the server has checked all containers that exist now. One check removes the
// containers it finds in any order, hence two rounds.
Task<void> wait_for_a_check(Session& session, Path parent) {
  for (int i = 0; i < 2; ++i) {
    const Path probe = co_await create_used(session, parent / "probe");
    co_await wait_until_removed(session, probe);
  }
}

}  // namespace

CONFORMANCE_TEST_IN_SESSION(Z36AUsedContainerIsRemoved) {
  const Path path = co_await create_used(session, lab.parent() / "c");
  co_await wait_until_removed(session, path);
  EXPECT_EQ(error_of(co_await session.exists(path)), Error::kNoNode);
}

CONFORMANCE_TEST_IN_SESSION(Z36AContainerThatWasNeverUsedStays) {
  const Path path = lab.parent() / "c";
  const Created created = co_await create(session, path, Data(), CreateMode::kContainer);
  co_await set_data(session, path, "x");  // A write does not count as use.
  co_await wait_for_a_check(session, lab.parent());
  const Stat stat = co_await stat_of(session, path);
  EXPECT_EQ(stat.czxid, created.stat.czxid);
}

CONFORMANCE_TEST_IN_SESSION(Z36AContainerStaysWhileItHasAChild) {
  const auto owner = co_await lab.open();
  const Path path = co_await create_used(session, lab.parent() / "c");
  // The container may be gone before the child is created.
  for (;;) {
    const auto child = co_await owner->create(path / "e", Data(), CreateMode::kEphemeral);
    if (error_of(child) == std::nullopt) break;
    EXPECT_EQ(error_of(child), Error::kNoNode);
    co_await create(session, path, Data(), CreateMode::kContainer);
  }
  co_await wait_for_a_check(session, lab.parent());
  co_await stat_of(session, path);
  must(co_await owner->close(), "close");
  co_await wait_until_removed(session, path);
}

CONFORMANCE_TEST_ON_ZNODE(Z36AnOrdinaryZnodeStays) {
  co_await create(session, path / "child");
  co_await remove(session, path / "child");
  co_await wait_for_a_check(session, lab.parent());
  EXPECT_EQ((co_await stat_of(session, path)).cversion, 2);
}

CONFORMANCE_TEST_IN_SESSION(Z36TheCounterOfARecreatedContainerStartsAgain) {
  const Path path = co_await create_used(session, lab.parent() / "c");
  co_await wait_until_removed(session, path);
  const auto orphan =
      co_await session.create(path / "n-", Data(), CreateMode::kEphemeralSequential);
  EXPECT_EQ(error_of(orphan), Error::kNoNode);
  co_await create(session, path, Data(), CreateMode::kContainer);
  const Created first =
      co_await create(session, path / "n-", Data(), CreateMode::kEphemeralSequential);
  EXPECT_EQ(first.path, path / "n-0000000000");
}

CONFORMANCE_TEST_IN_SESSION(Z36TheParentOfARemovedContainerChanges) {
  const Path path = co_await create_used(session, lab.parent() / "c");
  const Stat before = co_await stat_of(session, lab.parent());
  co_await wait_until_removed(session, path);
  const Stat after = co_await stat_of(session, lab.parent());
  EXPECT_EQ(after.num_children, 0);
  EXPECT_EQ(after.cversion, 2);
  EXPECT_GE(after.pzxid, before.pzxid);
  EXPECT_EQ(after.mzxid, before.mzxid);
}

CONFORMANCE_TEST_IN_SESSION(Z36NestedContainersGoOneAfterTheOther) {
  const Path outer = lab.parent() / "outer";
  co_await create(session, outer, Data(), CreateMode::kContainer);
  const Path inner = co_await create_used(session, outer / "inner");
  co_await wait_until_removed(session, outer);
  EXPECT_EQ(error_of(co_await session.exists(inner)), Error::kNoNode);
}

CONFORMANCE_TEST_IN_SESSION(Z40TheEndOfAContainerFiresLikeARemoval) {
  const Path path = lab.parent() / "c";
  co_await create(session, path, Data(), CreateMode::kContainer);
  co_await create(session, path / "child");
  const Watch data = co_await watch_data(session, path);
  const Watch exists = co_await watch_exists(session, path);
  const Watch parent = co_await watch_children(session, lab.parent());
  co_await remove(session, path / "child");
  EXPECT_EQ(co_await event_of(data), WatchEvent(EventType::kDeleted, path));
  EXPECT_EQ(co_await event_of(exists), WatchEvent(EventType::kDeleted, path));
  EXPECT_EQ(co_await event_of(parent), WatchEvent(EventType::kChild, lab.parent()));
}

// The server itself removes the container, so no ACL applies.
CONFORMANCE_TEST_IN_SESSION(Z36AContainerIsRemovedWhateverTheAclsSay) {
  const Path holder = lab.parent() / "holder";
  co_await create(session, holder);
  const Path path = holder / "c";
  co_await create(session, path, Data(), CreateMode::kContainer);
  co_await create(session, path / "child");
  const Watch parent = co_await watch_children(session, holder);
  co_await set_acl(session, holder, Acl::read_only());
  co_await remove(session, path / "child");
  co_await event_of(parent);
  EXPECT_EQ(error_of(co_await session.exists(path)), Error::kNoNode);
}

// For containers, the operations of a multi count like single requests.
CONFORMANCE_TEST_IN_SESSION(Z36AContainerCanBeUsedByAMulti) {
  const Path path = lab.parent() / "c";
  co_await create(session, path, Data(), CreateMode::kContainer);
  co_await commit(session,
                  Transaction().create(path / "child", Data(), kPlain).remove(path / "child"));
  co_await wait_until_removed(session, path);
}

}  // namespace lockstep::conformance
