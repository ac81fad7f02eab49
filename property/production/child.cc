#include "child.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numeric>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "descriptors.h"

namespace lockstep::program {

namespace {

constexpr int kNotThere = 127;
constexpr int kNotExecutable = 126;
constexpr const char* kUsualPath = "/bin:/usr/bin";  // glibc's default when PATH is not set.

// 0 if the file can be executed.
int error_of(const std::string& file) {
  struct stat status{};
  if (stat(file.c_str(), &status) != 0) return errno;
  if (S_ISDIR(status.st_mode)) return EACCES;
  return faccessat(AT_FDCWD, file.c_str(), X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

// The numbers that /proc lists; without it, all that are possible.
std::vector<unsigned> perhaps_open() {
  std::vector<unsigned> numbers;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    const std::string name = entry.path().filename().string();
    unsigned number = 0;
    std::from_chars(name.data(), name.data() + name.size(), number);
    numbers.push_back(number);
  }
  if (!error) return numbers;
  numbers.resize(last_possible(std::numeric_limits<unsigned>::max()));
  std::iota(numbers.begin(), numbers.end(), 0U);
  return numbers;
}

// Sockets rather than a pipe: a write to a process that has died sends no signal.
std::array<int, 2> make_channel() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::system_error(errno, std::generic_category(), "no socket for the command");
  }
  return ends;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_with(const std::string& setting) {
  const std::string name = setting.substr(0, setting.find('=') + 1);
  std::vector<std::string> lines;
  for (char** line = environ; *line != nullptr; ++line) {
    if (!std::string_view(*line).starts_with(name)) lines.emplace_back(*line);
  }
  lines.push_back(setting);
  return lines;
}

// Everything that the new process needs, made before the fork: the child copies this process's
// memory but not its threads, so it may only make calls that are safe in a signal handler.
class Beginning {
 public:
  char* const* words;
  char* const* environment;
  const sigset_t* signal_mask;
  const InheritedDescriptors* inherited;
  pid_t parent;
  int go;
  int error;
};

[[noreturn]] void become(const Beginning& beginning) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have ended before the kernel was told to kill this process with it.
  if (getppid() != beginning.parent) _exit(kNotExecutable);
  char go = 0;
  if (read(beginning.go, &go, 1) != 1) _exit(kNotExecutable);
  beginning.inherited->keep_only_these();
  sigprocmask(SIG_SETMASK, beginning.signal_mask, nullptr);
  execvpe(beginning.words[0], beginning.words, beginning.environment);
  const int error = errno;
  static_cast<void>(!write(beginning.error, &error, sizeof(error)));
  _exit(kNotThere);
}

}  // namespace

CannotRun::CannotRun(int error, const std::string& command)
    : status(error == ENOENT || error == ENOTDIR ? kNotThere : kNotExecutable),
      why("'" + command + "' cannot be executed: " + std::strerror(error)) {}

std::optional<CannotRun> why_not_runnable(const std::string& command) {
  if (command.empty()) return CannotRun(ENOENT, command);
  if (command.find('/') != std::string::npos) {
    const int error = error_of(command);
    return error == 0 ? std::optional<CannotRun>() : CannotRun(error, command);
  }
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path ? path : kUsualPath);
  int error = ENOENT;
  for (std::string folder; std::getline(folders, folder, ':');) {
    const int here = error_of((folder.empty() ? "." : folder) + "/" + command);
    if (here == 0) return std::nullopt;
    if (here != ENOENT && here != ENOTDIR) error = here;
  }
  return CannotRun(error, command);
}

InheritedDescriptors::InheritedDescriptors() {
  // One of these descriptors was reading the folder and is closed by now.
  for (const unsigned number : perhaps_open()) {
    if (fcntl(static_cast<int>(number), F_GETFD) != -1) numbers_.push_back(number);
  }
  std::ranges::sort(numbers_);
}

void InheritedDescriptors::keep_only_these() const {
  unsigned next = 0;
  for (const unsigned number : numbers_) {
    if (next < number) close_descriptors_at_exec(next, number - 1);
    next = number + 1;
  }
  close_descriptors_at_exec(next, std::numeric_limits<unsigned>::max());
}

Child::Child(std::vector<std::string> command, const std::string& setting,
             const sigset_t& signal_mask, const InheritedDescriptors& inherited)
    : name_(command.front()) {
  const auto [go_read, go_write] = make_channel();
  const auto [error_read, error_write] = make_channel();
  std::vector<std::string> environment = environment_with(setting);
  const std::vector<char*> words = pointers_to(command);
  const std::vector<char*> lines = pointers_to(environment);
  Beginning beginning{words.data(), lines.data(), &signal_mask, &inherited,
                      getpid(),     go_read,      error_write};
  process_ = fork();
  if (process_ == 0) {
    close(go_write);  // Otherwise the end of the parent would not end the wait.
    become(beginning);
  }
  const int error = errno;
  close(go_read);
  close(error_write);
  go_ = go_write;
  error_ = error_read;
  if (process_ == -1) {
    close(go_);
    close(error_);
    throw std::system_error(error, std::generic_category(), "the command cannot be started");
  }
  setpgid(process_, process_);  // Both processes call this: either may be first.
}

Child::~Child() {
  if (go_ != -1) close(go_);
  close(error_);
  if (process_ == -1) return;
  send(SIGKILL);
  waitpid(process_, nullptr, 0);
}

std::optional<CannotRun> Child::begin() {
  static_cast<void>(::send(go_, "g", 1, MSG_NOSIGNAL));
  close(std::exchange(go_, -1));
  int error = 0;
  // The read ends without a byte when the command is executed.
  if (read(error_, &error, sizeof(error)) != sizeof(error)) return std::nullopt;
  return CannotRun(error, name_);
}

bool Child::send(int signal) const { return kill(-process_, signal) == 0 || errno != EPERM; }

Child::Change Child::look() const {
  Change change;
  siginfo_t seen{};
  if (waitid(P_PID, static_cast<id_t>(process_), &seen, WSTOPPED | WNOHANG) == 0 &&
      seen.si_pid == process_) {
    change.stopped_by = seen.si_status;
  }
  seen = {};
  const int left_to_reap = WEXITED | WNOHANG | WNOWAIT;
  change.ended = waitid(P_PID, static_cast<id_t>(process_), &seen, left_to_reap) == 0 &&
                 seen.si_pid == process_;
  return change;
}

int Child::reap() {
  int status = 0;
  waitpid(std::exchange(process_, -1), &status, 0);
  return WIFSIGNALED(status) ? kStatusOfSignals + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace lockstep::program
