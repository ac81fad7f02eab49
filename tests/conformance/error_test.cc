#include <gtest/gtest.h>

#include "conformance/conformance.h"

namespace lockstep::conformance {

CONFORMANCE_TEST(Z15CreateOfAnExistingZnodeIsAnError) {
  const auto session = co_await lab.open();
  co_await create(*session, lab.parent() / "a");
  const auto again = co_await session->create(lab.parent() / "a", "x", CreateMode::kEphemeral);
  EXPECT_EQ(error_of(again), Error::kNodeExists);
}

CONFORMANCE_TEST(Z15CreateWithoutAParentIsAnError) {
  const auto session = co_await lab.open();
  const CreateMode modes[] = {CreateMode::kPersistent, CreateMode::kEphemeral,
                              CreateMode::kPersistentSequential, CreateMode::kEphemeralSequential,
                              CreateMode::kContainer};
  for (const CreateMode mode : modes) {
    const auto created = co_await session->create(lab.parent() / "no" / "a", Data(), mode);
    EXPECT_EQ(error_of(created), Error::kNoNode);
  }
}

CONFORMANCE_TEST(Z15AMissingParentBeatsAMalformedName) {
  const auto session = co_await lab.open();
  const auto created =
      co_await session->create(lab.parent() / "no" / "\x7f", Data(), CreateMode::kPersistent);
  EXPECT_EQ(error_of(created), Error::kNoNode);
}

CONFORMANCE_TEST(Z33AnEphemeralHasNoChildren) {
  const auto owner = co_await lab.open();
  const auto other = co_await lab.open();
  const Path ephemeral = lab.parent() / "e";
  co_await create(*owner, ephemeral, Data(), CreateMode::kEphemeral);
  const CreateMode modes[] = {CreateMode::kPersistent, CreateMode::kEphemeral,
                              CreateMode::kPersistentSequential, CreateMode::kEphemeralSequential,
                              CreateMode::kContainer};
  for (const CreateMode mode : modes) {
    const auto by_owner = co_await owner->create(ephemeral / "a", Data(), mode);
    EXPECT_EQ(error_of(by_owner), Error::kNoChildrenForEphemerals);
    const auto by_other = co_await other->create(ephemeral / "a", Data(), mode);
    EXPECT_EQ(error_of(by_other), Error::kNoChildrenForEphemerals);
  }
}

CONFORMANCE_TEST(Z16RemoveOfAMissingZnodeIsAnError) {
  const auto session = co_await lab.open();
  const auto missing = co_await session->remove(lab.parent() / "no", 5);
  EXPECT_EQ(error_of(missing), Error::kNoNode);
  const auto without_parent = co_await session->remove(lab.parent() / "no" / "a", 7);
  EXPECT_EQ(error_of(without_parent), Error::kNoNode);
}

CONFORMANCE_TEST_ON_ZNODE(Z16BadVersionBeatsNotEmpty) {
  co_await create(session, path / "child");
  const auto wrong = co_await session.remove(path, 1);
  EXPECT_EQ(error_of(wrong), Error::kBadVersion);
  const auto right = co_await session.remove(path, 0);
  EXPECT_EQ(error_of(right), Error::kNotEmpty);
  const auto any = co_await session.remove(path);
  EXPECT_EQ(error_of(any), Error::kNotEmpty);
}

CONFORMANCE_TEST_ON_ZNODE(Z16RemoveAcceptsTheRightVersion) {
  co_await set_data(session, path, "x");
  const auto stale = co_await session.remove(path, 0);
  EXPECT_EQ(error_of(stale), Error::kBadVersion);
  const auto removed = co_await session.remove(path, 1);
  EXPECT_EQ(error_of(removed), std::nullopt);
  const auto gone = co_await session.exists(path);
  EXPECT_EQ(error_of(gone), Error::kNoNode);
}

CONFORMANCE_TEST(Z16AnySessionMayRemoveAnEphemeral) {
  const auto owner = co_await lab.open();
  const auto other = co_await lab.open();
  co_await create(*owner, lab.parent() / "e", Data(), CreateMode::kEphemeral);
  co_await remove(*other, lab.parent() / "e");
  const auto gone = co_await owner->exists(lab.parent() / "e");
  EXPECT_EQ(error_of(gone), Error::kNoNode);
}

CONFORMANCE_TEST(Z17SetDataChecksTheVersion) {
  const auto session = co_await lab.open();
  const Path path = lab.parent() / "a";
  const auto missing = co_await session->set_data(path, "x", 5);
  EXPECT_EQ(error_of(missing), Error::kNoNode);
  co_await create(*session, path);
  const auto wrong = co_await session->set_data(path, "x", 1);
  EXPECT_EQ(error_of(wrong), Error::kBadVersion);
  const auto right = co_await session->set_data(path, "x", 0);
  EXPECT_EQ(error_of(right), std::nullopt);
  const auto stale = co_await session->set_data(path, "x", 0);
  EXPECT_EQ(error_of(stale), Error::kBadVersion);
  const auto any = co_await session->set_data(path, "x", -1);
  EXPECT_EQ(error_of(any), std::nullopt);
}

CONFORMANCE_TEST_ON_ZNODE(Z19OnlyMinusOneMatchesAnyVersion) {
  const auto set = co_await session.set_data(path, "x", -2);
  EXPECT_EQ(error_of(set), Error::kBadVersion);
  const auto removed = co_await session.remove(path, -2);
  EXPECT_EQ(error_of(removed), Error::kBadVersion);
}

CONFORMANCE_TEST(Z20ReadsOfAMissingZnodeAreErrors) {
  const auto session = co_await lab.open();
  const Path path = lab.parent() / "no";
  const auto exists = co_await session->exists(path);
  EXPECT_EQ(error_of(exists), Error::kNoNode);
  const auto data = co_await session->get_data(path);
  EXPECT_EQ(error_of(data), Error::kNoNode);
  const auto watched_data = co_await session->get_data_watched(path);
  EXPECT_EQ(error_of(watched_data), Error::kNoNode);
  const auto children = co_await session->get_children(path);
  EXPECT_EQ(error_of(children), Error::kNoNode);
  const auto watched_children = co_await session->get_children_watched(path);
  EXPECT_EQ(error_of(watched_children), Error::kNoNode);
}

CONFORMANCE_TEST(Z24SyncDoesNotLookAtThePath) {
  const auto session = co_await lab.open();
  const auto there = co_await session->sync(lab.parent());
  EXPECT_EQ(error_of(there), std::nullopt);
  const auto missing = co_await session->sync(lab.parent() / "no" / "such");
  EXPECT_EQ(error_of(missing), std::nullopt);
}

CONFORMANCE_TEST(Z33SetDataByAnotherSessionKeepsTheOwner) {
  const auto owner = co_await lab.open();
  const auto other = co_await lab.open();
  co_await create(*owner, lab.parent() / "e", Data(), CreateMode::kEphemeral);
  const Stat stat = co_await set_data(*other, lab.parent() / "e", "x");
  EXPECT_EQ(stat.ephemeral_owner, owner->id());
}

}  // namespace lockstep::conformance
