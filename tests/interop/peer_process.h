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
// object or this process ends. On the main thread: it dies with its thread.
class PeerProcess {
 public:
  // Throws std::runtime_error.
  explicit PeerProcess(Library library);
  ~PeerProcess();
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;

  // Tells a contender what to do: peers/CuratorContender.java has the commands.
  void tell(int contender, std::string_view command) const;
  // The contender's next answer, if there is one by now. Throws std::runtime_error, with everything
  // that the process has written to its standard error, if it has ended.
  [[nodiscard]] std::optional<std::string> answer(int contender);
  void signal(int number) const;
  // Everything that the process has written to its standard error.
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
