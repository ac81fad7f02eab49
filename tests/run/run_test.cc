#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "program/html_file.h"
#include "program/run_program.h"

// `lockstep run --hunt`: programs that were not compiled for a hunt.

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> hunt_of(const std::string& options, const std::string& target) {
  std::vector<std::string> all = words("run --hunt --seed 1 " + options + " --");
  for (const std::string& word : words(target)) all.push_back(word);
  return all;
}

ProgramRun hunt(const std::string& options, const std::string& target) {
  return run_program(hunt_of(options, target));
}

std::string lock(const std::string& options) {
  return LOCKSTEP_TARGETS "/lock_target " + options + " 127.0.0.1:2181";
}
std::string statics(const std::string& what) { return LOCKSTEP_TARGETS "/statics_target " + what; }
std::string misbehave(const std::string& how) {
  return LOCKSTEP_TARGETS "/misbehaving_target " + how;
}

// A lock elsewhere, such as one that is misspelt, judges nothing.
TEST(RunTest, AQueueThatNobodyUsesIsNotJudged) {
  const std::string options = "--executions 5 --faults none";
  EXPECT_THAT(hunt(options + " --lock /lock", lock("")).out, HasSubstr("\nJudged: S1 5 times.\n"));
  const ProgramRun other = hunt(options + " --lock /other", lock(""));
  EXPECT_EQ(other.status, 0);
  EXPECT_THAT(other.out, HasSubstr("no violation, the queue of --lock NOT judged in 5 executions"));
  EXPECT_THAT(other.out, HasSubstr("Judged nothing: S1 (no client removed its own znode"));
  EXPECT_THAT(hunt(options, lock("")).out, HasSubstr("No lock was judged: --lock PATH names it."));
}

// A program that prints its usage and ends, for example.
TEST(RunTest, AProgramThatOpensNoSessionIsNotJudged) {
  for (const std::string options : {"--executions 5", "--executions 5 --lock /lock"}) {
    const ProgramRun run = hunt(options, "/bin/true");
    EXPECT_EQ(run.status, 0);
    EXPECT_THAT(run.out, HasSubstr("no violation, but NO session was opened in 5 executions"));
    EXPECT_THAT(run.out, HasSubstr("Judged nothing but the program's end"));
  }
}

TEST(RunTest, ThreadsOfAProgramKeepTheirLock) {
  const ProgramRun run =
      hunt("--executions 200 --faults none --lock /lock --json", lock("--threads 3"));
  ASSERT_EQ(run.status, 0) << run.out << run.err;
  const nlohmann::json report = run.json();
  EXPECT_EQ(report["scenario"], "program");
  EXPECT_TRUE(report["program"].get<std::string>().starts_with("--lock /lock -- ")) << report;
  EXPECT_EQ(report["executions"], 200);
  EXPECT_EQ(report["violation"], nullptr);
  EXPECT_EQ(report["judged"]["S1"], 600);
}

TEST(RunTest, CopiesOfAProgramKeepTheirLock) {
  const ProgramRun run =
      hunt("--clients 3 --executions 200 --faults none --lock /lock --json", lock(""));
  ASSERT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_EQ(run.json()["judged"]["S1"], 600);
}

// The model race: the znode in front is deleted before the watch is set.
TEST(RunTest, AForgottenCheckIsFoundAndReplayed) {
  const std::string target = lock("--forgetful");
  const ProgramRun run =
      hunt("--clients 2 --executions 5000 --faults none --lock /lock --json", target);
  ASSERT_EQ(run.status, 1) << run.out << run.err;
  const nlohmann::json violation = run.json()["violation"];
  EXPECT_EQ(violation["oracle"], "deadlock");
  EXPECT_LE(violation["deviations"], violation["original_deviations"]);
  std::vector<std::string> again =
      words("run --hunt --lock /lock --replay " + violation["replay"].get<std::string>() + " --");
  for (const std::string& word : words(target)) again.push_back(word);
  const ProgramRun replayed = run_program(again);
  EXPECT_EQ(replayed.status, 1) << replayed.out << replayed.err;
  EXPECT_THAT(replayed.out, HasSubstr("waits in pthread_cond_wait"));
}

