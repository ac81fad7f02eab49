// Bad input for operators' commands: one line, the exit status, nothing on stdout.
#include <gtest/gtest.h>

#include "production/operator_lab.h"

namespace lockstep {
namespace {

struct Input {
  std::string arguments;
  std::string named;
};

TEST(OperatorInputTest, BadArgumentsAreNamed) {
  const std::string lock = "lock /l --zookeeper 127.0.0.1:1 ";
  const std::vector<Input> inputs = {
      {"lock", "PATH"},
      {"lock /l -- true", "--zookeeper"},
      {lock, "COMMAND"},
      {lock + "--", "COMMAND"},
      {lock + "true", "true"},
      {lock + "--timeout soon -- true", "--timeout: 'soon'"},
      {lock + "--timeout -1s -- true", "--timeout"},
      {lock + "--timeout 1w -- true", "'1w'"},
      {lock + "--timeout 1e300d -- true", "'1e300d'"},
      {lock + "--session-timeout 1ms -- true", "the session timeout of 1 ms"},
      {lock + "--auth secret -- true", "--auth or LOCKSTEP_AUTH: expected SCHEME:CREDENTIAL"},
      {lock + "--auth :secret -- true", "--auth or LOCKSTEP_AUTH: expected"},
      {lock + "--on-loss cry -- true", "'cry'"},
      {lock + "--explode -- true", "--explode"},
      {"lock l --zookeeper 127.0.0.1:1 -- true", "'l' is not a path"},
      {"lock /l/ --zookeeper 127.0.0.1:1 -- true", "'/l/'"},
      {"lock //l --zookeeper 127.0.0.1:1 -- true", "'//l'"},
      {"lock /\xff --zookeeper 127.0.0.1:1 -- true", "is not a path of a znode"},
      {"show /\xff --zookeeper 127.0.0.1:1", "is not a path of a znode"},
      {"lock / --zookeeper 127.0.0.1:1 -- true", "the root"},
      {"lock /l --zookeeper 127.0.0.1:x -- true", "127.0.0.1:x"},
      {"show", "PATH"},
      {"show /l", "--zookeeper"},
      {"show l --zookeeper 127.0.0.1:1", "'l'"},
      {"show /l --zookeeper 127.0.0.1:1 -- true", "true"},
      {"revoke / --zookeeper 127.0.0.1:1", "the root"},
      {"revoke /l --zookeeper ,", "--zookeeper ,"}};
  for (const Input& input : inputs) {
    SCOPED_TRACE(input.arguments);
    const ProgramRun run = run_program(words(input.arguments));
    expect_one_line(run, 2, input.named);
    EXPECT_EQ(run.out, "");
  }
}

TEST(OperatorInputTest, ServersThatCannotBeReachedAreNamedWithTheReason) {
  const std::string nowhere = " /l --zookeeper 127.0.0.1:1 --timeout 100ms";
  for (const std::string& arguments : {"lock" + nowhere + " -- true", "show" + nowhere,
                                       "show --json" + nowhere, "revoke" + nowhere}) {
    SCOPED_TRACE(arguments);
    const ProgramRun run = run_program(words(arguments));
    expect_one_line(run, 75, "127.0.0.1:1: Connection refused");
    EXPECT_EQ(run.out, "");
  }
}

TEST(OperatorInputTest, EveryCommandHasHelpWithItsExitStatuses) {
  for (const std::string command : {"lock", "show", "revoke"}) {
    const ProgramRun run = run_program({command, "--help"});
    EXPECT_EQ(run.status, 0);
    EXPECT_NE(run.out.find("lockstep " + command), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("75 "), std::string::npos) << run.out;
  }
}

}  // namespace
}  // namespace lockstep
