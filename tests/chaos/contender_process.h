#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "chaos/wire.h"

namespace lockstep::chaos {

// A contender in a process of its own. It ends when this object or this process does.
class ContenderProcess {
 public:
  // `arguments` as the program takes them; `link` is its end, which this closes; it writes its
  // standard error to `errors`. Throws std::runtime_error.
  ContenderProcess(std::vector<std::string> arguments, int link, std::filesystem::path errors);
  ~ContenderProcess();
  ContenderProcess(const ContenderProcess&) = delete;
  ContenderProcess& operator=(const ContenderProcess&) = delete;

  void command(Command command) const;
  void signal(int number) const;
  // Kills it, unless it has ended.
  void kill();
  // Waits for its end, as long as it takes, which others bound; what it has come to.
  [[nodiscard]] std::string wait();
  // Why it has ended, if it has.
  [[nodiscard]] std::optional<std::string> ended();
  // Returns everything that it has written to its standard error.
  [[nodiscard]] std::string errors() const;

 private:
  int input_ = -1;
  pid_t process_ = -1;
  std::filesystem::path errors_;
};

}  // namespace lockstep::chaos
