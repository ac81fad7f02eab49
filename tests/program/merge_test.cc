#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "run_program.h"

namespace lockstep {
namespace {

// JSON reports of hunts as files, in a folder of this test.
class MergeTest : public testing::Test {
 protected:
  MergeTest() { std::filesystem::create_directories(folder_); }
  ~MergeTest() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  std::string part(const std::string& name, const std::string& arguments) {
    return file(name, run_program(words("hunt " + arguments + " --json")).out);
  }

  std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) /
                                  (std::string("lockstep_merge_test_") +
                                   testing::UnitTest::GetInstance()->current_test_info()->name());
};

// The part of a report that depends neither on time nor on how the work was divided.
nlohmann::json outcome(const ProgramRun& run) {
  nlohmann::json result = run.json();
  for (const char* varies : {"seconds", "executions_per_second", "jobs"}) result.erase(varies);
  return result;
}

void expect_refusal(const ProgramRun& run, const std::string& named) {
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_NE(run.err.find(named), std::string::npos) << run.err;
}

TEST_F(MergeTest, PartsInAnyOrderAreTheWholeHunt) {
  const std::string a = part("a", "fair-mutex --seed 4 --executions 1100");
  const std::string b = part("b", "fair-mutex --seed 4 --first 1100 --executions 200");
  const std::string c = part("c", "fair-mutex --seed 4 --first 1300 --executions 900");
  const ProgramRun merged = run_program({"merge", c, a, b});
  EXPECT_EQ(merged.status, 0) << merged.err;
  EXPECT_EQ(outcome(merged),
            outcome(run_program(words("hunt fair-mutex --seed 4 --executions 2200 --json"))));
}

TEST_F(MergeTest, TheFirstViolationEndsIt) {
  // A seed whose hunt takes at least two executions, so that it can be divided before the find.
  std::string zoo;
  ProgramRun whole;
  std::uint64_t found = 0;
  for (int seed = 1; found < 2; ++seed) {
    zoo = "zoo-07-create-without-guid --seed " + std::to_string(seed) + " ";
    whole = run_program(words("hunt " + zoo + "--json"));
    ASSERT_EQ(whole.status, 1);
    found = whole.json().at("violation").at("execution");
  }
  const std::string split = std::to_string(found - 1);
  const std::string a = part("a", zoo + "--executions " + split);
  const std::string b = part("b", zoo + "--first " + split);
  const std::string c = part("c", zoo + "--first 5000 --executions 100");
  const ProgramRun merged = run_program({"merge", a, b, c});
  EXPECT_EQ(merged.status, 1) << merged.err;
  EXPECT_EQ(outcome(merged), outcome(whole));
}

TEST_F(MergeTest, PartsThatDoNotFitTogetherAreRejected) {
  const std::string a = part("a", "fair-mutex --seed 4 --executions 10");
  const std::string gap = part("gap", "fair-mutex --seed 4 --first 11 --executions 10");
  const std::string overlap = part("overlap", "fair-mutex --seed 4 --first 9 --executions 10");
  const std::string other = part("other", "fair-mutex --seed 5 --first 10 --executions 10");
  expect_refusal(run_program({"merge", a, gap}), "begins with execution 11");
  expect_refusal(run_program({"merge", a, overlap}), "begins with execution 9");
  expect_refusal(run_program({"merge", a, other}), "seed is 4 and 5");
  expect_refusal(run_program({"merge", a, a}), "begins with execution 0");
  nlohmann::json real =
      run_program(words("hunt fair-mutex --seed 4 --executions 10 --json")).json();
  real["backend"] = "zookeeper";
  real["first"] = 10;
  expect_refusal(run_program({"merge", a, file("real", real.dump())}),
                 R"(backend is "fake" and "zookeeper")");
}

// The scenario of every program that was not compiled for a hunt is "program".
TEST_F(MergeTest, PartsOfDifferentProgramsAreRejected) {
  nlohmann::json one = run_program(words("hunt fair-mutex --seed 4 --executions 10 --json")).json();
  one["scenario"] = "program";
  one["program"] = "-- ./one";
  nlohmann::json other = one;
  other["first"] = 10;
  const std::string a = file("a", one.dump());
  EXPECT_EQ(run_program({"merge", a, file("more", other.dump())}).status, 0);
  other["program"] = "-- ./other";
  expect_refusal(run_program({"merge", a, file("other", other.dump())}),
                 R"(program is "-- ./one" and "-- ./other")");
}

TEST_F(MergeTest, AFileMayHaveBracketsInItsName) {
  part("[a,b]", "fair-mutex --seed 4 --executions 10");
  const ProgramRun run = run_command(
      {"/bin/sh", "-c", "cd \"$0\" && exec \"$1\" merge '[a,b]'", folder_, LOCKSTEP_PROGRAM});
  EXPECT_EQ(run.status, 0) << run.err;
}

// Nobody can tell from two counts of traces how many are the same.
TEST_F(MergeTest, TheCoverageOfOnePartIsNotThatOfAll) {
  const std::string a = part("a", "fair-mutex --seed 4 --executions 10 --coverage");
  const std::string b = part("b", "fair-mutex --seed 4 --first 10 --executions 10 --coverage");
  const ProgramRun merged = run_program({"merge", a, b});
  EXPECT_EQ(merged.status, 0) << merged.err;
  EXPECT_FALSE(merged.json().contains("coverage"));
}

TEST_F(MergeTest, AFileWithoutAHuntIsRejected) {
  expect_refusal(run_program({"merge", "/no/such/file"}),
                 "cannot read '/no/such/file': No such file or directory");
  expect_refusal(run_program({"merge", file("text", "hello")}), "not the output of 'hunt --json'");
  expect_refusal(run_program({"merge", file("list", "[1]")}), "not the output of 'hunt --json'");
  expect_refusal(run_program({"merge", file("empty", "{}")}), "it has no scenario");
}

TEST_F(MergeTest, AFolderIsNoFile) {
  const std::string folder = testing::TempDir();
  expect_refusal(run_program({"merge", folder}), "cannot read '" + folder + "': Is a directory");
}

TEST_F(MergeTest, PartsOfExhaustiveSearchesAreRejectedAsSuch) {
  const std::string exhaustive =
      part("exhaustive", "fair-mutex --strategy exhaustive --executions 10");
  expect_refusal(run_program({"merge", exhaustive}), "an exhaustive search, which has no parts");
}

TEST_F(MergeTest, NumbersThatAHuntCannotHaveAreRejected) {
  const nlohmann::json sound =
      run_program(words("hunt fair-mutex --seed 4 --executions 10 --json")).json();
  const auto expect_wrong = [&](const char* key, const nlohmann::json& value) {
    nlohmann::json bent = sound;
    bent[key] = value;
    SCOPED_TRACE(bent.dump());
    const ProgramRun run = run_program({"merge", file("bent", bent.dump())});
    expect_refusal(run, std::string(key) + " is " + value.dump());
    EXPECT_EQ(run.err.find("json.exception"), std::string::npos) << run.err;
  };
  for (const char* key : {"first", "executions", "steps"}) {
    for (const nlohmann::json& value :
         {nlohmann::json(-1), nlohmann::json(0.5), nlohmann::json(~std::uint64_t{0}),
          nlohmann::json("7"), nlohmann::json()}) {
      expect_wrong(key, value);
    }
  }
  nlohmann::json busy = sound;
  busy["judged"]["S1"] = ~std::uint64_t{0};
  expect_refusal(run_program({"merge", file("busy", busy.dump())}), "S1 is 18446744073709551615");
  expect_wrong("seconds", -1);
  expect_wrong("trace_hash", 7);
  expect_wrong("violation", true);
  expect_wrong("violation", "L1");
}

}  // namespace
}  // namespace lockstep
