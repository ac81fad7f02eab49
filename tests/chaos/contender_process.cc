#include "chaos/contender_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace lockstep::chaos {

namespace {

std::string text_of(int status) {
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return "status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

ContenderProcess::ContenderProcess(std::vector<std::string> arguments, int link,
                                   std::filesystem::path errors)
    : errors_(std::move(errors)) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::runtime_error("no socket pair");
  }
  input_ = ends[1];
  arguments.insert(arguments.begin(), LOCKSTEP_CONTENDER);
  std::vector<char*> words;
  for (std::string& word : arguments) words.push_back(word.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // Avoids the numbers that these descriptors get below.
  const int far_link = fcntl(link, F_DUPFD_CLOEXEC, 10);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors_.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, far_link, kLink);
  const int failed = posix_spawn(&process_, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  for (const int descriptor : {ends[0], link, far_link}) close(descriptor);
  if (failed != 0) throw std::runtime_error(std::string("cannot start ") + words[0]);
}

ContenderProcess::~ContenderProcess() {
  kill();
  close(input_);
}

void ContenderProcess::command(Command command) const {
  const char byte = static_cast<char>(command);
  static_cast<void>(!send(input_, &byte, 1, MSG_NOSIGNAL));
}

void ContenderProcess::signal(int number) const {
  if (process_ != -1) ::kill(process_, number);
}

void ContenderProcess::kill() {
  if (process_ == -1) return;
  signal(SIGKILL);
  static_cast<void>(wait());
}

std::string ContenderProcess::wait() {
  if (process_ == -1) return "status 0";
  int status = 0;
  waitpid(std::exchange(process_, -1), &status, 0);
  return text_of(status);
}

std::optional<std::string> ContenderProcess::ended() {
  int status = 0;
  if (process_ == -1 || waitpid(process_, &status, WNOHANG) != process_) return std::nullopt;
  process_ = -1;
  return text_of(status);
}

std::string ContenderProcess::errors() const {
  std::ostringstream text;
  text << std::ifstream(errors_).rdbuf();
  return text.str();
}

}  // namespace lockstep::chaos