TEST(RunTest, AClientThatTakesTheLockOutOfTurnIsSeenByItsZnodes) {
  const ProgramRun run =
      hunt("--clients 2 --executions 2000 --faults none --lock /lock --json", lock("--impatient"));
  ASSERT_EQ(run.status, 1) << run.out << run.err;
  EXPECT_EQ(run.json()["violation"]["oracle"], "S1");
}

// "read" in another word is no reader.
TEST(RunTest, OnlyReadersShare) {
  for (const auto& [prefix, status] :
       {std::pair("thread-", 1), std::pair("ready-", 1), std::pair("read-", 0),
        std::pair("__rlock__", 0), std::pair("x-__READ__", 0)}) {
    const ProgramRun run = hunt("--clients 2 --executions 2000 --faults none --lock /lock --json",
                                lock(std::string("--impatient --prefix ") + prefix));
    EXPECT_EQ(run.status, status) << prefix << run.out << run.err;
    if (status == 0) {
      EXPECT_EQ(run.json()["judged"]["S1"], 0) << prefix;
    }
  }
}

TEST(RunTest, ACopyThatCrashesBeginsAgain) {
  const std::string options = "--clients 2 --executions 300 --faults crash --lock /lock --json";
  const ProgramRun run = hunt(options, lock(""));
  ASSERT_EQ(run.status, 0) << run.out << run.err;
  const ProgramRun calm =
      hunt("--clients 2 --executions 300 --faults none --lock /lock --json", lock(""));
  EXPECT_GT(run.json()["judged"]["S1"], calm.json()["judged"]["S1"]);
}

TEST(RunTest, AZnodeThatACrashedHolderLeavesIsFound) {
  const ProgramRun run =
      hunt("--clients 2 --executions 500 --faults crash --lock /lock --json", lock("--persistent"));
  ASSERT_EQ(run.status, 1) << run.out << run.err;
  EXPECT_EQ(run.json()["violation"]["oracle"], "deadlock");
}

TEST(RunTest, TheSameSeedGivesTheSameHash) {
  const std::string options = "--clients 2 --executions 100 --faults cut --lock /lock --json";
  const ProgramRun first = hunt(options, lock(""));
  const ProgramRun second = hunt(options, lock(""));
  ASSERT_EQ(first.status, 0) << first.out << first.err;
  EXPECT_EQ(first.json()["trace_hash"], second.json()["trace_hash"]);
}

TEST(RunTest, AnAbortIsACrashWithItsSchedule) {
  const ProgramRun run = hunt("--executions 500 --json", misbehave("race"));
  ASSERT_EQ(run.status, 1) << run.out << run.err;
  const nlohmann::json violation = run.json()["violation"];
  EXPECT_EQ(violation["oracle"], "crash");
  EXPECT_THAT(violation["message"].get<std::string>(), HasSubstr("aborted"));
  EXPECT_LE(violation["deviations"], 3);
}

TEST(RunTest, APageShowsTheExecutionThatCrashes) {
  for (const std::string how : {"race", "raise-abort", "pointer"}) {
    const HtmlFile file;
    const ProgramRun run = hunt("--executions 500 --json --html " + file.name(), misbehave(how));
    ASSERT_EQ(run.status, 1) << run.out << run.err;
    const std::string page = file.read();
    const std::string begin = R"(<script type="application/json" id="record">)";
    const std::size_t at = page.find(begin) + begin.size();
    const nlohmann::json record =
        nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
    ASSERT_TRUE(record["verdict"].is_object()) << record;
    EXPECT_EQ(record["verdict"]["oracle"], "crash");
    EXPECT_EQ(record["steps"], run.json()["violation"]["steps"]);
    EXPECT_EQ(record["lanes"], nlohmann::json({"A"}));
    ASSERT_FALSE(record["moments"].empty());
    EXPECT_EQ(record["moments"].back()["x"], "goes on");
    EXPECT_EQ(record["moments"].back()["s"], record["steps"]);
    EXPECT_THAT(page, HasSubstr("!! crash: the program under test has "));
  }
}

