// SessionOptions: a client's credentials, and the ACL of the znodes that it creates.
#include <gtest/gtest.h>

#include <chrono>
#include <utility>

#include "conformance/conformance.h"
#include "conformance/identities.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/read_write_lock.h"
#include "lockstep/semaphore.h"
#include "lockstep/unfair_mutex.h"

namespace lockstep::conformance {

namespace {

SessionOptions as(const char* user_and_password, Acl acl = Acl::creator_only()) {
  SessionOptions options;
  options.auth.emplace_back("digest", user_and_password);
  options.default_acl = std::move(acl);
  return options;
}

Task<void> expect_closed_to(Session& stranger, Path lock, Path contender) {
  EXPECT_EQ(error_of(co_await stranger.remove(contender)), Error::kNoAuth);
  EXPECT_EQ(error_of(co_await stranger.set_data(contender, Data("__REVOKE__"))), Error::kNoAuth);
  const auto in_front =
      co_await stranger.create(lock / "_c_x-lock-", Data(), CreateMode::kEphemeralSequential);
  EXPECT_EQ(error_of(in_front), Error::kNoAuth);
  EXPECT_EQ(error_of(co_await stranger.set_acl(lock, Acl::open())), Error::kNoAuth);
}

}  // namespace

CONFORMANCE_TEST(Z77OnlyItsCreatorsMayTouchALock) {
  const auto ann = co_await lab.open(as(kAnn));
  const auto bob = co_await lab.open(as(kBob));
  const Path path = lab.parent() / "locks" / "nightly";
  FairMutex mutex(*ann, path);
  const HeldLock held = must(co_await mutex.acquire(), "acquire");
  co_await expect_closed_to(*bob, path, held.znode());
  FairMutex not_his(*bob, path);
  EXPECT_EQ(error_of(co_await not_his.acquire()), Error::kNoAuth);
  EXPECT_EQ(held.state(), LockState::kHeld);
}

CONFORMANCE_TEST(Z77SessionsWithTheSameIdentityShareTheLock) {
  const auto first = co_await lab.open(as(kAnn));
  const auto second = co_await lab.open(as(kAnn));
  FairMutex mutex(*first, lab.parent() / "lock");
  HeldLock held = must(co_await mutex.acquire(), "acquire");
  FairMutex another(*second, lab.parent() / "lock");
  EXPECT_EQ(error_of(co_await another.try_acquire()), Error::kConflict);
  EXPECT_EQ(co_await held.release(), ReleaseOutcome::kReleased);
  const HeldLock next = must(co_await another.acquire(), "acquire");
  EXPECT_GT(next.fencing_token(), held.fencing_token());
}

CONFORMANCE_TEST(Z77EveryRecipeCreatesWithTheDefaultAcl) {
  const auto ann = co_await lab.open(as(kAnn));
  const auto stranger = co_await lab.open();
  ReadWriteLock read_write(*ann, lab.parent() / "rw");
  HeldLock writer = must(co_await read_write.acquire_write(), "acquire_write");
  // downgrade() creates its znode in a multi.
  must(co_await read_write.downgrade(writer), "downgrade");
  co_await expect_closed_to(*stranger, lab.parent() / "rw", writer.znode());
  EXPECT_EQ(error_of(co_await stranger->get_data(writer.znode())), Error::kNoAuth);
  Semaphore semaphore(*ann, lab.parent() / "semaphore", 1);
  const HeldLock lease = must(co_await semaphore.acquire(), "acquire");
  co_await expect_closed_to(*stranger, lab.parent() / "semaphore" / "leases", lease.znode());
  UnfairMutex unfair(*ann, lab.parent() / "unfair" / "lock");
  const HeldLock held = must(co_await unfair.acquire(), "acquire");
  co_await expect_closed_to(*stranger, lab.parent() / "unfair", held.znode());
}

CONFORMANCE_TEST(Z77AChrootIsCreatedWithTheDefaultAcl) {
  const auto outside = co_await lab.open();
  const Path app = lab.parent() / "team" / "app";
  Client& client = lab.add_client(Lab::kLongSessionTimeout, app, as(kAnn));
  const auto session = must(co_await client.session(Context()), "open");
  FairMutex mutex(*session, "/lock");
  const HeldLock held = must(co_await mutex.acquire(), "acquire");
  const auto beside = co_await outside->create(app / "x", Data(), CreateMode::kPersistent);
  EXPECT_EQ(error_of(beside), Error::kNoAuth);
}

CONFORMANCE_TEST(Z77ALockMayHaveItsOwnAcl) {
  const auto ann = co_await lab.open(as(kAnn));
  const auto stranger = co_await lab.open();
  LockOptions options;
  options.acl = Acl::open();
  FairMutex mutex(*ann, lab.parent() / "open", std::move(options));
  HeldLock held = must(co_await mutex.acquire(), "acquire");
  const Acl acl = co_await acl_of(*stranger, held.znode());
  EXPECT_TRUE(acl.is_open());
  co_await remove(*stranger, held.znode());
}

CONFORMANCE_TEST(Z77AnExplicitAclReplacesTheDefaultAcl) {
  const auto ann = co_await lab.open(as(kAnn));
  const Creation open(CreateMode::kPersistent, Acl::open());
  co_await create(*ann, lab.parent() / "open", Data(), open);
  co_await commit(*ann, Transaction()
                            .create(lab.parent() / "a", Data(), CreateMode::kPersistent)
                            .create(lab.parent() / "b", Data(), open));
  const Acl of_open = co_await acl_of(*ann, lab.parent() / "open");
  EXPECT_TRUE(of_open.is_open());
  const Acl of_a = co_await acl_of(*ann, lab.parent() / "a");
  EXPECT_EQ(of_a, digest(permission::kAll, kAnnId));
  const Acl of_b = co_await acl_of(*ann, lab.parent() / "b");
  EXPECT_TRUE(of_b.is_open());
}

CONFORMANCE_TEST(Z77ACreatorOnlyDefaultAclNeedsAnIdentity) {
  SessionOptions options;
  options.default_acl = Acl::creator_only();  // The session has no identity.
  const auto session = co_await lab.open(std::move(options));
  FairMutex mutex(*session, lab.parent() / "lock");
  EXPECT_EQ(error_of(co_await mutex.acquire()), Error::kInvalidAcl);
}

CONFORMANCE_TEST(Z77TheIdentityIsShownAgainAfterAReconnect) {
  const auto session = co_await lab.open(as(kAnn));
  FairMutex mutex(*session, lab.parent() / "lock");
  HeldLock held = must(co_await mutex.acquire(), "acquire");
  co_await lab.disconnect(*session);
  co_await lab.reconnect(*session);
  EXPECT_EQ(co_await held.release(), ReleaseOutcome::kReleased);
}

CONFORMANCE_TEST(Z77TheNextSessionShowsTheSameIdentity) {
  co_await lab.open();
  Client& client = lab.add_client(Lab::kLongSessionTimeout, Path(), as(kAnn));
  const auto first = must(co_await client.session(Context()), "open");
  const SessionId id = first->id();
  co_await lab.kill(*first);
  const auto over = co_await first->sync("/");
  EXPECT_FALSE(over);
  const auto second = must(co_await client.session(Context()), "open");
  EXPECT_NE(second->id(), id);
  FairMutex mutex(*second, lab.parent() / "lock");
  const HeldLock held = must(co_await mutex.acquire(), "acquire");
  const Acl acl = co_await acl_of(*second, held.znode());
  EXPECT_EQ(acl, digest(permission::kAll, kAnnId));
}

CONFORMANCE_TEST(Z77SeveralIdentitiesAreAllShown) {
  SessionOptions options = as(kAnn);
  options.auth.emplace_back("digest", kBob);
  const auto session = co_await lab.open(std::move(options));
  co_await create(*session, lab.parent() / "a");
  const Acl acl = co_await acl_of(*session, lab.parent() / "a");
  EXPECT_EQ(acl.entries().size(), 2U);
}

// The acquire fails with that error before its deadline; it does not hang.
CONFORMANCE_TEST(Z66ACredentialThatIsRejectedIsAnErrorOfTheLock) {
  co_await lab.open();
  SessionOptions options;
  options.auth.emplace_back("unknown", "x");
  Client& client = lab.add_client(Lab::kLongSessionTimeout, Path(), options);
  const Context deadline(lab.executor().now() + std::chrono::seconds(20));
  const auto session = co_await client.session(deadline);
  std::optional<Error> error = error_of(session);
  if (session) {
    FairMutex mutex(**session, lab.parent() / "lock");
    const auto held = co_await mutex.acquire(deadline);
    error = error_of(held);
  }
  EXPECT_EQ(error, Error::kAuthFailed);
}

}  // namespace lockstep::conformance
