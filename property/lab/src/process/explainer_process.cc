#include "process/explainer_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <optional>

namespace lockstep::lab {

namespace {

// An interrupt is left to the hunt, which then ends this process as usual.
void ignore_interruptions() {
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGTERM, SIG_IGN);
}

}  // namespace

ExplainerProcess::ExplainerProcess(const std::function<void(const End&)>& explain) {
  std::array<int, 2> told{};
  std::array<int, 2> done{};
  if (::pipe2(told.data(), O_CLOEXEC) != 0) return;
  if (::pipe2(done.data(), O_CLOEXEC) != 0) {
    ::close(told[0]);
    ::close(told[1]);
    return;
  }
  process_ = ::fork();
  if (process_ == 0) {
    ::close(told[1]);
    ::close(done[0]);
    ignore_interruptions();
    if (const std::optional<End> end = read_end(told[0])) explain(*end);
    ::_exit(0);
  }
  ::close(told[0]);
  ::close(done[1]);
  explainer_ = {told[1], done[0]};
}

// Another process may have inherited the pipe, so that closing it alone would not end that process.
ExplainerProcess::~ExplainerProcess() {
  ::close(explainer_.tell);
  ::close(explainer_.await);
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

}  // namespace lockstep::lab
