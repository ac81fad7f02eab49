#include "run_program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <sstream>

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

}  // namespace

ProgramRun run_program(const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {LOCKSTEP_PROGRAM};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run_command(std::move(command));
}

ProgramRun run_command(std::vector<std::string> command) {
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  const Output out;
  const Output err;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.descriptor(), STDERR_FILENO);
  pid_t child = 0;
  const int failed = posix_spawn(&child, argv.front(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ProgramRun run;
  if (failed != 0) {
    ADD_FAILURE() << "cannot start " << command.front();
    return run;
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) run.status = WEXITSTATUS(status);
  run.out = out.read();
  run.err = err.read();
  return run;
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