TEST(RunTest, LanesAndMessagesNameThreadsAlike) {
  const ProgramRun run = hunt("--executions 500", misbehave("deadlock"));
  ASSERT_EQ(run.status, 1) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("fails with deadlock"));
  EXPECT_THAT(run.out, HasSubstr("A waits in pthread_mutex_lock"));
  EXPECT_THAT(run.out, HasSubstr("A's thread 2 (other) waits in pthread_mutex_lock"));
  EXPECT_THAT(run.out, HasSubstr("== thread 2 goes on"));
}

struct Misbehaviour {
  const char* how;
  const char* oracle;
  const char* message;
};

class MisbehaviourTest : public ::testing::TestWithParam<Misbehaviour> {};

TEST_P(MisbehaviourTest, IsReported) {
  const ProgramRun run = hunt("--executions 5 --json", misbehave(GetParam().how));
  ASSERT_EQ(run.status, 1) << run.out << run.err;
  const nlohmann::json violation = run.json()["violation"];
  EXPECT_EQ(violation["oracle"], GetParam().oracle);
  EXPECT_THAT(violation["message"].get<std::string>(), HasSubstr(GetParam().message));
}

TEST(RunTest, ExitFunctionsAndDestructorsRunAtTheEndOfAProgram) {
  for (const auto& [what, status] : {std::pair("atexit", "9"), std::pair("destructor", "7")}) {
    const ProgramRun run =
        hunt("--executions 5 --json", std::string(LOCKSTEP_TARGETS "/objects_target ") + what);
    ASSERT_EQ(run.status, 1) << run.out << run.err;
    EXPECT_EQ(run.json()["violation"]["message"], std::string("A exits with status ") + status);
  }
}

class ExitsTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ExitsTest, RunTheirHandlers) {
  const ProgramRun run = hunt("--executions 20 --faults none --json",
                              std::string(LOCKSTEP_TARGETS "/exits_target ") + GetParam());
  EXPECT_EQ(run.status, 0) << run.out << run.err;
}

INSTANTIATE_TEST_SUITE_P(Each, ExitsTest,
                         ::testing::Values("cleanup", "handler", "main", "quick", "256"),
                         [](const auto& each) { return std::string(each.param); });

// Each is a new process, in which the library has just been loaded.
TEST(RunTest, CopiesAndExecutionsHaveTheirOwnVariablesOfALibraryThatTheyLoad) {
  const ProgramRun run = hunt("--clients 2 --executions 20 --faults none --json", LOCKSTEP_TARGETS
                              "/objects_target load " LOCKSTEP_TARGETS "/plugin_target.so");
  EXPECT_EQ(run.status, 0) << run.out << run.err;
}

// Nobody else can tell how far a process has come that has one thread and no connection.
TEST(RunTest, TheStartOfAProgramTakesFewSteps) {
  const ProgramRun run = hunt("--clients 2 --executions 5 --faults none --json",
                              LOCKSTEP_TARGETS "/objects_target slow-start");
  ASSERT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_LT(run.json()["steps"], 5 * 100);
}

TEST(RunTest, AStartWithoutAnEndIsALivelock) {
  const ProgramRun run =
      hunt("--executions 1 --faults none --json", LOCKSTEP_TARGETS "/objects_target no-end");
  ASSERT_EQ(run.status, 1) << run.out << run.err;
  EXPECT_EQ(run.json()["violation"]["oracle"], "livelock");
}

