#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>

#include "program/hunt_result.h"
#include "run_program.h"

namespace lockstep {
namespace {

std::vector<nlohmann::json> scenarios() {
  const nlohmann::json list = run_program({"list", "--json"}).json();
  return list.at("scenarios");
}

ProgramRun hunt(const std::string& arguments) { return run_program(words("hunt " + arguments)); }

TEST(HuntTest, JsonOfASoundLockHasTheKeysAndTypes) {
  const ProgramRun run = hunt("fair-mutex --json --seed 5 --executions 100");
  ASSERT_EQ(run.status, 0);
  EXPECT_EQ(run.err, "");
  const nlohmann::json result = run.json();
  EXPECT_EQ(result.at("scenario"), "fair-mutex");
  EXPECT_EQ(result.at("seed"), 5);
  EXPECT_EQ(result.at("clients"), 3);
  EXPECT_EQ(result.at("rounds"), 1);
  EXPECT_EQ(result.at("faults"), "all");
  EXPECT_EQ(result.at("fault_budget"), 2);
  EXPECT_EQ(result.at("executions"), 100);
  EXPECT_TRUE(result.at("strategy").is_string());
  EXPECT_GT(result.at("steps").get<std::uint64_t>(), 100U);
  EXPECT_GT(result.at("seconds").get<double>(), 0);
  EXPECT_GT(result.at("executions_per_second").get<double>(), 0);
  EXPECT_EQ(result.at("exhausted"), false);
  EXPECT_TRUE(result.at("traces").is_null());
  EXPECT_TRUE(result.at("final_states").is_null());
  const std::string hash = result.at("trace_hash");
  EXPECT_EQ(hash.size(), 16U);
  EXPECT_EQ(hash.find_first_not_of("0123456789abcdef"), std::string::npos) << hash;
  EXPECT_EQ(result.at("stopped_by"), "count");
  EXPECT_TRUE(result.at("violation").is_null());
}

TEST(HuntTest, CoverageSaysWhatWasReachedAndWhatNever) {
  const std::string arguments = "fair-mutex --seed 5 --executions 300 --coverage --json --jobs ";
  const ProgramRun run = hunt(arguments + "1");
  ASSERT_EQ(run.status, 0);
  const nlohmann::json coverage = run.json().at("coverage");
  EXPECT_GT(coverage.at("traces").get<int>(), 200);
  EXPECT_GT(coverage.at("states").get<int>(), coverage.at("traces").get<int>());
  EXPECT_GT(coverage.at("faults").at("cut").get<int>(), 0);
  EXPECT_EQ(coverage.at("faults").at("lag"), 0);
  EXPECT_EQ(coverage.at("events").at("replicate"), 0);
  EXPECT_EQ(hunt(arguments + "2").json().at("coverage"), coverage);
  const ProgramRun text = hunt("fair-mutex --seed 5 --executions 300 --coverage");
  EXPECT_NE(text.out.find("never lag, replica-partition, leader-change"), std::string::npos)
      << text.out;
  EXPECT_FALSE(hunt("fair-mutex --executions 1 --json").json().contains("coverage"));
  EXPECT_EQ(hunt("fair-mutex --strategy exhaustive --coverage").status, 2);
}

TEST(HuntTest, JsonOfABrokenLockHasTheViolation) {
  const ProgramRun run = hunt("zoo-07-create-without-guid --json --seed 5");
  ASSERT_EQ(run.status, 1);
  const nlohmann::json result = run.json();
  EXPECT_EQ(result.at("stopped_by"), "violation");
  const nlohmann::json violation = result.at("violation");
  EXPECT_EQ(violation.at("oracle"), "L1");
  EXPECT_FALSE(violation.at("message").get<std::string>().empty());
  EXPECT_EQ(violation.at("execution"), result.at("executions").get<std::uint64_t>() - 1);
  EXPECT_GT(violation.at("steps").get<int>(), 0);
  EXPECT_LE(violation.at("deviations").get<int>(), violation.at("original_deviations").get<int>());
  EXPECT_TRUE(violation.at("replay").get<std::string>().starts_with("lockstep1/zoo-07-"));
}

TEST(HuntTest, AnExhaustiveSearchSaysSo) {
  const std::string arguments =
      "fair-mutex --clients 2 --strategy exhaustive --faults cut,timer --fault-budget 1";
  const ProgramRun run = hunt(arguments + " --json");
  ASSERT_EQ(run.status, 0) << run.err;
  const nlohmann::json result = run.json();
  EXPECT_EQ(result.at("strategy"), "exhaustive");
  EXPECT_EQ(result.at("exhausted"), true);
  EXPECT_EQ(result.at("stopped_by"), "exhaustion");
  EXPECT_EQ(result.at("fault_budget_exhausted"), 1);
  EXPECT_GT(result.at("traces").get<int>(), 100);
  EXPECT_GT(result.at("final_states").get<int>(), 10);
  EXPECT_GT(result.at("traces_by_fault").at("cut").get<int>(), 0);
  EXPECT_GT(result.at("traces_by_fault").at("timer").get<int>(), 0);
  EXPECT_TRUE(result.at("violation").is_null());
  const nlohmann::json sleep = hunt(arguments + " --reduction sleep --json").json();
  EXPECT_EQ(sleep.at("traces"), result.at("traces"));
  EXPECT_EQ(sleep.at("final_states"), result.at("final_states"));
  EXPECT_NE(hunt(arguments).out.find("exhausted: "), std::string::npos);
}

TEST(HuntTest, BlockingCodeIsHuntedUnderItsOwnName) {
  const ProgramRun run = hunt("fair-mutex --blocking --executions 2000 --seed 1 --json");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.json().at("scenario"), "fair-mutex-blocking");
  EXPECT_EQ(run.json().at("executions"), 2000);
  EXPECT_EQ(hunt("fair-mutex-blocking --executions 2000 --seed 1 --json").json().at("trace_hash"),
            run.json().at("trace_hash"));
}

TEST(HuntTest, AnExhaustiveSearchEndsWithTheFirstViolation) {
  const ProgramRun run =
      hunt("zoo-01-wait-after-missing-predecessor --strategy exhaustive --faults none --json");
  ASSERT_EQ(run.status, 1) << run.err;
  const nlohmann::json result = run.json();
  EXPECT_EQ(result.at("exhausted"), false);
  EXPECT_EQ(result.at("stopped_by"), "violation");
  EXPECT_EQ(result.at("violation").at("oracle"), "L1");
}

TEST(HuntTest, AnUnfinishedExhaustiveSearchSaysSo) {
  const ProgramRun run = hunt("fair-mutex --strategy exhaustive --executions 2000 --json");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.json().at("exhausted"), false);
  EXPECT_EQ(run.json().at("stopped_by"), "count");
}

