#pragma once

#include <signal.h>
#include <sys/types.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

// Tests that calls answer as those of Linux: the same code runs with real descriptors and in
// executions.

namespace lockstep::intercept {

using Answers = std::vector<std::string>;

void expect_answers_of_linux(const std::function<Answers()>& ask);

// Returns the result, or the name of the error.
[[nodiscard]] std::string answer_of(ssize_t result);

// `flags` are those of socket() beside the type.
[[nodiscard]] int make_socket(int flags = 0);

// Returns a listener of TCP, and a client that it has not accepted.
[[nodiscard]] std::pair<int, int> listener_and_client();

// Returns both ends of a connection of TCP: the client, and the server.
[[nodiscard]] std::pair<int, int> connection();

// Returns both ends of a socket pair.
[[nodiscard]] std::pair<int, int> socket_pair();

// Returns the events of poll() that hold now.
[[nodiscard]] int events_now(int file);

// One descriptor of each kind, and what keeps it open.
class Kinds {
 public:
  Kinds();
  Kinds(const Kinds&) = delete;
  Kinds& operator=(const Kinds&) = delete;
  ~Kinds();

  [[nodiscard]] Answers ask(const std::function<ssize_t(int)>& call) const;

 private:
  void add(const char* name, int file) { all_.emplace_back(name, file); }
  void connect();

  std::vector<std::pair<std::string, int>> all_;
};

struct IgnoresBrokenPipes {
  IgnoresBrokenPipes() : before(::signal(SIGPIPE, SIG_IGN)) {}
  IgnoresBrokenPipes(const IgnoresBrokenPipes&) = delete;
  IgnoresBrokenPipes& operator=(const IgnoresBrokenPipes&) = delete;
  ~IgnoresBrokenPipes() { ::signal(SIGPIPE, before); }
  sighandler_t before;
};

}  // namespace lockstep::intercept