// The interpreter's timer of 5 ms lets another thread go on between two lines.
TEST(RunTest, AnInterpreterSwitchesBetweenThreadsThatGoOn) {
  const std::string script =
      "/usr/bin/python3 -S -E -B " LOCKSTEP_SOURCE_DIR "/tests/run/targets/lost_update.py";
  const ProgramRun run = hunt("--executions 300 --faults timer --fault-budget 4 --json", script);
  ASSERT_EQ(run.status, 1) << run.out << run.err;
  EXPECT_EQ(run.json()["violation"]["oracle"], "user:exit-status");
}

TEST(RunTest, ALibraryThatIsUnloadedTakesItsObjectsWithIt) {
  const ProgramRun run = hunt("--executions 20 --faults none --json", LOCKSTEP_TARGETS
                              "/objects_target unload " LOCKSTEP_TARGETS "/plugin_target.so");
  EXPECT_EQ(run.status, 0) << run.out << run.err;
}

INSTANTIATE_TEST_SUITE_P(
    Each, MisbehaviourTest,
    ::testing::Values(Misbehaviour{"status", "user:exit-status", "A exits with status 3"},
                      Misbehaviour{"exit", "user:exit-status", "A exits with status 4"},
                      Misbehaviour{"fork", "misuse", "fork: hunted code cannot start"},
                      Misbehaviour{"flock", "misuse", "flock: locks and queues that processes"},
                      Misbehaviour{"record-lock", "misuse", "fcntl: locks and queues that"},
                      Misbehaviour{"pipe", "user:exit-status", "A exits with status 141"},
                      Misbehaviour{"kill", "user:exit-status", "A exits with status 143"},
                      Misbehaviour{"kill-parent", "misuse", "kill: hunted code cannot send"},
                      Misbehaviour{"handler", "user:exit-status", "A exits with status 12"},
                      Misbehaviour{"raise-abort", "crash", "aborted"},
                      Misbehaviour{"pointer", "crash", "SIGSEGV"},
                      Misbehaviour{"hang", "deadlock", "waits in pthread_mutex_lock"}),
    [](const auto& each) {
      std::string name = each.param.how;
      std::erase(name, '-');
      return name;
    });

// Code that others have written ends with an error when it loses its session, and may yet break a
// guarantee in another execution.
TEST(RunTest, AnExitStatusCanBeAllowed) {
  const std::string status = misbehave("status");  // 3
  EXPECT_EQ(hunt("--executions 5 --allow-exit 3", status).status, 0);
  EXPECT_EQ(hunt("--executions 5 --allow-exit 4,3,255", status).status, 0);
  EXPECT_EQ(hunt("--executions 5 --allow-exit any", status).status, 0);
  const ProgramRun other = hunt("--executions 5 --allow-exit 4", status);
  EXPECT_EQ(other.status, 1) << other.out << other.err;
  EXPECT_THAT(other.out, HasSubstr(" --allow-exit 4 -- "));  // In the commands to go on with.
  for (const std::string list : {"256", "-1", "1,,2", "x", "''"}) {
    EXPECT_EQ(hunt("--executions 5 --allow-exit " + list, status).status, 2) << list;
  }
}

class ChanceTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ChanceTest, IsTheSameInEachHunt) {
  const std::string target = std::string(LOCKSTEP_TARGETS "/chance_target ") + GetParam();
  const ProgramRun first = hunt("--clients 2 --executions 20 --json", target);
  const ProgramRun second = hunt("--clients 2 --executions 20 --json", target);
  ASSERT_EQ(first.status, 0) << first.out << first.err;
  EXPECT_EQ(first.json()["trace_hash"], second.json()["trace_hash"]);
}

INSTANTIATE_TEST_SUITE_P(Each, ChanceTest,
                         ::testing::Values("random_device", "ifstream", "fopen", "openat",
                                           "arc4random_buf", "arc4random_uniform", "srand",
                                           "getrusage", "times"),
                         [](const auto& each) { return std::string(each.param); });

