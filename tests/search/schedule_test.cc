#include "lockstep/search/schedule.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/fakezk/fault.h"
#include "lockstep/fakezk/random_stream.h"
#include "search/menu_parts.h"

namespace lockstep::fakezk {
namespace {

FaultPlan random_faults(RandomStream& random) {
  FaultPlan plan;
  if (random.below(4) == 0) return plan;
  plan.set_total(1 + random.below(9));
  for (std::size_t i = 0; i < kFaultKinds; ++i) {
    const std::uint32_t what = random.below(3);
    const std::uint32_t cap = 1 + random.below(5);
    if (what == 1) plan.allow(static_cast<FaultKind>(i), cap);
    if (what == 2) plan.allow(static_cast<FaultKind>(i));
  }
  return plan.any() ? plan : FaultPlan();
}

search::ReplayString random_replay(RandomStream& random) {
  search::ReplayString replay;
  const std::uint32_t letters = 1 + random.below(20);
  for (std::uint32_t i = 0; i < letters; ++i) {
    replay.scenario += "abcxyz0189-_.:,"[random.below(15)];
  }
  replay.clients = 1 + random.below(1000);
  replay.rounds = 1 + random.below(0xfffffffe);
  replay.faults = random_faults(random);
  const std::uint32_t deviations = random.below(12);
  std::uint32_t position = 0;
  for (std::uint32_t i = 0; i < deviations; ++i) {
    position += 1 + random.below(1000);
    const bool fault = random.below(2) == 0;
    const auto index = static_cast<std::uint32_t>(random.next());
    replay.deviations.push_back(Deviation{position, Choice{fault, index}});
  }
  replay.trace_hash = random.next();
  const std::uint32_t checks = random.below(40);
  for (std::uint32_t i = 0; i < checks; ++i) {
    replay.checks.push_back(static_cast<std::uint8_t>(random.below(256)));
  }
  return replay;
}

search::ReplayString example() {
  search::ReplayString replay;
  replay.scenario = "fair-mutex";
  replay.clients = 3;
  replay.rounds = 1;
  replay.faults.allow(FaultKind::kCut);
  replay.faults.allow(FaultKind::kExpiry, 1);
  replay.faults.set_total(2);
  replay.deviations = {Deviation{12, Choice{false, 2}}, Deviation{19, Choice{true, 1}}};
  replay.trace_hash = 0x0123456789abcdef;
  replay.checks = {0x00, 0xff, 0x1e};
  return replay;
}

// Returns the complaint of parse, and checks that a refused text changes nothing.
std::string complaint_about(std::string_view text) {
  search::ReplayString into = example();
  into.scenario = "untouched";
  const search::ReplayString before = into;
  std::string complaint = search::ReplayString::parse(text, into);
  if (!complaint.empty()) {
    EXPECT_EQ(into, before) << text;
  }
  return complaint;
}

TEST(ReplayStringTest, IsOneWordOfSixFields) {
  EXPECT_EQ(example().text(),
            "lockstep1/fair-mutex/c3r1/b2:cut,expiry:1/12.2,19.F1/0123456789abcdef.00ff1e");
  search::ReplayString calm;
  calm.scenario = "x";
  calm.clients = 1;
  calm.rounds = 2;
  EXPECT_EQ(calm.text(), "lockstep1/x/c1r2/none/calm/0000000000000000.");
}

TEST(ReplayStringTest, ExecutionThatDidNotEndHasNoHash) {
  search::ReplayString died = example();
  died.known = false;
  died.trace_hash = 0;
  died.checks.clear();
  EXPECT_EQ(died.text(), "lockstep1/fair-mutex/c3r1/b2:cut,expiry:1/12.2,19.F1/unknown");
  search::ReplayString read;
  ASSERT_EQ(search::ReplayString::parse(died.text(), read), "");
  EXPECT_EQ(read, died);
}

TEST(ReplayStringTest, VeryLongExecutionsKeepTheFirstChecks) {
  search::ReplayString endless = example();
  endless.keep(std::vector<std::uint8_t>(search::ReplayString::kMostChecks, 7));
  EXPECT_FALSE(endless.goes_on);
  endless.keep(std::vector<std::uint8_t>(20'000, 7));
  EXPECT_TRUE(endless.goes_on);
  EXPECT_EQ(endless.checks.size(), search::ReplayString::kMostChecks);
  EXPECT_LT(endless.text().size(), 2'100U);
  EXPECT_TRUE(endless.text().ends_with("0707+"));
  search::ReplayString read;
  ASSERT_EQ(search::ReplayString::parse(endless.text(), read), "");
  EXPECT_EQ(read, endless);
  EXPECT_NE(complaint_about(endless.text() + "07"), "");
}

// As if the checks had been lost: nothing would show where another execution differs.
TEST(ReplayStringTest, OnlyAFullListOfChecksMayGoOn) {
  EXPECT_NE(complaint_about(example().text() + '+'), "");
  search::ReplayString longest = example();
  longest.keep(std::vector<std::uint8_t>(search::ReplayString::kMostChecks, 7));
  EXPECT_EQ(complaint_about(longest.text()), "");
  EXPECT_EQ(complaint_about(longest.text() + '+'), "");
  EXPECT_NE(complaint_about(longest.text() + "07"), "");
}

TEST(ReplayStringTest, ReadsBackWhatItWrites) {
  RandomStream random(20260201);
  for (int i = 0; i < 2'000; ++i) {
    const search::ReplayString original = random_replay(random);
    search::ReplayString read;
    ASSERT_EQ(search::ReplayString::parse(original.text(), read), "") << original.text();
    ASSERT_EQ(read, original) << original.text();
  }
}

TEST(ReplayStringTest, TruncationIsNoticed) {
  const std::string text = example().text();
  const std::size_t checks = text.find("00ff1e");
  for (std::size_t length = 0; length < text.size(); ++length) {
    const bool whole_bytes = length >= checks && (length - checks) % 2 == 0;
    EXPECT_EQ(complaint_about(text.substr(0, length)).empty(), whole_bytes) << length;
  }
}

// A changed digit may make another schedule, but nothing else may pass for a schedule.
TEST(ReplayStringTest, ChangeOfOneByteIsNoticedOrIsAnotherSchedule) {
  const std::string text = example().text();
  const std::size_t name = text.find("fair-mutex");
  constexpr std::string_view kAlphabet = "0123456789abcdefghijklmnopqrstuvwxyzF.,:/-ABCDEF";
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = text;
      changed[at] = static_cast<char>(value);
      if (changed == text) continue;
      search::ReplayString read;
      if (!search::ReplayString::parse(changed, read).empty()) continue;
      const bool in_name = at >= name && at < name + 10;
      EXPECT_TRUE(in_name || kAlphabet.find(changed[at]) != kAlphabet.npos) << changed;
      search::ReplayString again;
      EXPECT_EQ(search::ReplayString::parse(read.text(), again), "") << changed;
      EXPECT_EQ(again, read) << changed;
    }
  }
}

TEST(ReplayStringTest, EveryFieldHasItsComplaint) {
  const auto about = [](std::string_view text, std::string_view part) {
    EXPECT_NE(complaint_about(text).find(part), std::string::npos)
        << text << " -> " << complaint_about(text);
  };
  about("", "not a replay string");
  about("something else", "not a replay string");
  about("lockstep2/x/c1r1/none/calm/0.", "version 'lockstep2'");
  about("lockstep1", "scenario");
  about("lockstep1//c1r1/none/calm/0.", "scenario");
  for (const char* const size : {"", "c1", "r1", "c0r1", "c1r0", "1r1", "c1r1x", "c-1r1", "cr"}) {
    about("lockstep1/x/" + std::string(size) + "/none/calm/0000000000000000.", "size");
  }
  for (const char* const faults :
       {"", "b", "b2", "b2:", "b:cut", "2:cut", "b2:flood", "b2:stalls", "b2:cut:", "b2:cut:x",
        "b2:cut,", "b0:cut", "b2:cut:0", "b-1:cut", "nothing"}) {
    about("lockstep1/x/c1r1/" + std::string(faults) + "/calm/0000000000000000.", "faults");
  }
  for (const char* const deviations :
       {"", "1", "1.", ".1", "1.F", "F.1", "1.f1", "1.1,", ",1.1", "1.1,,2.1", "2.1,1.1", "1.1,1.2",
        "1.-1", "4294967296.1", "1.4294967296", "1.1 ", "calm,1.1"}) {
    about("lockstep1/x/c1r1/none/" + std::string(deviations) + "/0000000000000000.", "deviations");
  }
  for (const char* const hash :
       {"", ".", "0000000000000000", "000000000000000g.", "10000000000000000.",
        "0000000000000000.1", "0000000000000000.1g", "0000000000000000.11.", "0x00000000000000."}) {
    about("lockstep1/x/c1r1/none/calm/" + std::string(hash), "trace hash");
  }
}

// ----------------------------------------------------------------------------------- Replay

TEST(ReplayTest, GivesEachDeviationAtItsPositionAndTheDefaultElsewhere) {
  const std::vector<Deviation> deviations = {Deviation{1, Choice{false, 7}},
                                             Deviation{2, Choice{true, 3}},
                                             Deviation{5, Choice{false, 9}}};
  search::Replay replay(deviations);
  const NoFaults none;
  const Menu menu({}, none);
  EXPECT_EQ(replay.next(menu), Choice{});
  EXPECT_EQ(replay.next(menu), (Choice{false, 7}));
  EXPECT_EQ(replay.next(menu), (Choice{true, 3}));
  EXPECT_EQ(replay.number(100), 0U);  // Numbers and events share the positions.
  EXPECT_EQ(replay.next(menu), Choice{});
  EXPECT_EQ(replay.number(100), 9U);
  EXPECT_EQ(replay.next(menu), Choice{});
}

// -------------------------------------------------------------------------------- fault plans

TEST(FaultPlanTest, NothingIsAllowedByDefault) {
  const FaultPlan none;
  EXPECT_FALSE(none.any());
  EXPECT_EQ(none.total(), 0U);
  EXPECT_EQ(search::format_faults(none), "none");
  FaultPlan kinds_without_total;
  kinds_without_total.allow(FaultKind::kCut);
  EXPECT_FALSE(kinds_without_total.any());
  FaultPlan total_without_kinds;
  total_without_kinds.set_total(3);
  EXPECT_FALSE(total_without_kinds.any());
  EXPECT_TRUE(FaultPlan::all(1).any());
  EXPECT_FALSE(FaultPlan::all(0).any());
}

TEST(FaultPlanTest, KindsAreKnownByTheirNames) {
  for (std::size_t i = 0; i < kFaultKinds; ++i) {
    const auto kind = static_cast<FaultKind>(i);
    EXPECT_EQ(fault_kind(name(kind)), kind);
  }
  EXPECT_EQ(fault_kind("flood"), std::nullopt);
  EXPECT_EQ(fault_kind(""), std::nullopt);
}

TEST(FaultPlanTest, ListOfKindsMayCapEach) {
  FaultPlan plan;
  plan.set_total(5);
  EXPECT_EQ(search::parse_fault_kinds("cut,expiry:1,timer:0", plan), "");
  EXPECT_EQ(plan.most(FaultKind::kCut), FaultPlan::kUnlimited);
  EXPECT_EQ(plan.most(FaultKind::kExpiry), 1U);
  EXPECT_EQ(plan.most(FaultKind::kKillSession), 0U);
  EXPECT_EQ(plan.most(FaultKind::kTimer), 0U);
  EXPECT_EQ(plan.total(), 5U);
  EXPECT_EQ(search::format_faults(plan), "b5:cut,expiry:1");
}

TEST(FaultPlanTest, AllAndNoneAreLists) {
  FaultPlan plan;
  plan.set_total(2);
  EXPECT_EQ(search::parse_fault_kinds("all", plan), "");
  EXPECT_EQ(plan, FaultPlan::all(2));
  FaultPlan none;
  EXPECT_EQ(search::parse_fault_kinds("none", none), "");
  EXPECT_EQ(none, FaultPlan());
}

TEST(FaultPlanTest, ATextThatIsNoListIsRefusedByName) {
  const auto complaint = [](std::string_view text) {
    FaultPlan plan;
    return search::parse_fault_kinds(text, plan);
  };
  EXPECT_NE(complaint(""), "");
  EXPECT_EQ(complaint("flood"), "unknown fault kind 'flood'");
  EXPECT_EQ(complaint("cut,flood"), "unknown fault kind 'flood'");
  EXPECT_EQ(complaint("Cut"), "unknown fault kind 'Cut'");
  for (const char* const text :
       {"cut:", "cut:x", "cut:-1", "cut:1:2", "cut,", ",cut", "cut,,timer", "all,cut", "cut none",
        "cut,cut", "cut:1,timer,cut:0", "cut:4294967296"}) {
    EXPECT_NE(complaint(text), "") << text;
  }
}

}  // namespace
}  // namespace lockstep::fakezk
