#include "run_program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

namespace lockstep {

namespace {

// Output goes to files, so that neither stream can fill up and block the program.
class Output {
 public:
  Output() : file_(std::tmpfile(), &std::fclose) {}
  [[nodiscard]] int descriptor() const { return fileno(file_.get()); }
  [[nodiscard]] std::string read() const {
    std::string text(static_cast<std::size_t>(lseek(descriptor(), 0, SEEK_END)), '\0');
    const auto got = pread(descriptor(), text.data(), text.size(), 0);
    text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return text;
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

// The master side of a terminal. It must be read continuously, or the other side fills up.
class Terminal {
 public:
  Terminal() : far_(posix_openpt(O_RDWR | O_NOCTTY)) {
    grantpt(far_);
    unlockpt(far_);
    near_ = open(ptsname(far_), O_RDWR | O_NOCTTY);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    close(far_);
    if (near_ >= 0) close(near_);
  }
  [[nodiscard]] int near() const { return near_; }
  void be_so_wide(unsigned columns) const {
    winsize size{};
    size.ws_row = 50;
    size.ws_col = static_cast<unsigned short>(columns);
    ioctl(near_, TIOCSWINSZ, &size);
  }
  // Closes the other side, so that reading ends when the program has ended.
  void let_go() {
    close(near_);
    near_ = -1;
  }
  // Returns false at the end.
  bool read_some() {
    std::array<char, 4096> buffer{};
    const auto got = read(far_, buffer.data(), buffer.size());
    if (got <= 0) return false;
    text.append(buffer.data(), static_cast<std::size_t>(got));
    return true;
  }

  std::string text;

 private:
  int far_;
  int near_;
};

}  // namespace

class RunningProgram::Impl {
 public:
  Impl(std::vector<std::string> command, Err to, unsigned columns) {
    std::vector<char*> argv;
    for (std::string& word : command) argv.push_back(word.data());
    argv.push_back(nullptr);
    if (to == Err::kTerminal) terminal.emplace();
    if (columns > 0) terminal->be_so_wide(columns);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, columns > 0 ? terminal->near() : out.descriptor(),
                                     STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, terminal ? terminal->near() : err.descriptor(),
                                     STDERR_FILENO);
    if (posix_spawn(&child, argv.front(), &actions, nullptr, argv.data(), environ) != 0) {
      child = 0;
      ADD_FAILURE() << "cannot start " << command.front();
    }
    posix_spawn_file_actions_destroy(&actions);
    if (terminal) terminal->let_go();
  }

  pid_t child = 0;
  Output out;
  Output err;
  std::optional<Terminal> terminal;
};

RunningProgram::RunningProgram(std::vector<std::string> command, Err err, unsigned columns)
    : impl_(std::make_unique<Impl>(std::move(command), err, columns)) {}

RunningProgram::~RunningProgram() {
  if (impl_->child == 0) return;
  send(SIGKILL);
  waitpid(impl_->child, nullptr, 0);
}

void RunningProgram::wait_until_it_handles(int signal) const {
  for (;;) {
    std::ifstream status("/proc/" + std::to_string(impl_->child) + "/status");
    std::string line;
    while (std::getline(status, line) && !line.starts_with("SigCgt:")) {
    }
    if (line.empty()) return ADD_FAILURE() << "it has ended";
    const std::uint64_t caught = std::stoull(line.substr(line.find(':') + 1), nullptr, 16);
    if (((caught >> (signal - 1)) & 1) != 0) return;
    sched_yield();
  }
}

void RunningProgram::wait_until_it_shows(const std::string& text) {
  while (impl_->terminal->text.find(text) == std::string::npos) {
    if (!impl_->terminal->read_some()) return ADD_FAILURE() << "it never shows " << text;
  }
}

void RunningProgram::send(int signal) const { kill(impl_->child, signal); }

int RunningProgram::process() const { return impl_->child; }

ProgramRun RunningProgram::wait() {
  ProgramRun run;
  if (impl_->child == 0) return run;
  while (impl_->terminal && impl_->terminal->read_some()) {
  }
  int status = 0;
  waitpid(impl_->child, &status, 0);
  impl_->child = 0;
  if (WIFEXITED(status)) run.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) run.signal = WTERMSIG(status);
  run.out = impl_->out.read();
  run.err = impl_->terminal ? impl_->terminal->text : impl_->err.read();
  return run;
}

std::vector<std::string> lockstep_command(const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {LOCKSTEP_PROGRAM};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

ProgramRun run_program(const std::vector<std::string>& arguments) {
  return run_command(lockstep_command(arguments));
}

ProgramRun run_command(std::vector<std::string> command) {
  return RunningProgram(std::move(command)).wait();
}

std::vector<std::string> words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

std::string after(const std::string& label, const std::string& text) {
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    line.erase(0, line.find_first_not_of(' '));
    if (line.starts_with(label)) return line.substr(label.size());
  }
  ADD_FAILURE() << "no line begins with '" << label << "' in:\n" << text;
  return {};
}

}  // namespace lockstep
