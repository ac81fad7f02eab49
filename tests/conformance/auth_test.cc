#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "conformance/conformance.h"
#include "conformance/identities.h"
#include "conformance/zxids.h"
#include "support/session_waits.h"

// Identities of a session.
namespace lockstep::conformance {

namespace {

const Creation kForItsCreator(CreateMode::kPersistent, Acl::creator_only());

Task<std::optional<Error>> error_of_reading(Session& session, Path path) {
  const auto read = co_await session.get_data(std::move(path));
  co_return error_of(read);
}

}  // namespace

CONFORMANCE_TEST_IN_TWO_SESSIONS(Z77ACreatorKeepsAZnodeToItself, ann, bob) {
  co_await add_auth(ann, kAnn);
  co_await add_auth(bob, kBob);
  const Path path = lab.parent() / "a";
  co_await create(ann, path, "x", kForItsCreator);
  const auto own = co_await error_of_reading(ann, path);
  EXPECT_EQ(own, std::nullopt);
  const auto foreign = co_await error_of_reading(bob, path);
  EXPECT_EQ(foreign, Error::kNoAuth);
  const Acl acl = co_await acl_of(ann, path);
  EXPECT_EQ(acl, digest(permission::kAll, kAnnId));
}

CONFORMANCE_TEST(Z77AnIdentityCanComeLater) {
  const auto owner = co_await lab.open();
  const Path path = lab.parent() / "a";
  const Creation for_ann(CreateMode::kPersistent, digest(permission::kRead, kAnnId));
  co_await create(*owner, path, "x", for_ann);
  auto read = co_await error_of_reading(*owner, path);
  EXPECT_EQ(read, Error::kNoAuth);
  co_await add_auth(*owner, "ann:wrong");  // There is no wrong password: it makes another identity.
  read = co_await error_of_reading(*owner, path);
  EXPECT_EQ(read, Error::kNoAuth);
  co_await add_auth(*owner, kAnn);
  read = co_await error_of_reading(*owner, path);
  EXPECT_EQ(read, std::nullopt);
}

CONFORMANCE_TEST_IN_SESSION(Z77AuthIsEveryIdentityOfTheSession) {
  co_await add_auth(session, kAnn);
  co_await add_auth(session, kBob);
  co_await add_auth(session, kAnn);
  co_await create(session, lab.parent() / "a", Data(), kForItsCreator);
  const Acl acl = co_await acl_of(session, lab.parent() / "a");
  std::vector<AclEntry> entries(acl.entries().begin(), acl.entries().end());
  std::ranges::sort(entries, {}, &AclEntry::id);
  const std::vector<AclEntry> expected = {{permission::kAll, "digest", kAnnId},
                                          {permission::kAll, "digest", kBobId}};
  EXPECT_EQ(entries, expected);
}

CONFORMANCE_TEST_IN_SESSION(Z77AuthIsExpandedInSetAclToo) {
  co_await add_auth(session, kAnn);
  const Path path = lab.parent() / "a";
  co_await create(session, path);
  const Acl acl =
      both(anyone(permission::kRead), only(permission::kWrite, "auth", "whatever stands here"));
  co_await set_acl(session, path, acl);
  co_await set_acl(session, lab.parent(), Acl::open());
  const AclAndStat read = must(co_await session.get_acl(path), "get_acl");
  EXPECT_EQ(read.acl, both(anyone(permission::kRead), digest(permission::kWrite, "ann:x")));
}

// The server removes duplicates before it expands "auth".
CONFORMANCE_TEST_IN_SESSION(Z77AuthMayExpandToADuplicate) {
  co_await add_auth(session, kAnn);
  const Acl ann = digest(permission::kAll, kAnnId);
  const Creation creation(CreateMode::kPersistent, both(Acl::creator_only(), ann));
  co_await create(session, lab.parent() / "a", Data(), creation);
  const Acl acl = co_await acl_of(session, lab.parent() / "a");
  EXPECT_EQ(acl, both(ann, ann));
}

CONFORMANCE_TEST_IN_SESSION(Z77AnIdentitySurvivesAReconnect) {
  co_await add_auth(session, kAnn);
  co_await add_auth(session, kBob);
  const Path path = lab.parent() / "a";
  co_await create(session, path, "x", Creation(CreateMode::kPersistent, digest(1, kAnnId)));
  co_await lab.disconnect(session);
  co_await lab.reconnect(session);
  const auto read = co_await error_of_reading(session, path);
  EXPECT_EQ(read, std::nullopt);
}

CONFORMANCE_TEST_IN_TWO_SESSIONS(Z77AnIdentityBelongsToOneSession, ann, other) {
  co_await add_auth(ann, kAnn);
  co_await create(ann, lab.parent() / "a", "x", kForItsCreator);
  must(co_await ann.close(), "close");
  const auto read = co_await error_of_reading(other, lab.parent() / "a");
  EXPECT_EQ(read, Error::kNoAuth);
}

// A client that attaches to the session has to authenticate itself.
CONFORMANCE_TEST(Z77AnIdentityBelongsToTheConnectionsOfOneClient) {
  const auto ann = co_await lab.open();
  co_await add_auth(*ann, kAnn);
  co_await create(*ann, lab.parent() / "a", "x", kForItsCreator);
  co_await lab.disconnect(*ann);
  Client& client = lab.attach_client(*ann, Lab::Password::kRight, Lab::kLongSessionTimeout);
  const auto attached = must(co_await client.session(Context()), "attach");
  auto read = co_await error_of_reading(*attached, lab.parent() / "a");
  EXPECT_EQ(read, Error::kNoAuth);
  co_await add_auth(*attached, kAnn);
  read = co_await error_of_reading(*attached, lab.parent() / "a");
  EXPECT_EQ(read, std::nullopt);
}

CONFORMANCE_TEST_IN_SESSION(Z77RequestsAfterAnAddAuthHaveItsIdentity) {
  for (int round = 0; round < 20; ++round) {
    const Path path = lab.parent() / ("n" + std::to_string(round));
    const std::string user = "user" + std::to_string(round) + ":secret";
    auto auth = session.add_auth("digest", Data(user));
    auto creation = session.create(path, "x", kForItsCreator);
    auto transaction = session.multi(Transaction().check(path, 0).set_data(path, "y", 0));
    auto read = session.get_data(path);
    must(co_await auth, "add_auth");
    must(co_await creation, "create");
    EXPECT_EQ(error_of(co_await transaction), std::nullopt);
    const DataAndStat data = must(co_await read, "get_data");
    EXPECT_EQ(data.data.view(), "y");
  }
}

CONFORMANCE_TEST_IN_SESSION(Z77IdentitiesCanBeAddedTogether) {
  auto ann = session.add_auth("digest", kAnn);
  auto bob = session.add_auth("digest", kBob);
  must(co_await bob, "add_auth");
  must(co_await ann, "add_auth");
  co_await create(session, lab.parent() / "a", Data(), kForItsCreator);
  const Acl acl = co_await acl_of(session, lab.parent() / "a");
  EXPECT_EQ(acl.entries().size(), 2u);
}

// Z114: the C client itself refuses a credential that is added while disconnected.
CONFORMANCE_TEST_IN_SESSION(Z77AnIdentityCanBeAddedWhileAway) {
  const Path path = lab.parent() / "a";
  co_await create(session, path, "x", Creation(CreateMode::kPersistent, digest(1, kAnnId)));
  co_await lab.disconnect(session);
  auto auth = session.add_auth("digest", kAnn);
  co_await lab.reconnect(session);
  must(co_await auth, "add_auth");
  const auto read = co_await error_of_reading(session, path);
  EXPECT_EQ(read, std::nullopt);
}

// The client stores a credential for the session before it sends it on the connection.
CONFORMANCE_TEST_IN_SESSION(Z77AnIdentitySurvivesTheLossOfItsReply) {
  const Path path = lab.parent() / "a";
  co_await create(session, path, "x", Creation(CreateMode::kPersistent, digest(1, kAnnId)));
  const Lab::Loss losses[] = {Lab::Loss::kRequests, Lab::Loss::kReplies};
  for (const Lab::Loss loss : losses) {
    lab.prepare_loss(session, loss);
    auto auth = session.add_auth("digest", loss == Lab::Loss::kRequests ? kAnn : kBob);
    lab.lose_connection(session, loss);
    EXPECT_EQ(error_of(co_await auth), Error::kConnectionLoss);
    must(co_await session.connected(), "connected");
    const auto read = co_await error_of_reading(session, path);
    EXPECT_EQ(read, std::nullopt);
  }
}

CONFORMANCE_TEST_IN_SESSION(Z77AnyCredentialIsADigest) {
  const char* const credentials[] = {"", "ann", "ann:secret:more", ":"};
  for (const char* const credential : credentials) {
    const auto added = co_await session.add_auth("digest", credential);
    EXPECT_EQ(error_of(added), std::nullopt) << credential;
  }
  EXPECT_EQ(error_of(co_await session.add_auth("digest", Data())), std::nullopt);
  co_await create(session, lab.parent() / "a", Data(), kForItsCreator);
  const Acl acl = co_await acl_of(session, lab.parent() / "a");
  std::vector<std::string> ids;
  for (const AclEntry& entry : acl.entries()) ids.push_back(entry.id);
  std::ranges::sort(ids);
  const std::vector<std::string> expected = {
      ":2jmj7l5rSw0yVb/vlWAYkK/YBwk=", ":BaefBs8/Z/cm2uaNGKIpD2yaUMk=",
      "ann:dEy5qfs9VYN0TqPs6bTYGdkL3uI=", "ann:hB+CN0Et8fG2AINcwCsLENqgTOw="};
  EXPECT_EQ(ids, expected);
}

// The hash is that of the credential's UTF-8, although ids show surrogates.
CONFORMANCE_TEST_IN_SESSION(Z77ADigestIsTheHashOfTheCredentialAsItWasSent) {
  co_await add_auth(session, "user:p\xf0\x9f\x94\x91w");
  const Path path = lab.parent() / "a";
  co_await create(session, path, Data(), kForItsCreator);
  const Acl acl = co_await acl_of(session, path);
  EXPECT_EQ(acl, digest(permission::kAll, "user:mxJX/f0UrhHyLQTUmwSyyb/rAhA="));
}

// Every connection has an identity of the scheme "ip", whatever it sends.
CONFORMANCE_TEST_IN_SESSION(Z77AnAddressIsNoIdentityForAuth) {
  EXPECT_EQ(error_of(co_await session.add_auth("ip", "1.2.3.4")), std::nullopt);
  const auto created = co_await session.create(lab.parent() / "a", Data(), kForItsCreator);
  EXPECT_EQ(error_of(created), Error::kInvalidAcl);
  co_await create(session, lab.parent() / "b", "x",
                  Creation(CreateMode::kPersistent, only(permission::kAll, "ip", "1.2.3.4")));
  const auto read = co_await error_of_reading(session, lab.parent() / "b");
  EXPECT_EQ(read, Error::kNoAuth);  // The credential does not replace the client's address.
}

static Task<void> add_ann(Session& session, Path) { co_await add_auth(session, kAnn); }

CONFORMANCE_TEST_IN_SESSION(Z13AddAuthTakesNoZxid) {
  EXPECT_EQ(co_await zxids_taken_by(lab, session, &add_ann), 0);
}

CONFORMANCE_TEST(Z66AnUnknownSchemeEndsTheSession) {
  const char* const schemes[] = {"unknown", "", "world", "auth"};
  for (const char* const scheme : schemes) {
    const auto session = co_await lab.open();
    support::StateRecorder recorder(*session);
    co_await add_rejected_auth(*session, scheme);
    EXPECT_EQ(session->end_error(), Error::kAuthFailed) << scheme;
    EXPECT_TRUE(ends_with_a_rejection(recorder.states())) << scheme;
    EXPECT_EQ(error_of(co_await session->get_data(lab.parent())), Error::kAuthFailed);
  }
}

CONFORMANCE_TEST_IN_SESSION(Z66ARejectedCredentialFailsEverythingPending) {
  const Watch watch = co_await watch_data(session, lab.parent());
  auto auth = session.add_auth("unknown", kAnn);
  auto creation = session.create(lab.parent() / "a", Data(), CreateMode::kPersistent);
  auto again = session.add_auth("digest", kAnn);
  auto transaction = session.multi(Transaction().check(lab.parent()).check(lab.parent()));
  auto read = session.get_data(lab.parent());
  const auto rejected = co_await auth;
  EXPECT_TRUE(fails_with_a_rejection(error_of(rejected)));
  const auto created = co_await creation;
  EXPECT_TRUE(fails_with_a_rejection(error_of(created)));
  const auto added = co_await again;
  EXPECT_TRUE(fails_with_a_rejection(error_of(added)));
  const auto committed = co_await transaction;
  EXPECT_TRUE(fails_with_a_rejection(error_of(committed)));
  const auto data = co_await read;
  EXPECT_TRUE(fails_with_a_rejection(error_of(data)));
  EXPECT_EQ(error_of(co_await watch.fired()), Error::kAuthFailed);
}

// The server applies no request that was sent after the rejected credential.
CONFORMANCE_TEST(Z66TheServerAppliesNothingAfterARejectedCredential) {
  const auto other = co_await lab.open();
  for (int round = 0; round < 10; ++round) {
    const auto session = co_await lab.open();
    auto auth = session->add_auth("unknown", kAnn);
    auto creation = session->create(lab.parent() / "a", Data(), CreateMode::kPersistent);
    static_cast<void>(co_await auth);
    static_cast<void>(co_await creation);
    must(co_await other->sync(lab.parent()), "sync");
    EXPECT_EQ(error_of(co_await other->exists(lab.parent() / "a")), Error::kNoNode);
  }
}

// The server closes the connection but not the session, which therefore expires.
CONFORMANCE_TEST(Z66TheEphemeralsOfARejectedSessionStayUntilItExpires) {
  const auto session = co_await lab.open(Lab::kShortSessionTimeout);
  const auto other = co_await lab.open();
  const Path path = lab.parent() / "e";
  co_await create(*session, path, Data(), CreateMode::kEphemeral);
  const Watch watch = co_await watch_exists(*other, path);
  co_await add_rejected_auth(*session);
  EXPECT_EQ((co_await event_of(watch)).type(), EventType::kDeleted);
}

CONFORMANCE_TEST(Z66AClientOpensANewSessionAfterARejection) {
  Client& client = lab.add_client(Lab::kLongSessionTimeout);
  const auto first = must(co_await client.session(Context()), "session");
  co_await add_rejected_auth(*first);
  const auto second = must(co_await client.session(Context()), "session");
  EXPECT_NE(second, first);
  EXPECT_EQ(second->state(), SessionState::kConnected);
}

CONFORMANCE_TEST_IN_SESSION(ASchemeWithANulIsRefused) {
  const auto added = co_await session.add_auth(std::string("digest\0", 7), kAnn);
  EXPECT_EQ(error_of(added), Error::kBadArguments);
  EXPECT_EQ(session.state(), SessionState::kConnected);
}

CONFORMANCE_TEST_IN_SESSION(ADroppedAddAuthStillAuthenticates) {
  static_cast<void>(session.add_auth("digest", kAnn));
  const auto created = co_await session.create(lab.parent() / "a", Data(), kForItsCreator);
  EXPECT_EQ(error_of(created), std::nullopt);
}

}  // namespace lockstep::conformance
