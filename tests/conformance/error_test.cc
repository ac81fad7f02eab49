#include <gtest/gtest.h>

#include "conformance/conformance.h"

namespace lockstep::conformance {

CONFORMANCE_TEST_IN_SESSION(Z15CreateOfAnExistingZnodeIsAnError) {
  co_await create(session, lab.parent() / "a");
  const auto again = co_await session.create(lab.parent() / "a", "x", CreateMode::kEphemeral);
  EXPECT_EQ(error_of(again), Error::kNodeExists);
}

CONFORMANCE_TEST_IN_SESSION(Z15CreateWithoutAParentIsAnError) {
  const CreateMode modes[] = {CreateMode::kPersistent, CreateMode::kEphemeral,
                              CreateMode::kPersistentSequential, CreateMode::kEphemeralSequential,
                              CreateMode::kContainer};
  for (const CreateMode mode : modes) {
    const auto created = co_await session.create(lab.parent() / "no" / "a", Data(), mode);
    EXPECT_EQ(error_of(created), Error::kNoNode);
  }
}

CONFORMANCE_TEST_IN_SESSION(Z15AMissingParentBeatsAMalformedName) {
  const auto created =
      co_await session.create(lab.parent() / "no" / "\x7f", Data(), CreateMode::kPersistent);
  EXPECT_EQ(error_of(created), Error::kNoNode);
}

CONFORMANCE_TEST_IN_TWO_SESSIONS(Z33AnEphemeralHasNoChildren, owner, other) {
  const Path ephemeral = lab.parent() / "e";
  co_await create(owner, ephemeral, Data(), CreateMode::kEphemeral);
  const CreateMode modes[] = {CreateMode::kPersistent, CreateMode::kEphemeral,
                              CreateMode::kPersistentSequential, CreateMode::kEphemeralSequential,
                              CreateMode::kContainer};
  for (const CreateMode mode : modes) {
    const auto by_owner = co_await owner.create(ephemeral / "a", Data(), mode);
    EXPECT_EQ(error_of(by_owner), Error::kNoChildrenForEphemerals);
    const auto by_other = co_await other.create(ephemeral / "a", Data(), mode);
    EXPECT_EQ(error_of(by_other), Error::kNoChildrenForEphemerals);
  }
}

CONFORMANCE_TEST_IN_SESSION(Z16RemoveOfAMissingZnodeIsAnError) {
  EXPECT_EQ(error_of(co_await session.remove(lab.parent() / "no", 5)), Error::kNoNode);
  EXPECT_EQ(error_of(co_await session.remove(lab.parent() / "no" / "a", 7)), Error::kNoNode);
}

CONFORMANCE_TEST_ON_ZNODE(Z16BadVersionBeatsNotEmpty) {
  co_await create(session, path / "child");
  EXPECT_EQ(error_of(co_await session.remove(path, 1)), Error::kBadVersion);
  EXPECT_EQ(error_of(co_await session.remove(path, 0)), Error::kNotEmpty);
  EXPECT_EQ(error_of(co_await session.remove(path)), Error::kNotEmpty);
}

CONFORMANCE_TEST_ON_ZNODE(Z16RemoveAcceptsTheRightVersion) {
  co_await set_data(session, path, "x");
  EXPECT_EQ(error_of(co_await session.remove(path, 0)), Error::kBadVersion);
  EXPECT_EQ(error_of(co_await session.remove(path, 1)), std::nullopt);
  EXPECT_EQ(error_of(co_await session.exists(path)), Error::kNoNode);
}

CONFORMANCE_TEST_IN_TWO_SESSIONS(Z16AnySessionMayRemoveAnEphemeral, owner, other) {
  co_await create(owner, lab.parent() / "e", Data(), CreateMode::kEphemeral);
  co_await remove(other, lab.parent() / "e");
  EXPECT_EQ(error_of(co_await owner.exists(lab.parent() / "e")), Error::kNoNode);
}

CONFORMANCE_TEST_IN_SESSION(Z17SetDataChecksTheVersion) {
  const Path path = lab.parent() / "a";
  EXPECT_EQ(error_of(co_await session.set_data(path, "x", 5)), Error::kNoNode);
  co_await create(session, path);
  EXPECT_EQ(error_of(co_await session.set_data(path, "x", 1)), Error::kBadVersion);
  EXPECT_EQ(error_of(co_await session.set_data(path, "x", 0)), std::nullopt);
  EXPECT_EQ(error_of(co_await session.set_data(path, "x", 0)), Error::kBadVersion);
  EXPECT_EQ(error_of(co_await session.set_data(path, "x", -1)), std::nullopt);
}

CONFORMANCE_TEST_ON_ZNODE(Z19OnlyMinusOneMatchesAnyVersion) {
  EXPECT_EQ(error_of(co_await session.set_data(path, "x", -2)), Error::kBadVersion);
  EXPECT_EQ(error_of(co_await session.remove(path, -2)), Error::kBadVersion);
}

CONFORMANCE_TEST_IN_SESSION(Z20ReadsOfAMissingZnodeAreErrors) {
  const Path path = lab.parent() / "no";
  EXPECT_EQ(error_of(co_await session.exists(path)), Error::kNoNode);
  EXPECT_EQ(error_of(co_await session.get_data(path)), Error::kNoNode);
  EXPECT_EQ(error_of(co_await session.get_data_watched(path)), Error::kNoNode);
  EXPECT_EQ(error_of(co_await session.get_children(path)), Error::kNoNode);
  EXPECT_EQ(error_of(co_await session.get_children_watched(path)), Error::kNoNode);
}

CONFORMANCE_TEST_IN_SESSION(Z24SyncDoesNotLookAtThePath) {
  EXPECT_EQ(error_of(co_await session.sync(lab.parent())), std::nullopt);
  EXPECT_EQ(error_of(co_await session.sync(lab.parent() / "no" / "such")), std::nullopt);
}

CONFORMANCE_TEST_IN_TWO_SESSIONS(Z33SetDataByAnotherSessionKeepsTheOwner, owner, other) {
  co_await create(owner, lab.parent() / "e", Data(), CreateMode::kEphemeral);
  EXPECT_EQ((co_await set_data(other, lab.parent() / "e", "x")).ephemeral_owner, owner.id());
}

}  // namespace lockstep::conformance
