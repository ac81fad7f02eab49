// Programs as data: generated from a seed, formatted, parsed and shrunk.
#include "differential/program.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "differential/check.h"
#include "differential/exclusion.h"
#include "differential/generate.h"
#include "differential/program_text.h"
#include "differential/shrink_program.h"
#include "support/error_of.h"

namespace lockstep::differential {
namespace {

constexpr int kPrograms = 300;

TEST(GenerateTest, TheSeedDeterminesTheProgram) {
  EXPECT_EQ(generate(7), generate(7));
  EXPECT_NE(generate(7), generate(8));
}

TEST(GenerateTest, ProgramsHaveUpToFortyRequestsOfUpToFourSessions) {
  std::set<int> sessions;
  std::uint64_t seed = 1;
  for (int i = 0; i < kPrograms; ++i, seed = seed_after(seed)) {
    const Program program = generate(seed);
    EXPECT_GE(program.size(), 1U);
    EXPECT_LE(program.size(), 40U);
    sessions.insert(program.sessions());
  }
  EXPECT_EQ(sessions, (std::set<int>{1, 2, 3, 4}));
}

TEST(ProgramTextTest, ParsingAFormattedProgramGivesItBack) {
  std::uint64_t seed = 1;
  for (int i = 0; i < kPrograms; ++i, seed = seed_after(seed)) {
    const Program program = generate(seed);
    EXPECT_EQ(parse_program(format(program)), program) << format(program);
  }
}

TEST(ProgramTextTest, EverythingHasATextForm) {
  const std::string text =
      "s0 send\n"
      "  create \"/a\\x00\\x22\" data \"x\" mode sequential-ttl ttl 5 acl [ 31 \"world\" "
      "\"anyone\" ] [ -1 \"ip\" \"10.0.0.0/8\" ]\n"
      "  set_acl \"\" version -2 acl none\n"
      "  multi { check \"/a\" version 0 ; remove @\"/zookeeper\" }\n"
      "  multi { }\n"
      "  add_auth \"digest\" \"ann:secret\"\n"
      "  get_children \"/a\" watch\n"
      "s3 lose 1\n"
      "  sync \"/a\"\n"
      "s2 expire\n";
  EXPECT_EQ(format(parse_program(text)), text);
}

TEST(ProgramTextTest, CommentsAndEmptyLinesAreIgnored) {
  EXPECT_EQ(parse_program("# why\n\ns0 close\n"), parse_program("s0 close\n"));
}

TEST(ProgramTextTest, AnErrorNamesTheMalformedLine) {
  for (const std::string text :
       {"s4 send\n", "s0 dance\n", "  exists \"/a\"\n", "s0 send\n  exists /a\n",
        "s0 send\n  exists \"/a\n", "s0 send\n  exists \"/a\" version x\n", "s0 close now\n",
        "s0 send\n  multi { exists \"/a\"\n"}) {
    const std::string complaint =
        support::message_of<std::runtime_error>([&] { static_cast<void>(parse_program(text)); });
    EXPECT_TRUE(complaint.starts_with("line ")) << text << ": " << complaint;
  }
}

TEST(ShrinkProgramTest, EveryStepCanBeLeftOut) {
  const Program program = parse_program("s0 close\ns1 kill\ns0 open\n");
  std::set<std::string> texts;
  for (const Program& smaller : simpler(program)) texts.insert(format(smaller));
  EXPECT_TRUE(texts.contains(""));
  EXPECT_TRUE(texts.contains("s1 kill\ns0 open\n"));
  EXPECT_TRUE(texts.contains("s0 close\ns0 open\n"));
  EXPECT_TRUE(texts.contains("s0 close\ns0 kill\ns0 open\n"));  // One session fewer.
}

TEST(ShrinkProgramTest, ARequestLosesNeedlessOptions) {
  const Program program = parse_program("s0 send\n  get_data \"/a\" watch\n  exists \"/b\"\n");
  std::set<std::string> texts;
  for (const Program& smaller : simpler(program)) texts.insert(format(smaller));
  EXPECT_TRUE(texts.contains("s0 send\n  get_data \"/a\"\n  exists \"/b\"\n"));
  EXPECT_TRUE(texts.contains("s0 send\n  exists \"/b\"\n"));
  EXPECT_TRUE(texts.contains("s0 send\n  get_data \"/a\" watch\ns0 send\n  exists \"/b\"\n"));
}

TEST(ShrinkProgramTest, EveryCandidateDiffers) {
  std::uint64_t seed = 1;
  for (int i = 0; i < 20; ++i, seed = seed_after(seed)) {
    const Program program = generate(seed);
    for (const Program& smaller : simpler(program)) EXPECT_NE(smaller, program);
  }
}

TEST(ExclusionTest, EachHasItsReasonAndStatement) {
  for (std::size_t i = 0; i < kExclusions.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kExclusions[i].exclusion), i);
    EXPECT_TRUE(kExclusions[i].statement.starts_with("Z"));
    EXPECT_FALSE(kExclusions[i].reason.empty());
  }
}

}  // namespace
}  // namespace lockstep::differential
