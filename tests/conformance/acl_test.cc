#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "conformance/conformance.h"
#include "conformance/identities.h"
#include "conformance/zxids.h"

// Valid ACLs, and what each of them allows.
namespace lockstep::conformance {

namespace {

using permission::kAdmin;
using permission::kAll;
using permission::kCreate;
using permission::kDelete;
using permission::kRead;
using permission::kWrite;

std::vector<std::string> sorted_ids(const Acl& acl) {
  std::vector<std::string> ids;
  for (const AclEntry& entry : acl.entries()) ids.push_back(entry.id);
  std::ranges::sort(ids);
  return ids;
}

Task<void> expect_invalid(Session& session, Path parent, Acl acl) {
  const auto created =
      co_await session.create(parent / "invalid", Data(), Creation(CreateMode::kPersistent, acl));
  EXPECT_EQ(error_of(created), Error::kInvalidAcl) << ::testing::PrintToString(acl);
  const auto set = co_await session.set_acl(parent, acl);
  EXPECT_EQ(error_of(set), Error::kInvalidAcl) << ::testing::PrintToString(acl);
}

Task<void> expect_valid(Session& session, Path parent, Acl acl) {
  const Created created =
      co_await create(session, parent / "valid", Data(), Creation(CreateMode::kPersistent, acl));
  const Acl read = co_await acl_of(session, created.path);
  EXPECT_EQ(read, acl);
  co_await remove(session, created.path);
}

// Creates a child of the test's znode with only these permissions; the child has a child too.
Task<Path> create_allowing(Session& session, Path parent, std::int32_t permissions) {
  const Path path = parent / ("allows-" + std::to_string(permissions));
  co_await create(session, path, "data");
  co_await create(session, path / "child");
  co_await set_acl(session, path, anyone(permissions));
  co_return path;
}

}  // namespace

CONFORMANCE_TEST_IN_SESSION(Z77AZnodeIsOpenByDefault) {
  co_await create(session, lab.parent() / "a");
  const Acl acl = co_await acl_of(session, lab.parent() / "a");
  EXPECT_EQ(acl, Acl::open());
}

CONFORMANCE_TEST_IN_SESSION(Z77GetAclReturnsTheStatToo) {
  const Created created = co_await create(session, lab.parent() / "a", "data");
  const AclAndStat read = must(co_await session.get_acl(created.path), "get_acl");
  EXPECT_EQ(read.stat, created.stat);
}

CONFORMANCE_TEST_IN_SESSION(Z77EveryModeTakesAnAcl) {
  const CreateMode modes[] = {CreateMode::kPersistent, CreateMode::kEphemeral,
                              CreateMode::kPersistentSequential, CreateMode::kEphemeralSequential,
                              CreateMode::kContainer};
  const Acl acl = anyone(kRead | kAdmin);
  for (const CreateMode mode : modes) {
    const Path path = lab.parent() / ("n" + std::to_string(static_cast<int>(mode)));
    const Created created = co_await create(session, path, Data(), Creation(mode, acl));
    const Acl read = co_await acl_of(session, created.path);
    EXPECT_EQ(read, acl);
  }
}

CONFORMANCE_TEST_IN_SESSION(Z77AnAclHasAtLeastOneEntry) {
  co_await expect_invalid(session, lab.parent(), nobody());
}

CONFORMANCE_TEST_IN_SESSION(Z77UnknownSchemesAreInvalid) {
  const char* const schemes[] = {"", "unknown", "World", "super"};
  for (const char* const scheme : schemes) {
    co_await expect_invalid(session, lab.parent(), only(kAll, scheme, "anyone"));
  }
}

CONFORMANCE_TEST_IN_SESSION(Z77TheWorldIsAnyone) {
  const char* const ids[] = {"", "someone", "Anyone"};
  for (const char* const id : ids) {
    co_await expect_invalid(session, lab.parent(), only(kAll, "world", id));
  }
}

// Java's split(":") gives two parts; it drops empty ones at the end.
CONFORMANCE_TEST_IN_SESSION(Z77ADigestIdHasTwoParts) {
  const char* const malformed[] = {"", ":", "ann", "ann:", "ann::", "a:b:c", "::x"};
  for (const char* const id : malformed) {
    co_await expect_invalid(session, lab.parent(), both(Acl::open(), digest(kAll, id)));
  }
  const char* const well_formed[] = {kAnnId, "a:b", ":b", "a:b:", "a:b::", " : "};
  for (const char* const id : well_formed) {
    co_await expect_valid(session, lab.parent(), both(Acl::open(), digest(kAll, id)));
  }
}

CONFORMANCE_TEST_IN_SESSION(Z77AnIpIdIsAnAddressOrANetwork) {
  const char* const malformed[] = {"",          "1.2.3",      "1.2.3.4.5",   "1.2.3.256",
                                   "1.2.3.x",   "localhost",  "1.2.3.4/",    "1.2.3.4/33",
                                   "1.2.3.4/x", "1.2.3.4/-1", "1.2.3.4/8/8", "::1"};
  for (const char* const id : malformed) {
    co_await expect_invalid(session, lab.parent(), both(Acl::open(), only(kAll, "ip", id)));
  }
  const char* const well_formed[] = {"1.2.3.4", "1.2.3.4/0", "1.2.3.4/32", "0.0.0.0/8", "01.2.3.4"};
  for (const char* const id : well_formed) {
    co_await expect_valid(session, lab.parent(), both(Acl::open(), only(kAll, "ip", id)));
  }
}

CONFORMANCE_TEST_IN_SESSION(Z77AuthNeedsAnIdentity) {
  co_await expect_invalid(session, lab.parent(), Acl::creator_only());
  co_await expect_invalid(session, lab.parent(), both(Acl::open(), Acl::creator_only()));
}

CONFORMANCE_TEST_IN_SESSION(Z77OneInvalidEntryIsEnough) {
  co_await expect_invalid(session, lab.parent(), both(Acl::open(), digest(kAll, "malformed")));
  co_await expect_invalid(session, lab.parent(), both(digest(kAll, "malformed"), Acl::open()));
}

CONFORMANCE_TEST_IN_SESSION(Z77PermissionsAreAnyBits) {
  const std::int32_t unusual[] = {0, -1, 32, 1 << 30};
  for (const std::int32_t permissions : unusual) {
    co_await expect_valid(session, lab.parent(),
                          both(anyone(kAdmin), only(permissions, "ip", "1.2.3.4")));
  }
}

CONFORMANCE_TEST_IN_SESSION(Z77DuplicatesAreRemoved) {
  const Acl once = both(Acl::open(), both(anyone(kRead), digest(kAll, kAnnId)));
  const Path path = lab.parent() / "a";
  const Created created =
      co_await create(session, path, Data(), Creation(CreateMode::kPersistent, both(once, once)));
  Acl read = co_await acl_of(session, created.path);
  EXPECT_EQ(read, once);
  co_await set_acl(session, path, both(once, both(anyone(kRead), once)));
  read = co_await acl_of(session, path);
  EXPECT_EQ(read, once);
}

CONFORMANCE_TEST_IN_SESSION(Z77AnyMatchingEntryWithTheBitAllows) {
  const Path path = lab.parent() / "a";
  const Acl acl = both(both(only(kAll, "ip", "1.2.3.4"), anyone(kRead)), anyone(kWrite));
  co_await create(session, path, "x", Creation(CreateMode::kPersistent, acl));
  EXPECT_EQ(error_of(co_await session.get_data(path)), std::nullopt);
  EXPECT_EQ(error_of(co_await session.set_data(path, "y")), std::nullopt);
  const auto created = co_await session.create(path / "b", Data(), CreateMode::kPersistent);
  EXPECT_EQ(error_of(created), Error::kNoAuth);
}

CONFORMANCE_TEST_IN_SESSION(Z77AnIpEntryMatchesTheClientsAddress) {
  const std::string own = lab.client_address();
  const std::string ids[] = {own, own + "/32", own + "/8", "0.0.0.0/0"};
  for (const std::string& id : ids) {
    const Acl acl = only(kAll, "ip", id);
    const Creation creation(CreateMode::kPersistent, acl);
    const Created created = co_await create(session, lab.parent() / "a", "x", creation);
    EXPECT_EQ(error_of(co_await session.get_data(created.path)), std::nullopt) << id;
    const Acl shown = co_await acl_of(session, created.path);
    EXPECT_EQ(shown, acl);
    co_await remove(session, created.path);
  }
  const char* const others[] = {"1.2.3.4", "1.2.3.4/8"};
  for (const char* const id : others) {
    const Creation creation(CreateMode::kPersistent, only(kAll, "ip", id));
    const Created created = co_await create(session, lab.parent() / "a", "x", creation);
    EXPECT_EQ(error_of(co_await session.get_data(created.path)), Error::kNoAuth) << id;
    co_await remove(session, created.path);
  }
}

CONFORMANCE_TEST_IN_SESSION(Z20ReadingNeedsRead) {
  const Path path = co_await create_allowing(session, lab.parent(), kAll & ~kRead);
  EXPECT_EQ(error_of(co_await session.get_data(path)), Error::kNoAuth);
  EXPECT_EQ(error_of(co_await session.get_data_watched(path)), Error::kNoAuth);
  EXPECT_EQ(error_of(co_await session.get_children(path)), Error::kNoAuth);
  EXPECT_EQ(error_of(co_await session.get_children_watched(path)), Error::kNoAuth);
  EXPECT_EQ(error_of(co_await session.get_data(path / "no")), Error::kNoNode);
}

CONFORMANCE_TEST_IN_SESSION(Z20ExistsNeedsNothing) {
  const Path path = co_await create_allowing(session, lab.parent(), 0);
  EXPECT_EQ(error_of(co_await session.exists(path)), std::nullopt);
  EXPECT_EQ(error_of(co_await session.exists_watched(path)), std::nullopt);
  EXPECT_EQ(error_of(co_await session.exists(path / "child")), std::nullopt);
}

CONFORMANCE_TEST_IN_SESSION(Z20GetAclNeedsReadOrAdmin) {
  const std::int32_t either[] = {kRead, kAdmin};
  for (const std::int32_t enough : either) {
    const Path path = co_await create_allowing(session, lab.parent(), enough);
    const Acl acl = co_await acl_of(session, path);
    EXPECT_EQ(acl, anyone(enough));
  }
  const Path path = co_await create_allowing(session, lab.parent(), kAll & ~(kRead | kAdmin));
  EXPECT_EQ(error_of(co_await session.get_acl(path)), Error::kNoAuth);
  EXPECT_EQ(error_of(co_await session.get_acl(path / "no")), Error::kNoNode);
}

CONFORMANCE_TEST_IN_SESSION(Z17SetDataNeedsWrite) {
  const Path closed = co_await create_allowing(session, lab.parent(), kAll & ~kWrite);
  // The ACL is checked before the version.
  EXPECT_EQ(error_of(co_await session.set_data(closed, "x", 7)), Error::kNoAuth);
  const Path open = co_await create_allowing(session, lab.parent(), kWrite);
  EXPECT_EQ(error_of(co_await session.set_data(open, "x")), std::nullopt);
}

CONFORMANCE_TEST_IN_SESSION(Z15CreateNeedsCreateOnTheParent) {
  const Path closed = co_await create_allowing(session, lab.parent(), kAll & ~kCreate);
  const auto refused = co_await session.create(closed / "a", Data(), CreateMode::kEphemeral);
  EXPECT_EQ(error_of(refused), Error::kNoAuth);
  const Path open = co_await create_allowing(session, lab.parent(), kCreate);
  const auto created = co_await session.create(open / "a", Data(), CreateMode::kEphemeral);
  EXPECT_EQ(error_of(created), std::nullopt);
}

CONFORMANCE_TEST_IN_SESSION(Z15NoAuthBeatsNodeExistsAndAMalformedName) {
  const Path path = co_await create_allowing(session, lab.parent(), 0);
  const auto exists = co_await session.create(path / "child", Data(), CreateMode::kPersistent);
  EXPECT_EQ(error_of(exists), Error::kNoAuth);
  const auto malformed = co_await session.create(path / "\x7f", Data(), CreateMode::kPersistent);
  EXPECT_EQ(error_of(malformed), Error::kNoAuth);
}

CONFORMANCE_TEST_IN_SESSION(Z15AnInvalidAclBeatsAnErrorOfThePath) {
  co_await create(session, lab.parent() / "exists");
  const Path closed = co_await create_allowing(session, lab.parent(), 0);
  const Creation invalid(CreateMode::kPersistent, nobody());
  const Path paths[] = {lab.parent() / "no" / "a", lab.parent() / "\x7f", lab.parent() / "exists",
                        closed / "a"};
  for (const Path& path : paths) {
    const auto created = co_await session.create(path, Data(), invalid);
    EXPECT_EQ(error_of(created), Error::kInvalidAcl) << path.view();
  }
}

CONFORMANCE_TEST_IN_SESSION(Z16RemoveNeedsDeleteOnTheParent) {
  const Path closed = co_await create_allowing(session, lab.parent(), kAll & ~kDelete);
  // The ACL is checked before the version.
  EXPECT_EQ(error_of(co_await session.remove(closed / "child", 7)), Error::kNoAuth);
  // The ACL is checked before existence, too.
  EXPECT_EQ(error_of(co_await session.remove(closed / "no")), Error::kNoAuth);
  const Path open = co_await create_allowing(session, lab.parent(), kDelete);
  co_await set_acl(session, open / "child", anyone(0));
  EXPECT_EQ(error_of(co_await session.remove(open / "child")), std::nullopt);
}

CONFORMANCE_TEST_IN_SESSION(Z18SetAclNeedsAdmin) {
  const Path closed = co_await create_allowing(session, lab.parent(), kAll & ~kAdmin);
  // The ACL is checked before the version.
  EXPECT_EQ(error_of(co_await session.set_acl(closed, Acl::open(), 7)), Error::kNoAuth);
  EXPECT_EQ(error_of(co_await session.set_acl(closed, nobody())), Error::kInvalidAcl);
  const Path open = co_await create_allowing(session, lab.parent(), kAdmin);
  EXPECT_EQ(error_of(co_await session.set_acl(open, Acl::open())), std::nullopt);
}

CONFORMANCE_TEST_IN_SESSION(Z18AnInvalidAclBeatsAMissingZnode) {
  EXPECT_EQ(error_of(co_await session.set_acl(lab.parent() / "no", nobody())), Error::kInvalidAcl);
  const auto missing = co_await session.set_acl(lab.parent() / "no", Acl::open(), 7);
  EXPECT_EQ(error_of(missing), Error::kNoNode);
}

CONFORMANCE_TEST_IN_SESSION(Z18TheServerValidatesThePathOfSetAcl) {
  const auto malformed = co_await session.set_acl(lab.parent() / "\x7f", nobody());
  EXPECT_EQ(error_of(malformed), Error::kBadArguments);
}

CONFORMANCE_TEST_ON_ZNODE(Z18SetAclChecksTheVersionOfTheAcl) {
  co_await set_data(session, path, "x");  // The version of the data differs from that of the ACL.
  auto set = co_await session.set_acl(path, Acl::open(), 1);
  EXPECT_EQ(error_of(set), Error::kBadVersion);
  set = co_await session.set_acl(path, Acl::open(), 0);
  EXPECT_EQ(error_of(set), std::nullopt);
  set = co_await session.set_acl(path, Acl::open(), 0);
  EXPECT_EQ(error_of(set), Error::kBadVersion);
  set = co_await session.set_acl(path, Acl::open(), 1);
  EXPECT_EQ(error_of(set), std::nullopt);
}

CONFORMANCE_TEST_IN_SESSION(Z19OnlyMinusOneMatchesAnyVersionOfTheAcl) {
  co_await create(session, lab.parent() / "a");
  const auto wrong = co_await session.set_acl(lab.parent() / "a", Acl::open(), -2);
  EXPECT_EQ(error_of(wrong), Error::kBadVersion);
  EXPECT_EQ(error_of(co_await session.set_acl(lab.parent() / "a", Acl::open(), -1)), std::nullopt);
}

CONFORMANCE_TEST_IN_SESSION(Z10SetAclChangesTheAversionOnly) {
  const Created created = co_await create(session, lab.parent() / "a", "x");
  const Stat parent_before = co_await stat_of(session, lab.parent());
  co_await set_acl(session, created.path, anyone(kAll));
  Stat expected = created.stat;
  expected.aversion = 1;
  EXPECT_EQ(co_await stat_of(session, created.path), expected);
  EXPECT_EQ(co_await stat_of(session, lab.parent()), parent_before);
}

static Task<void> set_an_acl_that_works_and_one_that_does_not(Session& session, Path path) {
  co_await set_acl(session, path, Acl::open());
  EXPECT_EQ(error_of(co_await session.set_acl(path, nobody())), Error::kInvalidAcl);
  co_await acl_of(session, path);  // A read takes no zxid.
}

CONFORMANCE_TEST_IN_SESSION(Z13SetAclTakesAZxidAlsoIfItFails) {
  EXPECT_EQ(co_await zxids_taken_by(lab, session, &set_an_acl_that_works_and_one_that_does_not), 2);
}

CONFORMANCE_TEST_ON_ZNODE(Z40SetAclFiresNothing) {
  const Watch data = co_await watch_data(session, path);
  const Watch exists = co_await watch_exists(session, path);
  const Watch children = co_await watch_children(session, path);
  const Watch parent = co_await watch_children(session, lab.parent());
  co_await set_acl(session, path, anyone(kRead));
  co_await settle(session, path);
  EXPECT_FALSE(data.has_fired());
  EXPECT_FALSE(exists.has_fired());
  EXPECT_FALSE(children.has_fired());
  EXPECT_FALSE(parent.has_fired());
}

CONFORMANCE_TEST_IN_SESSION(Z77ADigestIsShownMaskedWithoutAdmin) {
  const Path path = lab.parent() / "a";
  const Acl hidden = both(digest(kAll, kAnnId), digest(kRead, "a:b:"));
  co_await create(session, path, Data(),
                  Creation(CreateMode::kPersistent, both(hidden, anyone(kRead))));
  const Acl shown = co_await acl_of(session, path);
  EXPECT_EQ(sorted_ids(shown), (std::vector<std::string>{"a:x", "ann:x", "anyone"}));
  EXPECT_EQ(shown.entries()[0].permissions, kAll);
  co_await add_auth(session, kAnn);
  const Acl in_full = co_await acl_of(session, path);
  EXPECT_EQ(in_full, both(hidden, anyone(kRead)));
}

// The server decodes invalid UTF-8 to the replacement character and stores that.
CONFORMANCE_TEST_IN_SESSION(Z77AnIdThatIsNotUtf8IsReplaced) {
  const Path path = lab.parent() / "a";
  const Creation creation(CreateMode::kPersistent, both(Acl::open(), digest(kRead, "a:\xff\xc3z")));
  co_await create(session, path, Data(), creation);
  const Acl acl = co_await acl_of(session, path);
  EXPECT_EQ(acl, both(Acl::open(), digest(kRead, "a:\xef\xbf\xbd\xef\xbf\xbdz")));
}

// One replacement for each beginning of a character, for each surrogate, and for each byte of an
// overlong form. A character above U+FFFF comes back as two surrogates.
CONFORMANCE_TEST_IN_SESSION(Z77AnIdIsReplacedAsJavaDecodesIt) {
  const std::string r = "\xef\xbf\xbd";
  const std::pair<std::string, std::string> ids[] = {
      {"\xe0\x80\xaf", r + r + r},
      {"\xf0\x80\x81\x81", r + r + r + r},
      {"\xed\xa0\x80", r},
      {"\xed\xa0z", r + "z"},
      {"\xe2\x82z", r + "z"},
      {"\xf0\x90\x80z", r + "z"},
      {"\xf4\x90\x80\x80", r + r + r + r},
      {"\xf0\x9f\x94\x92", "\xed\xa0\xbd\xed\xb4\x92"},
      {"\xe2\x82", r},
      {"\xe0\x80", r + r}};
  char name = 'a';
  for (const auto& [sent, kept] : ids) {
    const Path path = lab.parent() / std::string(1, name++);
    const Creation creation(CreateMode::kPersistent, both(Acl::open(), digest(kRead, "a:" + sent)));
    co_await create(session, path, Data(), creation);
    const Acl acl = co_await acl_of(session, path);
    EXPECT_EQ(acl, both(Acl::open(), digest(kRead, "a:" + kept)));
  }
}

// The mask is a regular expression whose dot ends at a line terminator.
CONFORMANCE_TEST_IN_SESSION(Z77TheMaskOfADigestEndsWithItsLine) {
  const Path path = lab.parent() / "a";
  const Acl hidden = both(digest(kAll, "a\nb:c\nd"), digest(kAll, "e:f\xe2\x80\xa8g\xc2\x85h\ri"));
  co_await create(session, path, Data(),
                  Creation(CreateMode::kPersistent, both(hidden, anyone(kRead))));
  const Acl shown = co_await acl_of(session, path);
  EXPECT_EQ(sorted_ids(shown),
            (std::vector<std::string>{"a\nb:x\nd", "anyone", "e:x\xe2\x80\xa8g\xc2\x85h\ri"}));
}

CONFORMANCE_TEST_IN_SESSION(AnAclWithANulIsRefused) {
  co_await expect_invalid(session, lab.parent(),
                          both(Acl::open(), digest(kAll, std::string("ann:x\0y", 7))));
  co_await expect_invalid(session, lab.parent(), only(kAll, std::string("world\0", 6), "anyone"));
}

}  // namespace lockstep::conformance