class StaticsTest : public ::testing::TestWithParam<const char*> {};

// Copies have their variables at the same addresses.
TEST_P(StaticsTest, OfAnotherCopyDoNotWake) {
  const ProgramRun run = hunt("--clients 3 --executions 300 --json", statics(GetParam()));
  EXPECT_EQ(run.status, 0) << run.out << run.err;
}

INSTANTIATE_TEST_SUITE_P(Each, StaticsTest, ::testing::Values("condition", "futex", "poll"),
                         [](const auto& each) { return std::string(each.param); });

TEST(RunTest, ACopyThatClosesAllFilesDoesNotCloseTheHunts) {
  const ProgramRun run =
      hunt("--clients 2 --executions 20 --faults none --json", misbehave("close-all"));
  EXPECT_EQ(run.status, 0) << run.out << run.err;
}

TEST(RunTest, CopiesHaveTheirOwnProcessIds) {
  const ProgramRun run =
      hunt("--clients 3 --executions 20 --faults none --json", misbehave("pid {client}"));
  EXPECT_EQ(run.status, 0) << run.out << run.err;
}

TEST(RunTest, ACopyThatBeginsAgainHasANewProcessId) {
  const ProgramRun run =
      hunt("--clients 2 --executions 100 --faults crash --json", misbehave("pid {client}"));
  ASSERT_EQ(run.status, 1) << run.out << run.err;
  EXPECT_THAT(run.json()["violation"]["message"].get<std::string>(),
              HasSubstr("exits with status 6"));
}

TEST(RunTest, ExecutionsAndCopiesHaveSeparateVariables) {
  const ProgramRun run = hunt("--clients 3 --executions 20 --json", misbehave("globals"));
  EXPECT_EQ(run.status, 0) << run.out << run.err;
}

class NewProcessTest : public ::testing::TestWithParam<const char*> {};

// Executions share a real process unless that makes a difference.
TEST_P(NewProcessTest, BeginsEachExecution) {
  const ProgramRun run = hunt("--executions 200 --json",
                              std::string(LOCKSTEP_TARGETS "/objects_target ") + GetParam());
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_EQ(run.json()["executions"], 200);
}

INSTANTIATE_TEST_SUITE_P(Each, NewProcessTest,
                         ::testing::Values("grow", "environment", "files", "folder", "mask"),
                         [](const auto& each) { return std::string(each.param); });

TEST(RunTest, AProgramMayHaveThousandsOfShortThreads) {
  const ProgramRun run =
      hunt("--executions 1 --faults none --json", LOCKSTEP_TARGETS "/objects_target threads");
  EXPECT_EQ(run.status, 0) << run.out << run.err;
}

TEST(RunTest, CopiesHaveSeparateStaticObjects) {
  const ProgramRun run =
      hunt("--clients 3 --executions 50 --json", LOCKSTEP_TARGETS "/objects_target grow");
  EXPECT_EQ(run.status, 0) << run.out << run.err;
}

TEST(RunTest, ACopyThatEndsLeavesTheOthersTheirRuntime) {
  const ProgramRun run = hunt("--clients 2 --executions 50 --faults none --json",
                              LOCKSTEP_TARGETS "/objects_target promise");
  EXPECT_EQ(run.status, 0) << run.out << run.err;
}

TEST(RunTest, WordsOfTheProgramAreAnyBytes) {
  std::vector<std::string> words = hunt_of("--executions 1", misbehave("bytes"));
  words.emplace_back("\xff\n\\");
  words.emplace_back("");
  const ProgramRun run = run_program(words);
  EXPECT_EQ(run.status, 0) << run.out << run.err;
}

TEST(RunTest, AnArgumentCanHoldTheNumberOfTheCopy) {
  const ProgramRun run = hunt("--executions 5 --json", misbehave("echo {client}"));
  EXPECT_EQ(run.status, 0) << run.out << run.err;
}

