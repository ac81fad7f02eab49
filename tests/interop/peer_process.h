#pragma once

#include <sys/types.h>

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "real/temporary_directory.h"

namespace lockstep::interop {

// The libraries whose contenders share locks with ours.
enum class Library { kCurator, kKazoo };

// A process with contenders of another library, which are numbered from 1. It is killed when this
// object or this process ends. Use it on the main thread: it dies with the thread that started it.
class PeerProcess {
 public:
  // Throws std::runtime_error.
  explicit PeerProcess(Library library);
  ~PeerProcess();
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;

  // Sends a command to a contender; peers/CuratorContender.java has the commands.
  void tell(int contender, std::string_view command) const;
  // The contender's next answer, if it has arrived. If the process has ended, throws
  // std::runtime_error with its standard error.
  [[nodiscard]] std::optional<std::string> answer(int contender);
  void signal(int number) const;
  // Everything that the process has written to standard error.
  [[nodiscard]] std::string errors() const;

 private:
  void start(std::vector<std::string> words);
  void read_answers();

  support::TemporaryDirectory directory_;
  pid_t process_ = -1;
  int input_ = -1;
  int output_ = -1;
  std::string unread_;
  std::map<int, std::deque<std::string>> answers_;
};

}  // namespace lockstep::interop
