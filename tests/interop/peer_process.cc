#include "interop/peer_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace lockstep::interop {

namespace {

constexpr std::string_view kJars =
    ":/usr/share/java/slf4j-simple.jar:/usr/share/java/curator-recipes.jar"
    ":/usr/share/java/zookeeper.jar";

std::vector<std::string> program_of(Library library) {
  // Debian's packages belong to Debian's own interpreter.
  if (library == Library::kKazoo) return {"/usr/bin/python3", LOCKSTEP_KAZOO_CONTENDER};
  return {"java",
          "-Xmx128m",
          "-XX:+UseSerialGC",
          "-XX:-UsePerfData",
          "-XX:TieredStopAtLevel=1",
          "-Djava.net.preferIPv4Stack=true",
          "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
          "-cp",
          LOCKSTEP_CURATOR_CLASSES + std::string(kJars),
          "org.apache.curator.framework.recipes.locks.CuratorContender"};
}

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  return ends;
}

}  // namespace

PeerProcess::PeerProcess(Library library) { start(program_of(library)); }

void PeerProcess::start(std::vector<std::string> words) {
  std::vector<char*> command;
  for (std::string& word : words) command.push_back(word.data());
  command.push_back(nullptr);
  const std::array<int, 2> to = make_pipe();
  const std::array<int, 2> from = make_pipe();
  const std::string log = directory_.path() / "errors";
  const int errors = open(log.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(126);
    setsid();  // Keeps an interrupt at the terminal from this process: the tests kill it.
    dup2(to[0], STDIN_FILENO);
    dup2(from[1], STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    execvp(command[0], command.data());
    _exit(127);
  }
  for (const int descriptor : {to[0], from[1], errors}) close(descriptor);
  input_ = to[1];
  output_ = from[0];
  fcntl(output_, F_SETFL, O_NONBLOCK);
}

PeerProcess::~PeerProcess() {
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  close(input_);
  close(output_);
}

void PeerProcess::tell(int contender, std::string_view command) const {
  const std::string line = std::to_string(contender) + " " + std::string(command) + "\n";
  if (write(input_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    throw std::runtime_error("a process of contenders does not listen:\n" + errors());
  }
}

std::optional<std::string> PeerProcess::answer(int contender) {
  read_answers();
  std::deque<std::string>& all = answers_[contender];
  if (all.empty()) return std::nullopt;
  std::string first = std::move(all.front());
  all.pop_front();
  return first;
}

void PeerProcess::read_answers() {
  std::array<char, 4096> bytes{};
  ssize_t size = 0;
  while ((size = read(output_, bytes.data(), bytes.size())) > 0) {
    unread_.append(bytes.data(), static_cast<std::size_t>(size));
  }
  if (size == 0) throw std::runtime_error("a process of contenders has ended:\n" + errors());
  for (std::size_t end = 0; (end = unread_.find('\n')) != std::string::npos;) {
    std::istringstream line(unread_.substr(0, end));
    unread_.erase(0, end + 1);
    int contender = 0;
    std::string answer;
    line >> contender >> std::ws;
    std::getline(line, answer);
    answers_[contender].push_back(answer);
  }
}

void PeerProcess::signal(int number) const { kill(process_, number); }

std::string PeerProcess::errors() const {
  std::ostringstream text;
  text << std::ifstream(directory_.path() / "errors").rdbuf();
  return text.str();
}

}  // namespace lockstep::interop