TEST(HuntTest, TheDefaultIsTheContractsDefault) {
  const nlohmann::json result = hunt("fair-mutex --json").json();
  EXPECT_EQ(result.at("strategy"), "portfolio");
  EXPECT_EQ(result.at("executions"), 20'000);
  EXPECT_EQ(result.at("jobs"), 1);
}

TEST(HuntTest, DrawsASeedAndSaysWhichOne) {
  std::set<std::uint64_t> seeds;
  for (int i = 0; i < 3; ++i) {
    seeds.insert(hunt("fair-mutex --executions 1 --json").json().at("seed").get<std::uint64_t>());
  }
  EXPECT_GT(seeds.size(), 1U);
  const ProgramRun text = hunt("fair-mutex --executions 1");
  EXPECT_NE(text.out.find("seed "), std::string::npos) << text.out;
}

TEST(HuntTest, TextNamesEverythingThatMatters) {
  const ProgramRun run = hunt("fair-mutex --executions 1500 --seed 77 --faults cut:1,expiry");
  ASSERT_EQ(run.status, 0);
  EXPECT_EQ(run.err, "");
  for (const std::string part :
       {"fair-mutex", "no violation", "1 500 executions", "seed 77", "portfolio", "cut:1, expiry",
        "3 clients", "1 round", "per second"}) {
    EXPECT_NE(run.out.find(part), std::string::npos) << "'" << part << "' is not in: " << run.out;
  }
}

TEST(HuntTest, TheDefaultScheduleBreaksNothing) {
  for (const nlohmann::json& scenario : scenarios()) {
    if (scenario.contains("calm_fails")) continue;
    const std::string name = scenario.at("name");
    EXPECT_EQ(hunt(name + " --executions 1 --faults none").status, 0) << name;
  }
}

TEST(HuntTest, TheFairMutexHolds) {
  const ProgramRun run = hunt("fair-mutex --executions 20000 --seed 3 --json");
  EXPECT_EQ(run.status, 0) << run.out;
  EXPECT_EQ(run.json().at("executions"), 20'000);
}

// A recipe that deletes its own znode breaks S4 while it holds, and R2 if the release has begun and
// finds nothing to delete.
bool shows(const std::string& oracle, const std::string& expected) {
  return oracle == expected || (expected == "S4" && oracle == "R2");
}

// Finding a bug must not depend on a lucky seed.
TEST(HuntTest, EveryBrokenLockIsCaughtFromManySeeds) {
  for (const nlohmann::json& scenario : scenarios()) {
    if (scenario.at("expects") == "pass") continue;
    int as_expected = 0;
    for (int seed = 0; seed < 11; ++seed) {
      const std::string arguments = scenario.at("name").get<std::string>() +
                                    " --executions 10000 --json --seed " + std::to_string(seed);
      SCOPED_TRACE(arguments);
      const ProgramRun run = hunt(arguments);
      ASSERT_EQ(run.status, 1) << run.out << run.err;
      const nlohmann::json violation = run.json().at("violation");
      if (shows(violation.at("oracle"), scenario.at("expects"))) ++as_expected;
      // A livelock may need a deviation at each of many steps.
      if (scenario.at("expects") == "livelock") continue;
      EXPECT_LE(violation.at("deviations").get<int>(), 10);
    }
    // A flaw may break another guarantee first: a duplicate znode makes contenders wait for it, or
    // becomes an orphan.
    EXPECT_GE(as_expected, 9) << scenario;
  }
}

TEST(HuntTest, EqualArgumentsGiveEqualHashesForAnyNumberOfJobs) {
  for (const std::string scenario :
       {"fair-mutex --executions 3000", "fair-mutex --executions 3000 --faults none",
        "zoo-07-create-without-guid --faults cut:1 --executions 3000"}) {
    std::set<std::string> results;
    for (const std::string jobs : {"1", "2", "3", "7", "1"}) {
      nlohmann::json result = hunt(scenario + " --seed 9 --json --jobs " + jobs).json();
      for (const char* varies : {"seconds", "executions_per_second", "jobs"}) result.erase(varies);
      results.insert(result.dump());
    }
    EXPECT_EQ(results.size(), 1U) << scenario << '\n' << testing::PrintToString(results);
  }
}

TEST(HuntTest, OtherSeedsGiveOtherHashes) {
  std::set<std::string> hashes;
  for (const std::string seed : {"1", "2", "18446744073709551615"}) {
    hashes.insert(hunt("fair-mutex --executions 50 --json --seed " + seed).json().at("trace_hash"));
  }
  EXPECT_EQ(hashes.size(), 3U);
}

TEST(HuntTest, PartsOfAHuntAddUpToTheWhole) {
  const auto hash_of = [](const std::string& part) {
    const nlohmann::json result = hunt("fair-mutex --seed 4 --json " + part).json();
    return std::stoull(result.at("trace_hash").get<std::string>(), nullptr, 16);
  };
  const auto whole = hash_of("--executions 2500");
  EXPECT_EQ(hash_of("--executions 1100") + hash_of("--first 1100 --executions 1400"), whole);
}

TEST(HuntTest, StopsWhenTheTimeIsOver) {
  const ProgramRun run = hunt("fair-mutex --seconds 0.05 --json");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.json().at("stopped_by"), "time");
  const ProgramRun both = hunt("fair-mutex --seconds 1000 --executions 10 --json");
  EXPECT_EQ(both.json().at("stopped_by"), "count");
  EXPECT_EQ(both.json().at("executions"), 10);
}

TEST(HuntTest, AHuntWithoutFaultsInjectsNone) {
  for (const std::string none : {"--faults none", "--faults all --fault-budget 0"}) {
    const nlohmann::json result =
        hunt("zoo-07-create-without-guid --executions 3000 --seed 1 --json " + none).json();
    EXPECT_EQ(result.at("faults"), "none");
    EXPECT_EQ(result.at("fault_budget"), 0);
    EXPECT_TRUE(result.at("violation").is_null()) << "this bug needs a cut";
  }
}

TEST(HuntTest, ThePrintedCommandsRepeatTheFinding) {
  const ProgramRun text = hunt("zoo-01-wait-after-missing-predecessor --seed 12 --faults cut:1");
  ASSERT_EQ(text.status, 1);
  EXPECT_NE(text.out.find("breaks L1"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("WAITS FOR EVER"), std::string::npos) << text.out;
  const std::string replay = after("Replay it:", text.out);
  EXPECT_EQ(run_command(words(replay)).status, 1);
  const ProgramRun again = run_command(words(after("Hunt again:", text.out) + " --json"));
  EXPECT_EQ(again.status, 1);
  const nlohmann::json result = again.json();
  EXPECT_EQ(words(replay).back(), result.at("violation").at("replay").get<std::string>());
  EXPECT_EQ(result.at("stopped_by"), "violation");
}

TEST(HuntTest, AReportNamesTheVersion) {
  const std::string version = words(run_program({"--version"}).out).at(1);
  const std::string sound = hunt("fair-mutex --seed 5 --executions 10").out;
  EXPECT_NE(sound.find(", by lockstep " + version + ".\n"), std::string::npos) << sound;
  EXPECT_EQ(words(after("Found by:", hunt("zoo-01 --seed 1").out)).at(1), version);
}

TEST(HuntTest, OnlyALongHuntMentionsIdleCores) {
  EXPECT_NE(program::hint_at_cores(60, 16).find("--jobs 16"), std::string::npos);
  EXPECT_EQ(program::hint_at_cores(0.1, 16), "");
  EXPECT_EQ(program::hint_at_cores(60, 8), "");
  EXPECT_EQ(program::hint_at_cores(60, 0), "") << "nobody knows how many there are";
}

// "2 jobs".
std::string jobs_in(const ProgramRun& run) {
  const std::string before = "executions per second with ";
  const std::size_t at = run.out.find(before);
  if (at == std::string::npos) return run.out + run.err;
  const std::string text = run.out.substr(at + before.size());
  return text.substr(0, text.find(','));
}

TEST(HuntTest, PeopleGetAJobPerProcessorAndScriptsGetOne) {
  const std::string few = "fair-mutex --seed 5 --executions 10";
  const unsigned processors = std::clamp(std::thread::hardware_concurrency(), 1U, 8U);
  const std::string all = std::to_string(processors) + (processors == 1 ? " job" : " jobs");
  EXPECT_EQ(jobs_in(hunt(few)), all);
  EXPECT_EQ(jobs_in(hunt(few + " --jobs 3")), "3 jobs");
  EXPECT_EQ(jobs_in(hunt("double-barrier --seed 5 --executions 10")), "1 job")
      << "its clients share memory";
  EXPECT_EQ(hunt(few + " --json").json().at("jobs"), 1);
  const std::string proof = " --clients 1 --strategy exhaustive --faults none";
  EXPECT_NE(hunt("fair-mutex" + proof).out.find(", with " + all + ", by lockstep"),
            std::string::npos);
  EXPECT_NE(hunt("fair-mutex --executions 1000" + proof).out.find(", with 1 job, by lockstep"),
            std::string::npos);
}

#if LOCKSTEP_WITH_ZOOKEEPER
TEST(HuntTest, ThreadsOfTheCClientAreHuntedByOneJob) {
  EXPECT_EQ(jobs_in(hunt("fair-mutex --backend zookeeper --seed 5 --executions 10")), "1 job");
}
#endif

}  // namespace
}  // namespace lockstep
