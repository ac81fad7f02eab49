#include <gtest/gtest.h>

#include "conformance/conformance.h"

namespace lockstep::conformance {

namespace {

Task<std::string> create_sequential(Session& session, Path prefix) {
  const Created created =
      co_await create(session, std::move(prefix), Data(), CreateMode::kPersistentSequential);
  co_return std::string(created.path.name());
}

}  // namespace

CONFORMANCE_TEST_IN_SESSION(Z29TheSuffixHasTenDigits) {
  const Created created =
      co_await create(session, lab.parent() / "n-", Data(), CreateMode::kEphemeralSequential);
  EXPECT_EQ(created.path, lab.parent() / "n-0000000000");
}

CONFORMANCE_TEST_IN_SESSION(Z29EveryCreateOfAChildCountsAndNoRemoveDoes) {
  const Path parent = lab.parent();
  EXPECT_EQ(co_await create_sequential(session, parent / "a"), "a0000000000");
  co_await create(session, parent / "plain");
  EXPECT_EQ(co_await create_sequential(session, parent / "b"), "b0000000002");
  co_await remove(session, parent / "plain");
  EXPECT_EQ(co_await create_sequential(session, parent / "c"), "c0000000003");
  co_await create(session, parent / "e", Data(), CreateMode::kEphemeral);
  EXPECT_EQ(co_await create_sequential(session, parent / "d"), "d0000000005");
}

CONFORMANCE_TEST_IN_SESSION(Z29AFailedCreateDoesNotCount) {
  co_await create(session, lab.parent() / "plain");
  const auto again =
      co_await session.create(lab.parent() / "plain", Data(), CreateMode::kPersistent);
  EXPECT_EQ(error_of(again), Error::kNodeExists);
  EXPECT_EQ(co_await create_sequential(session, lab.parent() / "n-"), "n-0000000001");
}

CONFORMANCE_TEST_IN_SESSION(Z30PrefixesShareTheCounterOfTheirParent) {
  EXPECT_EQ(co_await create_sequential(session, lab.parent() / "a-"), "a-0000000000");
  EXPECT_EQ(co_await create_sequential(session, lab.parent() / "b-"), "b-0000000001");
  EXPECT_EQ(co_await create_sequential(session, lab.parent() / "a-"), "a-0000000002");
}

CONFORMANCE_TEST_IN_SESSION(Z30ParentsCountSeparately) {
  co_await create(session, lab.parent() / "p");
  co_await create(session, lab.parent() / "q");
  EXPECT_EQ(co_await create_sequential(session, lab.parent() / "p" / "n-"), "n-0000000000");
  EXPECT_EQ(co_await create_sequential(session, lab.parent() / "q" / "n-"), "n-0000000000");
}

CONFORMANCE_TEST_IN_SESSION(Z30ARecreatedParentStartsAgain) {
  const Path lock = lab.parent() / "lock";
  co_await create(session, lock);
  co_await create_sequential(session, lock / "n-");
  EXPECT_EQ(co_await create_sequential(session, lock / "n-"), "n-0000000001");
  co_await remove(session, lock / "n-0000000000");
  co_await remove(session, lock / "n-0000000001");
  co_await remove(session, lock);
  co_await create(session, lock);
  EXPECT_EQ(co_await create_sequential(session, lock / "n-"), "n-0000000000");
}

// The server checks the name with its number, so a znode with the plain prefix may exist.
CONFORMANCE_TEST_IN_SESSION(Z29ThePrefixMayExist) {
  co_await create(session, lab.parent() / "n-");
  EXPECT_EQ(co_await create_sequential(session, lab.parent() / "n-"), "n-0000000001");
}

CONFORMANCE_TEST_IN_SESSION(Z29AnExistingNameWithTheNumberIsAnError) {
  co_await create(session, lab.parent() / "n-0000000001");
  const auto taken =
      co_await session.create(lab.parent() / "n-", Data(), CreateMode::kPersistentSequential);
  EXPECT_EQ(error_of(taken), Error::kNodeExists);
  // The failed create did not count, so the number is unchanged.
  const auto still =
      co_await session.create(lab.parent() / "n-", Data(), CreateMode::kPersistentSequential);
  EXPECT_EQ(error_of(still), Error::kNodeExists);
}

CONFORMANCE_TEST_IN_SESSION(Z3ThePathIsJudgedWithItsNumber) {
  const Path parent = lab.parent();
  EXPECT_EQ(co_await create_sequential(session, parent.string() + "/"), "0000000000");
  EXPECT_EQ(co_await create_sequential(session, parent.string() + "/."), ".0000000001");
  EXPECT_EQ(co_await create_sequential(session, parent.string() + "/.."), "..0000000002");
}

CONFORMANCE_TEST_IN_TWO_SESSIONS(Z29SessionsShareTheCounter, a, b) {
  EXPECT_EQ(co_await create_sequential(a, lab.parent() / "n-"), "n-0000000000");
  EXPECT_EQ(co_await create_sequential(b, lab.parent() / "n-"), "n-0000000001");
  EXPECT_EQ(co_await create_sequential(a, lab.parent() / "n-"), "n-0000000002");
}

}  // namespace lockstep::conformance
