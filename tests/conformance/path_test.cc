#include <gtest/gtest.h>

#include "conformance/conformance.h"

namespace lockstep::conformance {

namespace {

Task<void> expect_refused(Session& session, std::string path) {
  const auto created = co_await session.create(path, Data(), CreateMode::kPersistent);
  EXPECT_EQ(error_of(created), Error::kBadArguments) << path;
  const auto removed = co_await session.remove(path);
  EXPECT_EQ(error_of(removed), Error::kBadArguments) << path;
  const auto exists = co_await session.exists(path);
  EXPECT_EQ(error_of(exists), Error::kBadArguments) << path;
  const auto watched = co_await session.exists_watched(path);
  EXPECT_EQ(error_of(watched), Error::kBadArguments) << path;
  const auto data = co_await session.get_data(path);
  EXPECT_EQ(error_of(data), Error::kBadArguments) << path;
  const auto set = co_await session.set_data(path, Data());
  EXPECT_EQ(error_of(set), Error::kBadArguments) << path;
  const auto children = co_await session.get_children(path);
  EXPECT_EQ(error_of(children), Error::kBadArguments) << path;
  const auto synced = co_await session.sync(path);
  EXPECT_EQ(error_of(synced), Error::kBadArguments) << path;
  const auto acl = co_await session.get_acl(path);
  EXPECT_EQ(error_of(acl), Error::kBadArguments) << path;
  const auto acl_set = co_await session.set_acl(path, Acl::open());
  EXPECT_EQ(error_of(acl_set), Error::kBadArguments) << path;
  const auto multi = co_await session.multi(Transaction().check(path));
  EXPECT_EQ(error_of(multi), Error::kBadArguments) << path;
}

// The client accepts the path. The server checks paths in writes, but not in reads and removes.
Task<void> expect_refused_by_server(Session& session, std::string path) {
  const auto created = co_await session.create(path, Data(), CreateMode::kPersistent);
  EXPECT_EQ(error_of(created), Error::kBadArguments) << path;
  const auto exists = co_await session.exists(path);
  EXPECT_EQ(error_of(exists), Error::kNoNode) << path;
  const auto data = co_await session.get_data(path);
  EXPECT_EQ(error_of(data), Error::kNoNode) << path;
  const auto children = co_await session.get_children(path);
  EXPECT_EQ(error_of(children), Error::kNoNode) << path;
  const auto removed = co_await session.remove(path);
  EXPECT_EQ(error_of(removed), Error::kNoNode) << path;
  const auto set = co_await session.set_data(path, Data());
  EXPECT_EQ(error_of(set), Error::kBadArguments) << path;
  const auto acl = co_await session.get_acl(path);
  EXPECT_EQ(error_of(acl), Error::kNoNode) << path;
  const auto acl_set = co_await session.set_acl(path, Acl::open());
  EXPECT_EQ(error_of(acl_set), Error::kBadArguments) << path;
  const auto watched = co_await session.exists_watched(path);
  EXPECT_EQ(error_of(watched), std::nullopt) << path;
  const auto synced = co_await session.sync(path);
  EXPECT_EQ(error_of(synced), std::nullopt) << path;
  const auto checked = co_await session.multi(Transaction().check(path));
  EXPECT_EQ(error_of(checked), Error::kBadArguments) << path;
  const auto multi = co_await session.multi(Transaction().remove(path));
  EXPECT_EQ(error_of(multi), Error::kNoNode) << path;
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

CONFORMANCE_TEST(Z4ARefusedRequestDoesNotDisturbTheOthers) {
  const auto session = co_await lab.open();
  auto before = session->create(lab.parent() / "a", Data(), CreateMode::kPersistent);
  auto refused = session->create("bad", Data(), CreateMode::kPersistent);
  auto after = session->create(lab.parent() / "b", Data(), CreateMode::kPersistent);
  const auto last = co_await after;
  const auto middle = co_await refused;
  const auto first = co_await before;
  EXPECT_EQ(error_of(first), std::nullopt);
  EXPECT_EQ(error_of(middle), Error::kBadArguments);
  EXPECT_EQ(error_of(last), std::nullopt);
}

CONFORMANCE_TEST(Z1TheServerRefusesCharacters) {
  const auto session = co_await lab.open();
  const std::string parent = lab.parent().string();
  const char* const refused[] = {"/a\x1f",        "/a\x7f",           "/\xc2\x80",
                                 "/\xc2\x9f",     "/\xee\x80\x80",    "/\xef\xa3\xbf",
                                 "/\xef\xbf\xb0", "/\xf0\x9f\x94\x92"};
  for (const char* const tail : refused) {
    co_await expect_refused_by_server(*session, parent + tail);
  }
}

// The server decodes invalid UTF-8 to a character that it then refuses.
CONFORMANCE_TEST(Z1TheServerRefusesPathsThatAreNotUtf8) {
  const auto session = co_await lab.open();
  const std::string parent = lab.parent().string();
  const char* const refused[] = {"/a\xff",        "/\xc3",     "/\x80",        "/\xc0\x80",
                                 "/\xed\xa0\x80", "/\xe2\x82", "/\xef\xbf\xbd"};
  for (const char* const tail : refused) {
    co_await expect_refused_by_server(*session, parent + tail);
  }
}

// UTF-8 allows neither a longer form than necessary nor characters beyond U+10FFFF.
CONFORMANCE_TEST(Z1TheServerRefusesOverlongUtf8) {
  const auto session = co_await lab.open();
  const std::string parent = lab.parent().string();
  const char* const refused[] = {"/\xc1\xa1", "/\xe0\x80\xaf", "/\xe0\x9f\xbf", "/\xf0\x80\x81\x81",
                                 "/\xf4\x90\x80\x80"};
  for (const char* const tail : refused) {
    co_await expect_refused_by_server(*session, parent + tail);
  }
}

CONFORMANCE_TEST(Z1UnusualPathsAreValid) {
  const auto session = co_await lab.open();
  const char* const names[] = {"...", ".a",       "a.",           "..a",
                               " ",   "\xc2\xa0", "\xef\xa4\x80", "\xef\xbf\xaf",
                               "a b", "\xc3\xa9", "\xe2\x82\xac"};
  for (const char* const name : names) co_await expect_accepted(*session, lab.parent() / name);
}

CONFORMANCE_TEST(Z2SomeZnodesCannotBeRemoved) {
  const auto session = co_await lab.open();
  const char* const paths[] = {"/", "/zookeeper", "/zookeeper/quota", "/zookeeper/config"};
  for (const char* const path : paths) {
    const auto removed = co_await session->remove(path);
    EXPECT_EQ(error_of(removed), Error::kBadArguments) << path;
  }
}

CONFORMANCE_TEST(Z1TheRootExists) {
  const auto session = co_await lab.open();
  const auto root = co_await session->exists("/");
  EXPECT_EQ(error_of(root), std::nullopt);
  const auto data = co_await session->get_data("/");
  EXPECT_EQ(error_of(data), std::nullopt);
  const auto children = co_await session->get_children("/");
  EXPECT_EQ(error_of(children), std::nullopt);
  const auto again = co_await session->create("/", Data(), CreateMode::kPersistent);
  EXPECT_EQ(error_of(again), Error::kNodeExists);
}

}  // namespace lockstep::conformance
