#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "run_program.h"

namespace lockstep {
namespace {

nlohmann::json violation_found(const std::string& scenario) {
  const ProgramRun run = run_program({"hunt", scenario, "--seed", "21", "--json"});
  EXPECT_EQ(run.status, 1) << run.out << run.err;
  return run.json().at("violation");
}

std::string found(const std::string& scenario) { return violation_found(scenario).at("replay"); }

std::string found() { return found("zoo-01-wait-after-missing-predecessor"); }

// The parts of a replay string between its slashes.
enum Part : std::size_t { kVersion, kScenario, kSize, kFaults, kDeviations, kChecks };

std::string with(Part part, const std::string& replacement, std::string replay) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < part; ++i) begin = replay.find('/', begin) + 1;
  const std::size_t end = std::min(replay.find('/', begin), replay.size());
  return replay.replace(begin, end - begin, replacement);
}

TEST(ReplayTest, ReproducesTheFindingOfAHunt) {
  const nlohmann::json scenarios = run_program({"list", "--json"}).json().at("scenarios");
  for (const nlohmann::json& scenario : scenarios) {
    if (scenario.at("expects") == "pass") continue;
    SCOPED_TRACE(scenario.dump());
    const nlohmann::json violation = violation_found(scenario.at("name"));
    const std::string replay = violation.at("replay");
    const ProgramRun text = run_program({"replay", replay});
    EXPECT_EQ(text.status, 1) << text.out << text.err;
    EXPECT_EQ(text.err, "");
    EXPECT_NE(text.out.find("Reproduced"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("step     time"), std::string::npos) << text.out;

    const ProgramRun json = run_program({"replay", replay, "--json"});
    EXPECT_EQ(json.status, 1);
    const nlohmann::json result = json.json();
    EXPECT_EQ(result.at("result"), "reproduced");
    EXPECT_EQ(result.at("scenario"), scenario.at("name"));
    EXPECT_EQ(result.at("violation").at("oracle"), violation.at("oracle"));
    EXPECT_EQ(result.at("replay"), replay);
    EXPECT_TRUE(result.at("diverged_at_step").is_null());
  }
}

#if LOCKSTEP_WITH_ZOOKEEPER
// The same lock on the production backend, with the C client and all threads.
TEST(ReplayTest, ReproducesAFindingOnTheProductionBackend) {
  const ProgramRun hunt = run_program({"hunt", "textbook-a", "--backend", "zookeeper", "--faults",
                                       "none", "--seed", "1", "--json"});
  EXPECT_EQ(hunt.status, 1) << hunt.out << hunt.err;
  const nlohmann::json found = hunt.json();
  EXPECT_EQ(found.at("scenario"), "textbook-a");
  EXPECT_EQ(found.at("backend"), "zookeeper");
  EXPECT_EQ(found.at("violation").at("oracle"), "L1");
  const std::string replay = found.at("violation").at("replay");
  EXPECT_TRUE(replay.starts_with("lockstep1/textbook-a+zookeeper/")) << replay;
  const nlohmann::json result = run_program({"replay", replay, "--json"}).json();
  EXPECT_EQ(result.at("result"), "reproduced");
}
#endif

TEST(ReplayTest, ReadsTheStringFromAFile) {
  const std::string name = testing::TempDir() + "lockstep_replay_test";
  std::ofstream(name) << "\n  " << found() << "\r\n\n";
  EXPECT_EQ(run_program({"replay", "@" + name}).status, 1);
  std::filesystem::remove(name);
}

TEST(ReplayTest, BlanksAroundTheStringDoNotMatter) {
  EXPECT_EQ(run_program({"replay", " " + found() + " \r\n"}).status, 1);
}

TEST(ReplayTest, ALegendExplainsTheMarksOfTheLanes) {
  const std::string text = run_program({"replay", found()}).out;
  const std::size_t lanes = text.find("!! L1 is broken");
  ASSERT_NE(lanes, std::string::npos) << text;
  EXPECT_NE(text.find("# holds", lanes), std::string::npos) << text;
  EXPECT_EQ(text.find("** "), std::string::npos) << "no fault, no mark of it: " << text;
}

TEST(ReplayTest, MisuseIsNotReportedAsABrokenGuarantee) {
  for (const auto& [scenario, words] :
       {std::pair("textbook-d-recursion",
                  "fails with crash (an exception escaped, or the process ended)"),
        std::pair("zoo-43-locks-in-any-order", "fails with deadlock (no contender can go on)"),
        std::pair("textbook-b-oversell", "fails with user:oversold (the scenario's own check")}) {
    const std::string text = run_program({"replay", found(scenario)}).out;
    EXPECT_NE(text.find(words), std::string::npos) << text;
    EXPECT_EQ(text.find("is broken"), std::string::npos) << text;
  }
}

TEST(ReplayTest, AnExecutionThatBreaksNothingIsNotReproduced) {
  const std::string calm = with(kDeviations, "calm", found());
  const std::string sound = run_program({"replay", calm, "--json"}).json().at("replay");
  const ProgramRun text = run_program({"replay", sound});
  EXPECT_EQ(text.status, 0) << text.out << text.err;
  EXPECT_NE(text.out.find("Not reproduced"), std::string::npos) << text.out;
  const nlohmann::json result = run_program({"replay", sound, "--json"}).json();
  EXPECT_EQ(result.at("result"), "not reproduced");
  EXPECT_TRUE(result.at("violation").is_null());
}

TEST(ReplayTest, AnExecutionThatWasNotRecordedMayBeAnotherOne) {
  const ProgramRun run = run_program({"replay", "lockstep1/fair-mutex/c2r1/none/calm/unknown"});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_NE(run.out.find("Not reproduced: this schedule breaks nothing now (its execution was not "
                         "recorded, so it may be another one)."),
            std::string::npos)
      << run.out;
}

TEST(ReplayTest, OtherDeviationsDivergeAtTheFirstOfThem) {
  const std::string replay = found();
  const ProgramRun text = run_program({"replay", with(kDeviations, "calm", replay)});
  EXPECT_EQ(text.status, 3) << text.out << text.err;
  EXPECT_NE(text.out.find("Diverged: step "), std::string::npos) << text.out;

  const ProgramRun json = run_program({"replay", with(kDeviations, "calm", replay), "--json"});
  EXPECT_EQ(json.status, 3);
  const nlohmann::json result = json.json();
  EXPECT_EQ(result.at("result"), "diverged");
  // Without faults there is one choice per step, so the first deviation names the step.
  const std::size_t at = replay.rfind('/', replay.rfind('/') - 1) + 1;
  EXPECT_EQ(result.at("diverged_at_step"), std::stoi(replay.substr(at)) + 1) << replay;
}

TEST(ReplayTest, AnotherSizeOrScenarioDiverges) {
  EXPECT_EQ(run_program({"replay", with(kSize, "c3r2", found())}).status, 3);
  EXPECT_EQ(run_program({"replay", with(kScenario, "fair-mutex", found())}).status, 3);
}

TEST(ReplayTest, AShorterOrLongerExecutionSaysSo) {
  const std::string replay = found();
  const std::string checks = replay.substr(replay.rfind('/') + 1);
  const std::string other = std::string(16, '0') + checks.substr(16);
  const std::string shorter = other.substr(0, other.size() - 4);
  const ProgramRun goes_on = run_program({"replay", with(kChecks, shorter, replay)});
  EXPECT_EQ(goes_on.status, 3);
  EXPECT_NE(goes_on.out.find("this one goes on"), std::string::npos) << goes_on.out;
  const ProgramRun ends = run_program({"replay", with(kChecks, other + "0000", replay)});
  EXPECT_EQ(ends.status, 3);
  EXPECT_NE(ends.out.find("this execution ends after step"), std::string::npos) << ends.out;
}

TEST(ReplayTest, NoTamperedHashOrCheckIsReproduced) {
  const std::string replay = found();
  for (std::size_t at = replay.rfind('/') + 1; at < replay.size(); ++at) {
    std::string tampered = replay;
    tampered[at] = replay[at] == '5' ? '6' : '5';
    const ProgramRun run = run_program({"replay", tampered});
    EXPECT_TRUE(run.status == 2 || run.status == 3) << tampered << '\n' << run.out;
  }
}

}  // namespace
}  // namespace lockstep
