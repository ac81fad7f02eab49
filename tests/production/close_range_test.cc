// `lockstep lock` where close_range(2) is missing, as in old kernels and some containers.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>

#include "production/operator_lab.h"

namespace lockstep {
namespace {

// The call fails in this process and in the programs that it executes.
void forbid_close_range() {
  constexpr auto kNumber = static_cast<std::uint32_t>(offsetof(seccomp_data, nr));
  std::array<sock_filter, 4> code{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kNumber),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) _exit(1);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) _exit(1);
}

pid_t start_without_close_range(std::vector<std::string> command) {
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  const pid_t process = fork();
  if (process != 0) return process;
  forbid_close_range();
  execv(words.front(), words.data());
  _exit(1);
}

int status_of(pid_t process) {
  int status = 0;
  waitpid(process, &status, 0);
  return status;
}

// The FIFO ends when the shell and its child have ended: both have it open.
TEST(WithoutCloseRangeTest, AKilledProgramTakesTheCommandAndItsProcessesAlong) {
  const OperatorLab lab;
  Fifo runs = lab.fifo("runs");
  const pid_t program = start_without_close_range(
      lab.locked_sh({}, "trap '' TERM; exec 3> " + runs.path() + "; echo >&3; sleep 1000; true"));
  static_cast<void>(runs.read_line());
  kill(program, SIGKILL);
  runs.wait_for_the_end();
  EXPECT_EQ(status_of(program), SIGKILL);
}

TEST(WithoutCloseRangeTest, TheCommandGetsNoDescriptorOfTheProgram) {
  const OperatorLab lab;
  const Fifo count = lab.fifo("count");
  const std::string script = "ls /proc/self/fd | wc -l > " + count.path();
  const pid_t alone = start_without_close_range({"/bin/sh", "-c", script});
  const std::string expected = count.read_all();
  EXPECT_EQ(status_of(alone), 0);
  const pid_t program = start_without_close_range(lab.locked_sh({}, script));
  EXPECT_EQ(count.read_all(), expected);
  EXPECT_EQ(status_of(program), 0);
}

}  // namespace
}  // namespace lockstep