TEST(RunTest, OutputOfTheProgramIsNoPartOfTheResult) {
  const ProgramRun run = hunt("--executions 5 --faults none", lock(""));
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_THAT(run.out, Not(HasSubstr("holds the lock")));
  EXPECT_THAT(run.out, HasSubstr("program: no violation in 5 executions"));
}

TEST(RunTest, AProgramWithOtherRightsIsRefused) {
  namespace fs = std::filesystem;
  const fs::path copy = fs::path(::testing::TempDir()) / "lockstep_setuid_target";
  fs::copy_file(LOCKSTEP_TARGETS "/misbehaving_target", copy, fs::copy_options::overwrite_existing);
  fs::permissions(copy, fs::perms::owner_all | fs::perms::set_uid);
  const ProgramRun run = run_program({"run", "--hunt", "--", copy.string()});
  fs::remove(copy);
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("without the setuid bit"));
}

TEST(RunTest, ASanitizerInFrontIsRefused) {
  ::setenv("LD_PRELOAD", "/not-there/libasan.so.8", 1);
  const ProgramRun run = run_program(words("run --hunt --executions 5 -- /bin/true"));
  ::unsetenv("LD_PRELOAD");
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("LD_PRELOAD names a sanitizer's library"));
}

struct BadInput {
  const char* name;
  std::vector<std::string> arguments;
  const char* message;
};

class RunInputTest : public ::testing::TestWithParam<BadInput> {};

TEST_P(RunInputTest, IsRefused) {
  const ProgramRun run = run_program(GetParam().arguments);
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr(GetParam().message));
  EXPECT_EQ(run.err.find('\n'), run.err.size() - 1) << "one line: " << run.err;
}

INSTANTIATE_TEST_SUITE_P(
    Each, RunInputTest,
    ::testing::Values(
        BadInput{"NoProgram", words("run --hunt"), "PROGRAM is missing"},
        BadInput{"NoHunt", words("run -- /bin/true"), "--hunt is missing"},
        BadInput{"NotThere", words("run --hunt -- ./not-there"), "is not there"},
        BadInput{"NotInThePath", words("run --hunt -- not-there"), "there is no program"},
        BadInput{"AScript", words("run --hunt -- " LOCKSTEP_SOURCE_DIR "/run"), "is a script"},
        BadInput{"Static", words("run --hunt -- " LOCKSTEP_TARGETS "/static_target"),
                 "statically linked"},
        BadInput{"NoPath", words("run --hunt --lock lock -- /bin/true"), "--lock: 'lock'"},
        BadInput{"EmptyPath", {"run", "--hunt", "--lock", "", "--", "/bin/true"}, "--lock: ''"},
        BadInput{"NotUtf8", words("run --hunt --lock /\xff -- /bin/true"), "is not the path of a"},
        BadInput{"OfTheServers", words("run --hunt --lock /zookeeper/lock -- /bin/true"),
                 "belongs to the servers"},
        BadInput{"ReplayedWithoutIt", words("replay lockstep1/program+true/c1r1/none/calm/unknown"),
                 "lockstep run --hunt --replay STRING -- true"},
        BadInput{"Exhaustive", words("run --hunt --strategy exhaustive -- /bin/true"),
                 "cannot hunt a program"},
        BadInput{"TolerantSearch", words("run --hunt --tolerant --executions 1 -- /bin/true"),
                 "--tolerant: only with --replay"},
        BadInput{"OtherProgram",
                 words("run --hunt --replay lockstep1/fair-mutex/c1r1/none/calm/unknown -- "
                       "/bin/true"),
                 "the string is of 'fair-mutex'"},
        BadInput{"OtherClients",
                 words("run --hunt --clients 3 --replay lockstep1/program+true/c2r1/none/calm/"
                       "unknown -- /bin/true"),
                 "--clients: the replay string is of 2 clients, not of 3"}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace lockstep
