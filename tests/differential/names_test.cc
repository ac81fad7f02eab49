// Equal answers of the two sides have equal texts, and different ones differ.
#include "differential/names.h"

#include <gtest/gtest.h>

namespace lockstep::differential {
namespace {

Names names_from(const std::string& parent, Zxid created, SessionId session) {
  Names names;
  names.set_origin(Path(parent), Path(parent + "/z"), created);
  names.add_session(session, "s0");
  return names;
}

Stat stat_of(Zxid created, Zxid modified, std::int64_t time_ms) {
  Stat stat;
  stat.czxid = created;
  stat.mzxid = modified;
  stat.pzxid = created;
  stat.ctime_ms = time_ms;
  stat.mtime_ms = created == modified ? time_ms : time_ms + 5;
  return stat;
}

TEST(NamesTest, PathsZxidsTimesAndSessionsAreRelative) {
  Names here = names_from("/p1", 10, 77);
  Names there = names_from("/p22", 1000, 99);
  EXPECT_EQ(here.path("/p1/z/a"), there.path("/p22/z/a"));
  Stat mine = stat_of(12, 15, 1000);
  Stat theirs = stat_of(1002, 1005, 88000);
  mine.ephemeral_owner = 77;
  theirs.ephemeral_owner = 99;
  EXPECT_EQ(here.stat(mine), there.stat(theirs));
  theirs.ephemeral_owner = 98;
  EXPECT_NE(here.stat(mine), there.stat(theirs));
}

TEST(NamesTest, AFailedWriteThatTakesNoZxidIsNoticed) {
  Names here = names_from("/p1", 10, 77);
  Names there = names_from("/p1", 10, 77);
  EXPECT_NE(here.stat(stat_of(12, 12, 0)), there.stat(stat_of(13, 13, 0)));
}

TEST(NamesTest, OneTransactionHasOneTime) {
  Names names = names_from("/p1", 10, 77);
  EXPECT_FALSE(names.stat(stat_of(12, 12, 1000)).contains("TIME"));
  EXPECT_FALSE(names.stat(stat_of(12, 14, 1000)).contains("TIME"));
  EXPECT_TRUE(names.stat(stat_of(12, 12, 1001)).contains("CTIME"));
  EXPECT_TRUE(names.stat(stat_of(12, 14, 1000 + 1)).contains("MTIME"));
}

TEST(NamesTest, ChildrenAreASet) {
  class Listed final : public Children::Storage {
   public:
    explicit Listed(const std::vector<std::string_view>& listed) {
      for (const std::string_view name : listed) names.push_back(name);
    }
  };
  Names names = names_from("/p1", 10, 77);
  Reply one;
  Reply other;
  one.children = Children(internal::Ref<Listed>::make(std::vector<std::string_view>{"a", "b"}));
  other.children = Children(internal::Ref<Listed>::make(std::vector<std::string_view>{"b", "a"}));
  EXPECT_EQ(names.reply(OpCode::kGetChildren, one), names.reply(OpCode::kGetChildren, other));
}

TEST(NamesTest, UsersOfOneAuthEntryAreASet) {
  Names names = names_from("/p1", 10, 77);
  const AclEntry ann(3, "digest", "ann:x");
  const AclEntry bob(3, "digest", "bob:x");
  const AclEntry bob_reads(1, "digest", "bob:x");
  const auto text_of = [&names](std::vector<AclEntry> entries) {
    Reply reply;
    reply.set_details(ReplyDetails(Acl(std::move(entries))));
    return names.reply(OpCode::kGetAcl, reply);
  };
  EXPECT_EQ(text_of({ann, bob}), text_of({bob, ann}));
  EXPECT_NE(text_of({ann, bob_reads}), text_of({bob_reads, ann}));
}

TEST(NamesTest, NullAndEmptyDataDiffer) {
  Names names = names_from("/p1", 10, 77);
  Reply null;
  Reply empty;
  empty.data = Data("");
  EXPECT_NE(names.reply(OpCode::kGetData, null), names.reply(OpCode::kGetData, empty));
}

TEST(NamesTest, AFailedMultiNamesItsOperation) {
  Names names = names_from("/p1", 10, 77);
  Reply first(Error::kNoNode);
  Reply second(Error::kNoNode);
  first.set_details(ReplyDetails::failed_at(0));
  second.set_details(ReplyDetails::failed_at(1));
  EXPECT_NE(names.reply(OpCode::kMulti, first), names.reply(OpCode::kMulti, second));
}

}  // namespace
}  // namespace lockstep::differential
