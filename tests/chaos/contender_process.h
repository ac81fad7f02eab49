#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "chaos/wire.h"

namespace lockstep::chaos {

// A contender in a separate process, which ends with this object and with this process.
class ContenderProcess {
 public:
  // `arguments` are the program's; `link` is its end of the link, which the constructor closes
  // here; `errors` receives its standard error. Throws std::runtime_error.
  ContenderProcess(std::vector<std::string> arguments, int link, std::filesystem::path errors);
  ~ContenderProcess();
  ContenderProcess(const ContenderProcess&) = delete;
  ContenderProcess& operator=(const ContenderProcess&) = delete;

  void command(Command command) const;
  void signal(int number) const;
  // Kills the process unless it has ended.
  void kill();
  // Waits for its end without a limit, which the caller must ensure; returns how it ended.
  [[nodiscard]] std::string wait();
  // How the process has ended, if it has.
  [[nodiscard]] std::optional<std::string> ended();
  // Everything that it has written to its standard error.
  [[nodiscard]] std::string errors() const;

 private:
  int input_ = -1;
  pid_t process_ = -1;
  std::filesystem::path errors_;
};

}  // namespace lockstep::chaos
