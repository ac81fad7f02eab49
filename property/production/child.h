#pragma once

#include <sys/types.h>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::program {

// The exit status of a command that a signal has ended is this number plus the signal, as in
// shells.
inline constexpr int kStatusOfSignals = 128;

// Why a command cannot be run, and the exit status that shells give then: 127 if it is not there,
// 126 if it is, but cannot be executed.
class CannotRun {
 public:
  CannotRun(int error, const std::string& command);
  int status;
  std::string why;
};

// Looks for `command` as execvp does. The answer may be outdated: the file may change before it is
// executed.
[[nodiscard]] std::optional<CannotRun> why_not_runnable(const std::string& command);

// The descriptors that this process has inherited and passes on to its child. Construct it before
// other files are opened.
class InheritedDescriptors {
 public:
  InheritedDescriptors();
  // Closes all other descriptors, in a child that is about to execute a program. Safe after a fork.
  void keep_only_these() const;

 private:
  std::vector<unsigned> numbers_;  // Ascending.
};

// A command in its own process group. If this process ends first, the kernel kills the command's
// process. Use it on one thread that lives as long as the command: the kernel takes the end of that
// thread for the end of its parent.
class Child {
 public:
  // Makes the process, which waits for begin(). `setting` is one more line of its environment,
  // NAME=VALUE. Throws std::system_error on failure.
  Child(std::vector<std::string> command, const std::string& setting, const sigset_t& signal_mask,
        const InheritedDescriptors& inherited);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  // Kills the process if it has not ended.
  ~Child();

  // Executes the command. If that is impossible, returns why, and the process has ended.
  [[nodiscard]] std::optional<CannotRun> begin();

  [[nodiscard]] pid_t group() const { return process_; }
  // Sends to the whole group, which exists until reap(). Returns false if this process may not send
  // to any process of it, because all have changed their user.
  bool send(int signal) const;
  // Its change since the last look.
  class Change {
   public:
    bool ended = false;
    int stopped_by = 0;  // The signal that stopped it; 0 if it runs.
  };
  [[nodiscard]] Change look() const;
  // Call it after the command's end. Returns its exit status, or 128 plus the signal that has ended
  // it, as in shells. Afterwards another process may have its process id, or the group's.
  int reap();

 private:
  std::string name_;
  pid_t process_ = -1;
  int go_ = -1;
  int error_ = -1;
};

}  // namespace lockstep::program
