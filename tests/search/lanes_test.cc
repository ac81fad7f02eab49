#include "lockstep/search/lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "lockstep/lab/hunt.h"
#include "lockstep/search/chronicler.h"
#include "lockstep/search/schedule.h"
#include "lockstep/sleep.h"
#include "support/by_hand.h"

namespace lockstep::fakezk {
namespace {

using namespace unit;

// Gives its names to the processes of a simulation.
class Names final : public search::Program {
 public:
  void start(World&, search::Verdict&) override {}
  void finish(World&) override {}
  void clear() override {}
  [[nodiscard]] std::string process_name(std::uint32_t process) const override {
    return process == 0 ? "Alice" : "Bob";
  }
};

class LanesTest : public SimulatedTest {
 protected:
  LanesTest() {
    simulation_.world().begin_trace();
    simulation_.world().set_tracer(&chronicler_);
  }
  ~LanesTest() override { simulation_.world().set_tracer(nullptr); }
  std::string drawn() { return '\n' + draw_lanes(chronicler_.chronicle(Names())); }

  const std::shared_ptr<FakeSession> alice_ = simulation_.open("A");
  const std::shared_ptr<FakeSession> bob_ = simulation_.open("B");
  search::Chronicler chronicler_{simulation_.world()};
};

TEST_F(LanesTest, EachProcessHasALaneAndTimeRunsDown) {
  const Watch watch = must(simulation_.run(watch_exists(*bob_, "/a")), "watch");
  must(simulation_.run(create(*alice_, "/a")), "create");
  simulation_.world().note(1,
                           "holds /lock/_c_01234567-89ab-4def-8123-456789abcdef-lock-0000000003");
  simulation_.advance(1500ms);
  EXPECT_EQ(error_of(simulation_.run(get_data(*alice_, "/b"))), Error::kNoNode);
  EXPECT_EQ(drawn(), R"(
step     time     Alice                               Bob
   1     0 ms                                         -> exists /a: no node, received
   3     0 ms +   -> create /a: ok, received
   4     0 ms                                         == holds /lock/lock-0000000003
   5     0 ms                                         <- ! /a created
   6  1500 ms     -> get_data /b: no node, received
)");
}

TEST_F(LanesTest, ACutIsDrawnWhereItStrikesAndTheRestGoesOnBelow) {
  World& world = simulation_.world();
  world.set_faults(lab::faults_called("cut", 1));
  const Started<Result<void>> synced = simulation_.start(sync(*alice_, "/"));
  const std::vector<Deviation> first_fault = {{0, Choice{true, 0}}};
  search::Replay cut_alice(first_fault);
  world.step(cut_alice);
  simulation_.settle();
  EXPECT_EQ(error_of(synced.result()), Error::kConnectionLoss);
  EXPECT_EQ(drawn(), R"(
step     time     Alice                                  Bob
   1     0 ms     ** the connection is cut, lost: sync
   2     0 ms     <- connection loss
   3     0 ms     -> connects
   4     0 ms     <- connected
)");
}

// Once, this was "connects" for the second time.
TEST_F(LanesTest, ASessionAsksForItsWatchesAgain) {
  const Watch watch = must(simulation_.run(watch_exists(*alice_, "/a")), "watch");
  simulation_.world().set_faults(lab::faults_called("cut", 1));
  const Started<Result<void>> synced = simulation_.start(sync(*alice_, "/"));
  const std::vector<Deviation> first_fault = {{0, Choice{true, 0}}};
  search::Replay cut_alice(first_fault);
  simulation_.world().step(cut_alice);
  simulation_.settle();
  EXPECT_EQ(drawn(), R"(
step     time     Alice                                  Bob
   1     0 ms     -> exists /a: no node, received
   3     0 ms     ** the connection is cut, lost: sync
   4     0 ms     <- connection loss
   5     0 ms     -> connects
   6     0 ms     <- connected
   7     0 ms     -> asks for its watches again
   8     0 ms     <- watches set again
)");
}

TEST_F(LanesTest, ALostReplyAndAWatchEventAreNamed) {
  World& world = simulation_.world();
  const Watch watch = must(simulation_.run(watch_exists(*bob_, "/a")), "watch");
  const auto read = simulation_.start(exists(*bob_, "/b"));
  const auto written = simulation_.start(create(*alice_, "/a"));
  const std::vector<Deviation> alice_first = {{0, Choice{false, 1}}};
  search::Replay replay(alice_first);
  world.step(replay);  // Alice's create; Bob's read is still in flight.
  world.set_faults(lab::faults_called("cut", 1));
  // The second of the possible faults cuts Bob's connection, and everything in flight is lost.
  const std::vector<Deviation> cut_bob = {{0, Choice{true, 1}}};
  search::Replay calm_but_a_cut(cut_bob);
  world.step(calm_but_a_cut);
  EXPECT_NE(drawn().find("** the connection is cut, lost: exists, watch event /a created"),
            std::string::npos)
      << drawn();
  simulation_.settle();
}

TEST_F(LanesTest, ALoopIsShownOnce) {
  for (int i = 0; i < 5; ++i) {
    must(simulation_.run(get_children(*alice_, "/")), "get_children");
    must(simulation_.run(sync(*bob_, "/")), "sync");
  }
  must(simulation_.run(sync(*alice_, "/")), "sync");
  EXPECT_EQ(drawn(), R"(
step     time     Alice                           Bob
   1     0 ms     -> get_children: ok, received
   3     0 ms                                     -> sync: ok, received
 ... these 2 lines come 4 times more, up to step 19
  21     0 ms     -> sync: ok, received
)");
}

TEST_F(LanesTest, TwoRepetitionsAreNoLoop) {
  for (int i = 0; i < 2; ++i) must(simulation_.run(sync(*alice_, "/")), "sync");
  EXPECT_EQ(drawn().find("..."), std::string::npos) << drawn();
}

TEST_F(LanesTest, NotesOfOneStepStandInOneLine) {
  must(simulation_.run(sync(*alice_, "/")), "sync");
  World& world = simulation_.world();
  world.note(0, "HOLDS /a");
  world.note(0, "enters");
  world.note(1, "gives up");
  world.note(0, "LOST " + std::string(60, 'x'));
  const std::string text = drawn();
  EXPECT_NE(text.find("== HOLDS /a, enters\n"), std::string::npos) << text;
  EXPECT_NE(text.find("== gives up\n"), std::string::npos) << text;
}

TEST_F(LanesTest, ZnodesWithOneNumberAreDistinguished) {
  const std::string begin = "/_c_01234567-89ab-4def-8123-456789abcd";
  const std::string other = "/_c_01239567-89ab-4def-8123-456789abcdef-lock-2147483647";
  must(simulation_.run(create(*alice_, begin + "ef-lock-2147483647")), "create");
  must(simulation_.run(create(*bob_, other)), "create");
  must(simulation_.run(create(*bob_, begin + "00-lock-0000000001")), "create");
  for (const std::string name :
       {"/_c_01234\u2026-lock-2147483647", "/_c_01239\u2026-lock-2147483647", "/lock-0000000001"}) {
    EXPECT_NE(drawn().find("-> create " + name + ": ok"), std::string::npos) << drawn();
  }
}

TEST_F(LanesTest, AMarkFollowsTheLockFromItsGrantToItsEnd) {
  World& world = simulation_.world();
  must(simulation_.run(create(*bob_, "/lock", Data(), CreateMode::kEphemeral)), "create");
  world.grant_begins(1, "/lock");
  world.note(1, "HOLDS /lock");
  must(simulation_.run(exists(*alice_, "/lock")), "exists");
  simulation_.kill(*bob_);
  simulation_.settle();
  world.grant_ends(1, "/lock");
  world.note(1, "LOST /lock");
  EXPECT_EQ(drawn(), R"(
step     time     Alice                           Bob
   1     0 ms +                                   -> create /lock: ok, received
   2     0 ms                                   # == HOLDS /lock
   3     0 ms     -> exists /lock: ok, received #
   5     0 ms -                                 : ** the servers end the session, its ephemerals go
   5     0 ms                                   :    - /lock
   6     0 ms                                   : <- connection loss
   7     0 ms                                   : -> connects
   8     0 ms                                   : <- session expired
   8     0 ms                                     == LOST /lock
)");
}

Task<void> nap(Executor& executor) { static_cast<void>(co_await sleep_for(executor, 1s)); }

TEST_F(LanesTest, ATimerIsDrawnWhereItFires) {
  simulation_.start(nap(bob_->executor()));
  simulation_.advance(1s);
  EXPECT_EQ(drawn(), R"(
step     time     Alice          Bob
   0  1000 ms                    ** a timer fires
)");
}

TEST(LanesOfServersTest, ATimerShowsItsEffect) {
  ServerOptions options{.replicas = 3};
  Simulation simulation(options);
  const auto session = simulation.open("A");
  World& world = simulation.world();
  world.begin_trace();
  search::Chronicler chronicler(world);
  world.set_tracer(&chronicler);
  world.servers().isolate(2, simulation.now());
  world.faults().stall(simulation.client("A").process());
  simulation.advance(30s);
  world.set_tracer(nullptr);
  const std::string drawn = draw_lanes(chronicler.chronicle(Names()));
  EXPECT_NE(drawn.find("** replica 2 gives up its leader"), std::string::npos) << drawn;
  EXPECT_NE(drawn.find("** silent sessions expire"), std::string::npos) << drawn;
}

TEST_F(LanesTest, TheServersHaveALaneOnlyIfTheyDoSomethingByThemselves) {
  const auto waiter = start_and_settle(sync(*alice_, "/"));
  ASSERT_TRUE(waiter.done());
  EXPECT_EQ(drawn().find("servers"), std::string::npos) << drawn();
  must(simulation_.run(create(*alice_, "/c", Data(), CreateMode::kContainer)), "create");
  must(simulation_.run(create(*alice_, "/c/x")), "create");
  must(simulation_.run(remove(*alice_, "/c/x")), "remove");
  simulation_.advance(61s);  // The servers check for empty containers once a minute.
  EXPECT_NE(drawn().find("servers"), std::string::npos) << drawn();
  EXPECT_NE(drawn().find("** the leader looks for empty containers"), std::string::npos) << drawn();
  EXPECT_NE(drawn().find("** the servers remove /c"), std::string::npos) << drawn();
}

TEST_F(LanesTest, TheMiddleOfAVeryLongExecutionIsLeftOut) {
  for (int i = 0; i < 500; ++i) {
    static_cast<void>(simulation_.run(exists(*alice_, "/" + std::to_string(i))));
  }
  const std::string text = drawn();
  EXPECT_LT(std::ranges::count(text, '\n'), 130);
  EXPECT_NE(text.find("\n ... "), std::string::npos) << text;
  EXPECT_NE(text.find(" events are left out\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n   1 "), std::string::npos) << text;
  EXPECT_NE(text.find("\n 999 "), std::string::npos) << text;
}

// Adds a thread that goes on to a chronicle.
void goes_on(search::Chronicle& chronicle, std::uint32_t process, const std::string& thread,
             bool overtakes = false) {
  const std::uint32_t step = chronicle.moments.empty() ? 1 : chronicle.moments.back().step + 1;
  chronicle.moments.push_back({.kind = search::Moment::Kind::kGoOn,
                               .step = step,
                               .time_ms = 0,
                               .process = process,
                               .text = thread + "goes on",
                               .overtakes = overtakes});
}

void say(search::Chronicle& chronicle, const std::string& text) {
  goes_on(chronicle, 0, "");
  chronicle.moments.back().kind = search::Moment::Kind::kRemark;
  chronicle.moments.back().text = text;
}

TEST_F(LanesTest, AThreadThatOvertakesAnotherOneIsDrawn) {
  search::Chronicle chronicle = chronicler_.chronicle(Names());
  for (const bool overtakes : {false, true}) {
    goes_on(chronicle, 0, "");
    goes_on(chronicle, 0, "thread 2 ", overtakes);
    goes_on(chronicle, 0, "thread 2 ");
  }
  goes_on(chronicle, 0, "");
  goes_on(chronicle, 1, "");
  EXPECT_EQ('\n' + draw_lanes(chronicle), R"(
step     time     Alice                 Bob
   1     0 ms     == goes on
   5     0 ms     == thread 2 goes on
   7     0 ms     == goes on
   8     0 ms                           == goes on
)");
}

TEST_F(LanesTest, ALongDrawingShowsNoSwitchesOfThreads) {
  search::Chronicle chronicle = chronicler_.chronicle(Names());
  for (int i = 0; i < 40; ++i) {
    for (const char* thread : {"", "thread 2 ", "thread 3 "}) goes_on(chronicle, 0, thread, true);
    say(chronicle, "has done " + std::to_string(i));
  }
  const std::string drawn = draw_lanes(chronicle);
  EXPECT_EQ(drawn.find("thread 2"), std::string::npos) << drawn;
  EXPECT_EQ(drawn.find("left out"), std::string::npos) << drawn;
  EXPECT_NE(drawn.find("has done 15"), std::string::npos) << drawn;
}

TEST_F(LanesTest, LongStepsAndTimesStayApart) {
  for (int i = 0; i < 1200; ++i) must(simulation_.run(sync(*alice_, "/")), "sync");
  simulation_.advance(120s);
  must(simulation_.run(create(*bob_, "/a")), "create");
  simulation_.world().note(1, "gives up");
  search::Chronicle chronicle = chronicler_.chronicle(Names());
  chronicle.violation = search::Violation{"L1", "", 12'345};
  EXPECT_EQ('\n' + draw_lanes(chronicle), R"(
 step      time     Alice                   Bob
    1      0 ms     -> sync: ok, received
 ... this line comes 1199 times more, up to step 2399
 2401 120000 ms +                           -> create /a: ok, received
 2402 120000 ms                             == gives up
12345               !! L1 is broken: no lost wakeup
)");
}

TEST_F(LanesTest, RemarksCannotControlTheTerminal) {
  must(simulation_.run(sync(*alice_, "/")), "sync");
  simulation_.world().note(0, "a\nb\x1b[31m c\x7f d\xc2\x9b e\xc3\xa9");
  const std::string drawn = draw_lanes(chronicler_.chronicle(Names()));
  EXPECT_NE(drawn.find("== a b\ufffd[31m c\ufffd d\ufffd e\u00e9\n"), std::string::npos) << drawn;
}

TEST_F(LanesTest, NoLaneIsTooNarrowToBeDrawn) {
  must(simulation_.run(create(*alice_, "/" + std::string(50, 'x'))), "create");
  for (const std::size_t width : {0, 1, 5, 6}) {
    const std::string drawn = draw_lanes(chronicler_.chronicle(Names()), width);
    EXPECT_EQ(std::ranges::count(drawn, 'x'), 50) << drawn;
  }
}

TEST_F(LanesTest, AStepIsDrawnWithoutItsReply) {
  must(simulation_.run(sync(*alice_, "/")), "sync");
  const search::Chronicle chronicle = chronicler_.chronicle(Names());
  EXPECT_EQ('\n' + draw_step(chronicle, 1), R"(
step     time     Alice          Bob
   1     0 ms     -> sync: ok
)");
}

// Says numbers, a loop, numbers, the loop again, numbers.
void say_loops(search::Chronicle& chronicle, int before, int after) {
  const auto say_numbers = [&](int count) {
    for (int i = 0; i < count; ++i) say(chronicle, std::to_string(i));
  };
  const auto loop = [&] {
    for (int i = 0; i < 10; ++i) say(chronicle, i % 2 == 0 ? "one" : "other");
  };
  say_numbers(before);
  loop();
  say_numbers(20);
  loop();
  say_numbers(after);
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// A loop is drawn as a whole, and the events of one that is left out are counted.
TEST_F(LanesTest, WhereTheMiddleIsLeftOutNoLoopIsCut) {
  for (int before = 37; before <= 42; ++before) {
    for (int after = 74; after <= 82; ++after) {
      search::Chronicle chronicle = chronicler_.chronicle(Names());
      say_loops(chronicle, before, after);
      const std::string drawn = draw_lanes(chronicle);
      const std::size_t loops = count(drawn, " ... these 2 lines come 4 times more");
      EXPECT_EQ(count(drawn, "== one\n"), loops) << drawn;
      EXPECT_EQ(count(drawn, "== other\n"), loops) << drawn;
      const std::size_t all = chronicle.moments.size();
      const std::size_t left_out = all - count(drawn, "== ") - loops * 8;
      const std::string said = " ... " + std::to_string(left_out) + " of " + std::to_string(all) +
                               " events are left out";
      EXPECT_EQ(count(drawn, said), 1U) << said << " is not in\n" << drawn;
    }
  }
}

TEST_F(LanesTest, AViolationIsTheLastLine) {
  must(simulation_.run(sync(*alice_, "/")), "sync");
  search::Chronicle chronicle = chronicler_.chronicle(Names());
  chronicle.violation = search::Violation{"L1", "somebody waits", 2};
  EXPECT_TRUE(
      draw_lanes(chronicle).ends_with("\n   2              !! L1 is broken: no lost wakeup\n"))
      << draw_lanes(chronicle);
  EXPECT_EQ(draw_step(chronicle, 1).find("!!"), std::string::npos);
}

TEST_F(LanesTest, MisuseIsNotReportedAsABrokenGuarantee) {
  must(simulation_.run(sync(*alice_, "/")), "sync");
  search::Chronicle chronicle = chronicler_.chronicle(Names());
  const auto last_line_of = [&](std::string oracle, std::string message = {}) {
    chronicle.violation = search::Violation{std::move(oracle), std::move(message), 2};
    const std::string text = draw_lanes(chronicle);
    return text.substr(text.rfind("!!"));
  };
  EXPECT_EQ(last_line_of("crash"), "!! crash: an exception escaped, or the process ended\n");
  EXPECT_EQ(last_line_of("crash", "A has aborted\nin main"), "!! crash: A has aborted\n");
  EXPECT_EQ(last_line_of("deadlock"), "!! deadlock: no contender can go on\n");
  EXPECT_EQ(last_line_of("user:oversold"), "!! user:oversold: the scenario's own check fails\n");
}

TEST_F(LanesTest, ATextThatIsTooLongForItsLaneGoesOnInTheNextLine) {
  const std::string path = "/" + std::string(100, 'x');
  must(simulation_.run(create(*alice_, path)), "create");
  must(simulation_.run(sync(*alice_, "/")), "sync");
  const search::Chronicle chronicle = chronicler_.chronicle(Names());
  const std::string drawn = draw_lanes(chronicle);
  EXPECT_EQ(drawn.find(path), std::string::npos) << drawn;
  EXPECT_EQ(std::ranges::count(drawn, 'x'), 100) << drawn;
  EXPECT_EQ(drawn.find("\u2026"), std::string::npos) << drawn;
  EXPECT_NE(draw_lanes(chronicle, search::kAnyWidth).find(path), std::string::npos);
}

std::size_t widest_line_of(const std::string& text) {
  std::istringstream lines(text);
  std::size_t most = 0;
  for (std::string line; std::getline(lines, line);) most = std::max(most, line.size());
  return most;
}

TEST_F(LanesTest, AWideScreenShowsTheLanesUnchanged) {
  must(simulation_.run(create(*alice_, "/a")), "create");
  const search::Chronicle chronicle = chronicler_.chronicle(Names());
  EXPECT_EQ(draw_lanes_within(chronicle, 200), draw_lanes(chronicle));
}

TEST_F(LanesTest, OnANarrowerScreenTheLanesGetNarrower) {
  must(simulation_.run(create(*alice_, "/" + std::string(50, 'x'))), "create");
  must(simulation_.run(create(*bob_, "/" + std::string(50, 'y'))), "create");
  const search::Chronicle chronicle = chronicler_.chronicle(Names());
  ASSERT_GT(widest_line_of(draw_lanes(chronicle)), 120U);
  const std::string drawn = draw_lanes_within(chronicle, 120);
  EXPECT_LE(widest_line_of(drawn), 120U) << drawn;
  EXPECT_EQ(std::ranges::count(drawn, 'x'), 50) << drawn;
  EXPECT_EQ(drawn.find("Folded"), std::string::npos) << drawn;
}

TEST_F(LanesTest, BelowAHundredColumnsTheLanesFoldAndSaySo) {
  must(simulation_.run(create(*alice_, "/" + std::string(50, 'x'))), "create");
  must(simulation_.run(create(*bob_, "/" + std::string(50, 'y'))), "create");
  simulation_.world().note(1, "gives up");
  const std::string drawn = '\n' + draw_lanes_within(chronicler_.chronicle(Names()), 80);
  EXPECT_EQ(drawn, R"(
(Folded: 80 columns are too few for lanes side by side.)
step     time   AB
   1     0 ms +     Alice  -> create
                                /xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                                xxx: ok, received
   3     0 ms +     Bob    -> create
                                /yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
                                yyy: ok, received
   4     0 ms       Bob    == gives up
)");
}

TEST_F(LanesTest, AFoldedDrawingBeginsWithinItsColumns) {
  must(simulation_.run(create(*alice_, "/a")), "create");
  search::Chronicle chronicle = chronicler_.chronicle(Names());
  chronicle.processes[0] = "\u00c9mile";
  const std::string drawn = draw_lanes_within(chronicle, 40);
  const std::size_t header = drawn.find("step     time");
  EXPECT_LE(widest_line_of(drawn.substr(0, header)), 40U) << drawn;
  EXPECT_EQ(drawn.substr(header, drawn.find('\n', header) - header), "step     time   \u00c9B");
}

TEST_F(LanesTest, SentencesAreBrokenAtBlanks) {
  must(simulation_.run(sync(*alice_, "/")), "sync");
  search::Chronicle chronicle = chronicler_.chronicle(Names());
  chronicle.moments.front().kind = search::Moment::Kind::kFault;
  chronicle.moments.front().text = "another server becomes the leader";
  const std::string drawn = draw_lanes(chronicle, 24);
  EXPECT_NE(drawn.find("** another server"), std::string::npos) << drawn;
  EXPECT_NE(drawn.find("  becomes the leader"), std::string::npos) << drawn;
}

TEST_F(LanesTest, MessagesNameASessionByItsProcess) {
  must(simulation_.run(sync(*alice_, "/")), "sync");
  const search::Chronicle chronicle = chronicler_.chronicle(Names());
  ASSERT_FALSE(chronicle.sessions.empty());
  const auto& [session, process] = *chronicle.sessions.begin();
  const search::ShortNames short_name(chronicle);
  EXPECT_EQ(short_name(session + " is over"), chronicle.processes[process] + " is over");
  EXPECT_EQ(short_name("session 0xffff, too"), "session 0xffff, too");
}

TEST_F(LanesTest, TheLegendHasTheMarksThatOccur) {
  EXPECT_EQ(legend(search::Chronicle()), "");
  must(simulation_.run(create(*alice_, "/c")), "create");
  EXPECT_EQ(legend(chronicler_.chronicle(Names())), "+ creates   -> applied\n");
  must(simulation_.run(remove(*alice_, "/c")), "remove");
  const std::string both = legend(chronicler_.chronicle(Names()));
  EXPECT_NE(both.find("- deletes"), std::string::npos) << both;
}

TEST(WithoutGuidsTest, LeavesOutTheGuidsOfProtectedCreates) {
  const std::string guid = "_c_01234567-89ab-4def-8123-456789abcdef";
  EXPECT_EQ(search::without_guids("/lock/" + guid + "-lock-0000000003"), "/lock/lock-0000000003");
  EXPECT_EQ(search::without_guids(guid + "-a " + guid + "-b"), "a b");
  for (const std::string& same : std::vector<std::string>{"", "/lock/x-lock-1", "_c_", "/" + guid,
                                                          "_c_short-lock-", guid.substr(0, 30)}) {
    EXPECT_EQ(search::without_guids(same), same);
  }
}

}  // namespace
}  // namespace lockstep::fakezk
