#include <gtest/gtest.h>

#include "conformance/conformance.h"

namespace lockstep::conformance {

namespace {

Task<void> expect_refused(Session& session, std::string path) {
  const auto created = co_await session.create(path, Data(), CreateMode::kPersistent);
  EXPECT_EQ(error_of(created), Error::kBadArguments) << path;
  EXPECT_EQ(error_of(co_await session.remove(path)), Error::kBadArguments) << path;
  EXPECT_EQ(error_of(co_await session.exists(path)), Error::kBadArguments) << path;
  EXPECT_EQ(error_of(co_await session.exists_watched(path)), Error::kBadArguments) << path;
  EXPECT_EQ(error_of(co_await session.get_data(path)), Error::kBadArguments) << path;
  EXPECT_EQ(error_of(co_await session.set_data(path, Data())), Error::kBadArguments) << path;
  EXPECT_EQ(error_of(co_await session.get_children(path)), Error::kBadArguments) << path;
  EXPECT_EQ(error_of(co_await session.sync(path)), Error::kBadArguments) << path;
  EXPECT_EQ(error_of(co_await session.get_acl(path)), Error::kBadArguments) << path;
  EXPECT_EQ(error_of(co_await session.set_acl(path, Acl::open())), Error::kBadArguments) << path;
  const auto multi = co_await session.multi(Transaction().check(path));
  EXPECT_EQ(error_of(multi), Error::kBadArguments) << path;
}

// The client accepts the path. The server checks paths in writes, but not in reads and removes.
Task<void> expect_refused_by_server(Session& session, std::string path) {
  const auto created = co_await session.create(path, Data(), CreateMode::kPersistent);
  EXPECT_EQ(error_of(created), Error::kBadArguments) << path;
  EXPECT_EQ(error_of(co_await session.exists(path)), Error::kNoNode) << path;
  EXPECT_EQ(error_of(co_await session.get_data(path)), Error::kNoNode) << path;
  EXPECT_EQ(error_of(co_await session.get_children(path)), Error::kNoNode) << path;
  EXPECT_EQ(error_of(co_await session.remove(path)), Error::kNoNode) << path;
  EXPECT_EQ(error_of(co_await session.set_data(path, Data())), Error::kBadArguments) << path;
  EXPECT_EQ(error_of(co_await session.get_acl(path)), Error::kNoNode) << path;
  EXPECT_EQ(error_of(co_await session.set_acl(path, Acl::open())), Error::kBadArguments) << path;
  EXPECT_EQ(error_of(co_await session.exists_watched(path)), std::nullopt) << path;
  EXPECT_EQ(error_of(co_await session.sync(path)), std::nullopt) << path;
  const auto checked = co_await session.multi(Transaction().check(path));
  EXPECT_EQ(error_of(checked), Error::kBadArguments) << path;
  EXPECT_EQ(error_of(co_await session.multi(Transaction().remove(path))), Error::kNoNode) << path;
}

Task<void> expect_accepted(Session& session, Path path) {
  const Created created = co_await create(session, path);
  EXPECT_EQ(created.path, path);
  co_await remove(session, path);
}

}  // namespace

CONFORMANCE_TEST(Z4MalformedPathsNeverReachTheServer) {
  const auto session = co_await lab.open();
  const std::string parent = lab.parent().string();
  const char* const malformed[] = {"/",    "//",    "//a", "/a//b",  "/.",     "/..",
                                   "/./a", "/../a", "/a/", "/a\x01", "/a\x1e", "/\n"};
  for (const char* const tail : malformed) co_await expect_refused(*session, parent + tail);
  co_await expect_refused(*session, "");
  co_await expect_refused(*session, "a");
  co_await expect_refused(*session, "a/b");
  co_await expect_refused(*session, parent + std::string("/a\0b", 4));
}

CONFORMANCE_TEST_IN_SESSION(Z4ARefusedRequestDoesNotDisturbTheOthers) {
  auto before = session.create(lab.parent() / "a", Data(), CreateMode::kPersistent);
  auto refused = session.create("bad", Data(), CreateMode::kPersistent);
  auto after = session.create(lab.parent() / "b", Data(), CreateMode::kPersistent);
  const auto last = co_await after;
  const auto middle = co_await refused;
  EXPECT_EQ(error_of(co_await before), std::nullopt);
  EXPECT_EQ(error_of(middle), Error::kBadArguments);
  EXPECT_EQ(error_of(last), std::nullopt);
}

CONFORMANCE_TEST_IN_SESSION(Z1TheServerRefusesCharacters) {
  const std::string parent = lab.parent().string();
  const char* const refused[] = {"/a\x1f",        "/a\x7f",           "/\xc2\x80",
                                 "/\xc2\x9f",     "/\xee\x80\x80",    "/\xef\xa3\xbf",
                                 "/\xef\xbf\xb0", "/\xf0\x9f\x94\x92"};
  for (const char* const tail : refused) {
    co_await expect_refused_by_server(session, parent + tail);
  }
}

// The server decodes invalid UTF-8 to a character that it then refuses.
CONFORMANCE_TEST_IN_SESSION(Z1TheServerRefusesPathsThatAreNotUtf8) {
  const std::string parent = lab.parent().string();
  const char* const refused[] = {"/a\xff",        "/\xc3",     "/\x80",        "/\xc0\x80",
                                 "/\xed\xa0\x80", "/\xe2\x82", "/\xef\xbf\xbd"};
  for (const char* const tail : refused) {
    co_await expect_refused_by_server(session, parent + tail);
  }
}

// UTF-8 allows neither a longer form than necessary nor characters beyond U+10FFFF.
CONFORMANCE_TEST_IN_SESSION(Z1TheServerRefusesOverlongUtf8) {
  const std::string parent = lab.parent().string();
  const char* const refused[] = {"/\xc1\xa1", "/\xe0\x80\xaf", "/\xe0\x9f\xbf", "/\xf0\x80\x81\x81",
                                 "/\xf4\x90\x80\x80"};
  for (const char* const tail : refused) {
    co_await expect_refused_by_server(session, parent + tail);
  }
}

CONFORMANCE_TEST_IN_SESSION(Z1UnusualPathsAreValid) {
  const char* const names[] = {"...", ".a",       "a.",           "..a",
                               " ",   "\xc2\xa0", "\xef\xa4\x80", "\xef\xbf\xaf",
                               "a b", "\xc3\xa9", "\xe2\x82\xac"};
  for (const char* const name : names) co_await expect_accepted(session, lab.parent() / name);
}

CONFORMANCE_TEST_IN_SESSION(Z2SomeZnodesCannotBeRemoved) {
  const char* const paths[] = {"/", "/zookeeper", "/zookeeper/quota", "/zookeeper/config"};
  for (const char* const path : paths) {
    EXPECT_EQ(error_of(co_await session.remove(path)), Error::kBadArguments) << path;
  }
}

CONFORMANCE_TEST_IN_SESSION(Z1TheRootExists) {
  EXPECT_EQ(error_of(co_await session.exists("/")), std::nullopt);
  EXPECT_EQ(error_of(co_await session.get_data("/")), std::nullopt);
  EXPECT_EQ(error_of(co_await session.get_children("/")), std::nullopt);
  const auto again = co_await session.create("/", Data(), CreateMode::kPersistent);
  EXPECT_EQ(error_of(again), Error::kNodeExists);
}

}  // namespace lockstep::conformance
