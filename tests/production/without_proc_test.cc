// `lockstep lock` where /proc is missing, as in a chroot, or cannot be read.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "production/operator_lab.h"
#include "production/process_group.h"
#include "support/no_descriptor_left.h"

namespace lockstep {
namespace {

// In namespaces of their own, in which /proc is empty and a shell reaps orphans.
std::vector<std::string> without_proc(const std::vector<std::string>& command) {
  std::vector<std::string> words = {"unshare", "--mount", "--pid", "--fork", "--kill-child"};
  for (const char* const word : {"sh", "-c", "mount -t tmpfs none /proc; \"$@\"; exit $?", "sh"}) {
    words.emplace_back(word);
  }
  words.insert(words.end(), command.begin(), command.end());
  return as_root(words);
}

TEST(WithoutProcTest, ACommandRunsUnderTheLock) {
  const OperatorLab lab;
  const ProgramRun run = run_command(without_proc(lab.locked({}, {"sh", "-c", "exit 7"})));
  EXPECT_EQ(run.status, 7) << run.err;
  EXPECT_EQ(run.err, "");
}

TEST(WithoutProcTest, TheCommandGetsTheDescriptorsOfItsCaller) {
  const OperatorLab lab;
  std::vector<std::string> command = {"sh", "-c", "exec 5>&1; exec \"$@\"", "sh"};
  for (std::string& word : lab.locked_sh({}, "echo heard >&5")) command.push_back(word);
  const ProgramRun run = run_command(without_proc(command));
  EXPECT_EQ(run.out, "heard\n") << run.err;
}

TEST(WithoutProcTest, NoProcessOfTheCommandIsLeft) {
  const OperatorLab lab;
  const std::string process = lab.file("process", "");
  std::vector<std::string> command = {"sh", "-c",
                                      "\"$@\"; kill -0 $(cat " + process + ") && echo left", "sh"};
  const std::string script = "trap '' HUP TERM; sleep 1000 & echo $! > " + process;
  for (std::string& word : lab.locked_sh({}, script)) command.push_back(word);
  const ProgramRun run = run_command(without_proc(command));
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err.find("outlive"), std::string::npos) << run.err;
}

// Nobody must be taken for dead who could not be looked at.
TEST(ProcessGroupTest, ALookWithoutADescriptorIsIncomplete) {
  EXPECT_TRUE(program::look_at_group(getpgrp()).living);
  const support::NoDescriptorLeft none_left;
  const program::GroupLook look = program::look_at_group(getpgrp());
  EXPECT_FALSE(look.living);
  EXPECT_FALSE(look.complete);
}

TEST(ProcessGroupTest, ALookAtAGroupThatHasEndedIsComplete) {
  const pid_t process = fork();
  if (process == 0) {
    setpgid(0, 0);
    _exit(0);
  }
  siginfo_t ended{};
  waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOWAIT);
  const program::GroupLook look = program::look_at_group(process);
  EXPECT_FALSE(look.living);
  EXPECT_TRUE(look.complete);
  waitpid(process, nullptr, 0);
}

}  // namespace
}  // namespace lockstep
