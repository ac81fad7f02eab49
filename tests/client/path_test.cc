#include "lockstep/path.h"

#include <gtest/gtest.h>

#include <string>

#include "support/by_hand.h"

namespace lockstep {
namespace {

TEST(PathTest, DefaultIsTheRoot) {
  EXPECT_EQ(Path(), "/");
  EXPECT_EQ(Path().string(), "/");
}

TEST(PathTest, NameIsTheLastComponent) {
  EXPECT_EQ(Path("/a/b/c").name(), "c");
  EXPECT_EQ(Path("/a").name(), "a");
  EXPECT_EQ(Path("/").name(), "");
  EXPECT_EQ(Path("/a/").name(), "");
  EXPECT_EQ(Path("loose").name(), "loose");
}

TEST(PathTest, ParentIsThePathWithoutItsName) {
  EXPECT_EQ(Path("/a/b/c").parent(), "/a/b");
  EXPECT_EQ(Path("/a").parent(), "/");
  EXPECT_EQ(Path("/").parent(), "/");
  EXPECT_EQ(Path("loose").parent(), "/");
}

TEST(PathTest, ChildIsParentSlashName) {
  EXPECT_EQ(Path("/a") / "b", "/a/b");
  EXPECT_EQ(Path("/") / "b", "/b");
  EXPECT_EQ(Path("/a") / "b" / "c", "/a/b/c");
  EXPECT_EQ((Path("/a/b") / "c").parent(), "/a/b");
  EXPECT_EQ((Path("/a/b") / "c").name(), "c");
}

TEST(PathTest, ConvertsFromAnyText) {
  const std::string string("/from/string");
  EXPECT_EQ(Path(string), "/from/string");
  EXPECT_EQ(Path(std::string_view(string).substr(0, 5)), "/from");
  EXPECT_EQ(Path(Text("/text")), "/text");
  EXPECT_FALSE(Path("/a") == Path("/A"));
}

TEST(PathTest, CopyOutlivesTheOriginal) {
  Path copy;
  {
    const Path original = Path("/a") / "b";
    copy = original;
  }
  EXPECT_EQ(copy, "/a/b");
}

}  // namespace
}  // namespace lockstep
