#pragma once

#include <sys/types.h>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::program {

// The exit status of a command that a signal has ended is this and the signal, as in shells.
constexpr int kStatusOfSignals = 128;

// Why a command cannot be run, and the exit status that shells give then: 127 if it is not there,
// 126 if it is, but cannot be executed.
class CannotRun {
 public:
  CannotRun(int error, const std::string& command);
  int status;
  std::string why;
};

// Looks for `command` as execvp does. A guess: it may have changed when it is executed.
[[nodiscard]] std::optional<CannotRun> why_not_runnable(const std::string& command);

// The descriptors that this process has got from its parent, for its own child; from its start on.
class InheritedDescriptors {
 public:
  InheritedDescriptors();
  // In a child that is about to execute a program: that gets no others. Safe after a fork.
  void keep_only_these() const;

 private:
  std::vector<unsigned> numbers_;  // Ascending.
};

// A command that runs in a process group of its own. If this process ends first, the kernel kills
// the command's process. On one thread, which lives as long as the command: the kernel takes the
// end of that thread for the end of its parent.
class Child {
 public:
  // Makes the process, which waits for begin(). `setting` is one more line of its environment,
  // NAME=VALUE. Throws std::system_error if there can be no process.
  Child(std::vector<std::string> command, const std::string& setting, const sigset_t& signal_mask,
        const InheritedDescriptors& inherited);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  // Kills it if it has not ended.
  ~Child();

  // Executes the command; returns why that is impossible, and then the process has ended.
  [[nodiscard]] std::optional<CannotRun> begin();

  [[nodiscard]] pid_t group() const { return process_; }
  // To the whole group, which exists until reap().
  void send(int signal) const;
  // Its change since the last look.
  class Change {
   public:
    bool ended = false;
    int stopped_by = 0;  // The signal; 0: it was not stopped.
  };
  [[nodiscard]] Change look() const;
  // After its end: its exit status, or 128 and the signal that has ended it, as in shells. Its
  // process id, and the group's, may belong to another process then.
  int reap();

 private:
  std::string name_;
  pid_t process_ = -1;
  int go_ = -1;
  int error_ = -1;
};

}  // namespace lockstep::program
