#include <gtest/gtest.h>

#include <algorithm>

#include "run_program.h"

namespace lockstep {
namespace {

struct BadInput {
  std::string arguments;
  std::string named;  // The error must contain this.
};

// Expects one line on stderr that contains `named`, nothing on stdout, and status 2.
void expect_rejected(const ProgramRun& run, const std::string& named) {
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(std::ranges::count(run.err, '\n'), 1) << run.err;
  EXPECT_TRUE(run.err.ends_with('\n')) << run.err;
  EXPECT_NE(run.err.find(named), std::string::npos) << "'" << named << "' is not in: " << run.err;
}

void expect_rejected(const std::vector<BadInput>& inputs) {
  for (const BadInput& input : inputs) {
    SCOPED_TRACE(input.arguments);
    expect_rejected(run_program(words(input.arguments)), input.named);
  }
}

TEST(UsageTest, UnknownCommandsAndOptionsAreNamed) {
  expect_rejected({{"explode", "explode"},
                   {"explode --help", "'explode'"},
                   {"explode /lock --zookeeper 127.0.0.1:2181 -- true", "'explode'"},
                   {"list --explode", "--explode"},
                   {"hunt fair-mutex --explode", "--explode"},
                   {"hunt fair-mutex zoo-07-create-without-guid", "zoo-07"},
                   {"--explode", "--explode"},
                   {"--json", "--json"},
                   {"list hunt", "hunt"},
                   {"hunt", "SCENARIO"},
                   {"replay", "STRING"},
                   {"bench", "SUITE"},
                   {"merge", "FILE"},
                   {"hunt no-such-lock", "no-such-lock"},
                   {"bench no-such-suite", "no-such-suite"}});
}

TEST(UsageTest, ErrorsSayWhatToDoNext) {
  expect_rejected({{"hnut fair-mutex", "did you mean 'hunt'?"},
                   {"hunt fair-mutx", "did you mean 'fair-mutex'?"},
                   {"hunt zoo-0", "is the beginning of"},
                   {"hunt zoo-0", "'zoo-01-wait-after-missing-predecessor'"},
                   {"hunt mutual", "('lockstep list' shows all)"},
                   {"hunt fair-mutex --execution 5", "did you mean '--executions'"},
                   {"hunt fair-mutex -- --json", "hunt: '--json' comes after --, so it is no"},
                   {"hunt fair-mutex --jsn", "hunt has no option '--jsn'; did you mean '--json'?"},
                   {"hunt fair-mutex --faults cut,expriy:1", "did you mean 'expiry'?"},
                   {"hunt", "'lockstep hunt --help'"},
                   {"hunt fair-mutex --clients", "'lockstep hunt --help'"},
                   {"lock /l --zookeepr 127.0.0.1:1 -- true", "'--zookeeper'"},
                   {"list --explode", "'lockstep list --help'"},
                   {"--explode", "'lockstep --help'"}});
}

TEST(UsageTest, AScenarioIsNamedByTheBeginningOfItsName) {
  const ProgramRun run = run_program(words("hunt zoo-01 --executions 10 --seed 1 --json"));
  EXPECT_EQ(run.json().at("scenario"), "zoo-01-wait-after-missing-predecessor") << run.err;
}

#if LOCKSTEP_WITH_ZOOKEEPER
TEST(UsageTest, TheProductionBackendIsNotSearchedExhaustively) {
  expect_rejected(
      {{"hunt fair-mutex --backend zookeeper --strategy exhaustive", "--backend fake"}});
}
#else
TEST(UsageTest, ABuildWithoutZookeeperSaysSo) {
  expect_rejected({{"lock /l --zookeeper 127.0.0.1:1 -- true", "LOCKSTEP_WITH_ZOOKEEPER=OFF"},
                   {"show /l --zookeeper 127.0.0.1:1 --json", "LOCKSTEP_WITH_ZOOKEEPER=OFF"},
                   {"revoke /l", "LOCKSTEP_WITH_ZOOKEEPER=OFF"},
                   {"hunt fair-mutex --backend zookeeper", "LOCKSTEP_WITH_ZOOKEEPER=OFF"},
                   {"bench real", "LOCKSTEP_WITH_ZOOKEEPER=OFF"}});
}
#endif

TEST(UsageTest, OptionsOfOneStrategyAreRejectedWithAnother) {
  expect_rejected({{"hunt fair-mutex --reduction sleep", "--reduction"},
                   {"hunt leader-election --blocking", "'leader-election'"},
                   {"hunt fair-mutex --backend etcd", "etcd"},
                   {"hunt fair-mutex --strategy exhaustive --reduction most", "'most'"},
                   {"hunt fair-mutex --strategy exhaustive --first 5", "--first"},
                   {"hunt fair-mutex --strategy magic", "'magic'"}});
}

TEST(UsageTest, BadNumbersAreNamedWithTheirOption) {
  for (const std::string option :
       {"--clients", "--rounds", "--executions", "--jobs", "--seconds"}) {
    for (const std::string value : {"0", "-1", "none", "1x", "0x10", "99999999999999999999"}) {
      SCOPED_TRACE(option + " " + value);
      const ProgramRun run = run_program({"hunt", "fair-mutex", option, value});
      expect_rejected(run, option);
      expect_rejected(run, "'" + value + "'");
    }
  }
  expect_rejected(
      {{"hunt fair-mutex --clients 65", "--clients"},
       {"hunt fair-mutex --rounds 101", "--rounds"},
       {"hunt fair-mutex --clients 64 --rounds 100", "640 rounds in all"},
       {"hunt fair-mutex --jobs 257", "--jobs"},
       {"hunt fair-mutex --seconds nan", "--seconds"},
       {"hunt fair-mutex --seed -1", "--seed"},
       {"hunt fair-mutex --seed 18446744073709551616", "--seed"},
       {"hunt fair-mutex --first -1", "--first"},
       {"hunt fair-mutex --clients 2 --clients 3", "--clients: it is there more than once"},
       {"hunt fair-mutex --clients", "--clients"},
       {"tour --executions 0", "--executions"},
       {"bench fake --seconds 0", "--seconds"}});
}

// A script's variable may not be set.
TEST(UsageTest, AnEmptyValueIsNoAbsence) {
  expect_rejected(run_program({"hunt", "fair-mutex", "--strategy", "exhaustive", "--clients", "1",
                               "--faults", "none", "--reduction", ""}),
                  "--reduction: its value is empty");
  expect_rejected(run_program({"serve", "--listen", "x", "--control", ""}),
                  "--control: its value is empty");
  expect_rejected(run_program({"bench", "all", "--zookeeper", ""}),
                  "--zookeeper: its value is empty");
}

TEST(UsageTest, AHuntThatTakesOneJobReportsOne) {
  const ProgramRun run = run_program(words("hunt double-barrier --jobs 4 --executions 1 --json"));
  EXPECT_EQ(run.json().at("jobs"), 1);
}

TEST(UsageTest, BadFaultsAndStrategiesAreNamed) {
  expect_rejected({{"hunt fair-mutex --fault-budget -1", "--fault-budget"},
                   {"hunt fair-mutex --fault-budget 17", "--fault-budget: '17'"},
                   {"hunt fair-mutex --faults earthquake", "earthquake"},
                   {"hunt fair-mutex --faults cut,earthquake", "earthquake"},
                   {"hunt fair-mutex --faults cut:many", "many"},
                   {"hunt fair-mutex --faults cut:-1", "-1"},
                   {"hunt fair-mutex --faults cut,expiry,cut", "'cut' is there twice"},
                   {"hunt fair-mutex --faults cut:1,cut:2", "'cut' is there twice"},
                   {"hunt fair-mutex --faults cut:2,cut:0", "'cut' is there twice"},
                   {"hunt fair-mutex --faults forgotten-writes --strategy exhaustive",
                    "--faults: an exhaustive search has no 'forgotten-writes'"},
                   {"hunt fair-mutex --strategy luck", "luck"}});
}

TEST(UsageTest, AnErrorStaysOneLineWhateverItQuotes) {
  expect_rejected(run_program({"hunt", "fair\nmutex\n"}), "fair mutex");
  expect_rejected(run_program({"explode\r\n\n"}), "explode");
  expect_rejected(run_program({"replay", "lockstep1/\nx"}), "replay string");
}

TEST(UsageTest, BadReplayStringsAreNamed) {
  expect_rejected(
      {{"replay hello", "replay string"},
       {"replay lockstep9/fair-mutex/c2r1/none/calm/0.", "lockstep9"},
       {"replay lockstep1/no-such-lock/c2r1/none/calm/0000000000000000.", "no-such-lock"},
       {"replay lockstep1/fair-mutex/c0r1/none/calm/0000000000000000.", "size"},
       {"replay lockstep1/fair-mutex/c65r1/none/calm/0000000000000000.", "size"},
       {"replay lockstep1/fair-mutex/c64r100/none/calm/0000000000000000.", "size"},
       {"replay lockstep1/fair-mutex/c4294967295r9/none/calm/0.", "size"},
       {"replay lockstep1/fair-mutex/c2r1/b2:magic/calm/0.", "faults"},
       {"replay lockstep1/fair-mutex/c2r1/none/2.1,1.1/0.", "deviations"},
       {"replay lockstep1/fair-mutex/c2r1/none/calm/xyz.", "trace hash"},
       {"replay lockstep1/fair-mutex", "size"},
       {"replay @/no/such/file", "/no/such/file"},
       {"replay @/", "'/'"},
       {"replay @", "''"},
       {"replay @/dev/null", "/dev/null"},
       {"replay @/dev/zero", "longer than 16 MiB"}});
}

TEST(UsageTest, FaultsThatCannotStrikeAreReported) {
  const std::string named = "hunt fair-mutex --executions 1 --faults cut,lag,leader-change";
  const ProgramRun text = run_program(words(named));
  EXPECT_EQ(text.status, 0);
  EXPECT_EQ(text.err,
            "lockstep: note: in fair-mutex these faults cannot strike: lag (there is one server), "
            "leader-change (there is one server)\n");
  const ProgramRun json = run_program(words(named + " --json"));
  EXPECT_EQ(json.err, "");
  EXPECT_EQ(json.json().at("faults_impossible"),
            nlohmann::json::parse(R"(["lag", "leader-change"])"));
  const ProgramRun all = run_program(words("hunt fair-mutex --executions 1"));
  EXPECT_EQ(all.err, "") << "all faults means all that there are";
}

TEST(UsageTest, AnHtmlFileThatCannotBeWrittenIsNamedBeforeTheSearch) {
  for (const std::string command : {"hunt fair-mutex --seconds 1000000", "tour"}) {
    expect_rejected({{command + " --html /no/such/folder/x.html", "'/no/such/folder/x.html'"},
                     {command + " --html /", "'/': Is a directory"}});
    expect_rejected(run_program([&] {
                      std::vector<std::string> arguments = words(command + " --html");
                      arguments.emplace_back();
                      return arguments;
                    }()),
                    "''");
  }
}

TEST(UsageTest, EveryCommandHasHelp) {
  for (const std::string command :
       {"tour", "list", "hunt", "replay", "merge", "bench", "completion", "man"}) {
    SCOPED_TRACE(command);
    const ProgramRun run = run_program({command, "--help"});
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.err, "");
    EXPECT_NE(run.out.find("lockstep " + command), std::string::npos) << run.out;
    EXPECT_NE(run.out.find(" 74 "), std::string::npos) << run.out;
  }
}

TEST(UsageTest, HelpAndVersionGoToStandardOutput) {
  const ProgramRun help = run_program({"--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_NE(help.out.find("74 a result cannot be written"), std::string::npos) << help.out;
  for (const std::string command :
       {"tour", "list", "hunt", "replay", "merge", "bench", "lock", "show", "revoke"}) {
    EXPECT_NE(help.out.find("  " + command), std::string::npos) << help.out;
  }
  const ProgramRun version = run_program({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_TRUE(version.out.starts_with("lockstep ")) << version.out;
}

TEST(UsageTest, WithoutArgumentsThereIsHelpAndNoSuccess) {
  const ProgramRun run = run_program({});
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_NE(run.err.find("hunt"), std::string::npos) << run.err;
}

TEST(UsageTest, AResultThatCannotBeWrittenIsNoSuccess) {
  const ProgramRun run =
      run_command({"/bin/sh", "-c", "exec \"$0\" list > /dev/full", LOCKSTEP_PROGRAM});
  EXPECT_EQ(run.status, 74);
  EXPECT_NE(run.err.find("standard output"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace lockstep
