#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lockstep/data.h"
#include "lockstep/path.h"
#include "program/run_program.h"
#include "real/temporary_directory.h"
#include "real/zookeeper_server.h"

namespace lockstep {

// A named pipe by which a command reports that it runs, and a test keeps it waiting.
class Fifo {
 public:
  explicit Fifo(std::filesystem::path path);
  [[nodiscard]] std::string path() const { return path_.string(); }
  // Waits for a writer, and returns everything up to the moment when the last writer closes it.
  [[nodiscard]] std::string read_all() const;
  // Waits for a writer; returns the first line, and keeps reading from then on.
  [[nodiscard]] std::string read_line();
  // Call it after read_line(): waits until the last writer has closed the pipe.
  void wait_for_the_end();
  // Waits for a reader; lets one `read` in a shell return.
  void let_go() const;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

// Runs the operators' commands on the server that all tests share.
class OperatorLab {
 public:
  explicit OperatorLab(std::string zookeeper = support::ZookeeperServer::shared().address());

  // A lock that no other test uses.
  [[nodiscard]] const std::string& lock() const { return lock_; }
  [[nodiscard]] Fifo fifo(const std::string& name) const;
  // Shell code that waits forever in a call that a trap interrupts.
  [[nodiscard]] std::string endless_read() const;
  [[nodiscard]] std::string file(const std::string& name, const std::string& text) const;

  // `lockstep lock` on this lock, with these options and this command.
  [[nodiscard]] std::vector<std::string> locked(const std::vector<std::string>& options,
                                                const std::vector<std::string>& command) const;
  // The same with shell code as the command.
  [[nodiscard]] std::vector<std::string> locked_sh(const std::vector<std::string>& options,
                                                   const std::string& script) const;
  // Runs `lockstep show --json` or `lockstep revoke`.
  [[nodiscard]] nlohmann::json show() const;
  [[nodiscard]] ProgramRun revoke() const;
  // Calls show() until the lock has that many holders and waiters.
  nlohmann::json wait_until(std::size_t holders, std::size_t waiters) const;
  // Creates or removes a znode directly.
  void create(const std::string& path, const Data& data = Data());
  void remove(const std::string& path);

 private:
  support::TemporaryDirectory directory_;
  std::string zookeeper_;
  std::string lock_;
};

// The command as root, who is the user of the tests or may be reached by sudo.
std::vector<std::string> as_root(const std::vector<std::string>& command);
// As a command that runs sudo: `program` is root's, but may send no signal to other users'
// processes.
std::vector<std::string> as_weak_root(const std::vector<std::string>& program);
// `process` is an id, or minus that of a group.
void kill_as_root(const std::string& process);

// Expects that the program has ended with that status, and one line that contains `named`.
void expect_one_line(const ProgramRun& run, int status, const std::string& named);

}  // namespace lockstep
