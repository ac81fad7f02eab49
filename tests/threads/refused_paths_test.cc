#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "lockstep/threads/threads_under_test.h"

namespace lockstep::threads {
namespace {

struct BadPaths {
  const char* name;
  std::vector<std::string> znodes;
  std::string lock_path;
  const char* message;
};

class BadPathsTest : public ::testing::TestWithParam<BadPaths> {};

TEST_P(BadPathsTest, AreRefusedBeforeAnythingRuns) {
  const BadPaths& bad = GetParam();
  try {
    static_cast<void>(under_test(
        {.name = "bad", .body = [] {}, .znodes = bad.znodes, .lock_path = bad.lock_path}));
    FAIL() << "was taken";
  } catch (const std::invalid_argument& refusal) {
    EXPECT_STREQ(refusal.what(), bad.message);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Each, BadPathsTest,
    ::testing::Values(
        BadPaths{"Relative", {"a"}, "", "'bad' names 'a', which is not the path of a znode"},
        BadPaths{"Root", {"/"}, "", "'bad' names '/', which is not the path of a znode"},
        BadPaths{"NotUtf8", {"/\xff"}, "", "'bad' names '/\xff', which is not the path of a znode"},
        BadPaths{
            "Deleting", {"/\x7f"}, "", "'bad' names '/\x7f', which is not the path of a znode"},
        BadPaths{"ParentLater",
                 {"/a/b", "/a"},
                 "",
                 "'bad' names '/a/b', which needs its parent before it in the list"},
        BadPaths{"NoParent",
                 {"/a/b"},
                 "",
                 "'bad' names '/a/b', which needs its parent before it in the list"},
        BadPaths{"Twice", {"/a", "/a"}, "", "'bad' names '/a', which is there twice"},
        BadPaths{"OfTheServers",
                 {"/zookeeper"},
                 "",
                 "'bad' names '/zookeeper', which belongs to the servers"},
        BadPaths{"Lock", {"/a", "/a/b"}, "a", "'bad' names 'a', which is not the path of a znode"},
        BadPaths{
            "LockNotUtf8", {}, "/\xff", "'bad' names '/\xff', which is not the path of a znode"},
        BadPaths{"RootAsLock", {}, "/", "'bad' names '/', which is not the path of a znode"},
        BadPaths{"LockOfTheServers",
                 {},
                 "/zookeeper/a",
                 "'bad' names '/zookeeper/a', which belongs to the servers"}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace lockstep::threads
