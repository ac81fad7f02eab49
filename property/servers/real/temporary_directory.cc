#include "real/temporary_directory.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace lockstep::support {

namespace {

// Descriptor 3 carries no data: reading it ends when the pipe's other end is closed.
constexpr const char* kJanitor =
    "(trap '' INT HUP TERM; read _ <&3; rm -rf \"$1\") >/dev/null 2>&1 &";

std::filesystem::path make_directory() {
  std::string name = (std::filesystem::temp_directory_path() / "lockstep-server-XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("cannot make the directory " + name);
  return name;
}

}  // namespace

TemporaryDirectory::TemporaryDirectory() : path_(make_directory()) { hire_janitor(); }

TemporaryDirectory::~TemporaryDirectory() {
  close(lifeline_);
  std::error_code ignored;  // The janitor may have been faster.
  std::filesystem::remove_all(path_, ignored);
}

// A process that waits for the end of this one, then removes the directory. Its own session and a
// parent outside the tests keep it alive when all processes of the tests are killed.
void TemporaryDirectory::hire_janitor() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  lifeline_ = ends[1];
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], 3);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  std::vector<std::string> words{"sh", "-c", kJanitor, "sh", path_.string()};
  std::vector<char*> command;
  for (std::string& word : words) command.push_back(word.data());
  command.push_back(nullptr);
  pid_t shell = -1;
  if (posix_spawnp(&shell, "sh", &actions, &attributes, command.data(), environ) == 0) {
    waitpid(shell, nullptr, 0);
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
}

}  // namespace lockstep::support
