#include "real/server_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <vector>

#include "real/loopback.h"

namespace lockstep::support {

namespace {

constexpr std::chrono::seconds kStartLimit(30);
constexpr int kBetweenProbesMs = 5;
// A connection that is accepted while the server still starts may stay silent indefinitely.
constexpr std::chrono::milliseconds kProbeLimit(100);

constexpr const char* kJava[] = {
    "java", "-Xms32m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:-UsePerfData",
    "-XX:TieredStopAtLevel=1", "-Djava.net.preferIPv4Stack=true", "-Dzookeeper.forceSync=no",
    "-Dzookeeper.jmx.log4j.disable=true", "-Dzookeeper.preAllocSize=1024",
    // A server that lags behind gets a snapshot, never single transactions: 3.8.0 may acknowledge
    // those before they are in its log, and loses them if it is killed then
    // (tests/chaos/diff_sync.py shows it).
    "-Dzookeeper.forceSnapshotSync=true",
    // The server decodes credentials with the default charset, which the locale would decide.
    "-Dfile.encoding=UTF-8",
    // Allows znodes with a time to live.
    "-Dzookeeper.extendedTypesEnabled=true",
    // ZooKeeper reads these without the prefix.
    "-Dznode.container.checkIntervalMs=300", "-Dznode.container.maxPerMinute=60000",
    // Debian's zookeeper.jar names the rest of its class path, but no library that writes a log.
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Dorg.slf4j.simpleLogger.showDateTime=true",
    "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS", "-cp",
    "/usr/share/java/slf4j-simple.jar:/usr/share/java/zookeeper.jar",
    "org.apache.zookeeper.server.quorum.QuorumPeerMain"};

constexpr int kMainClass = 1;  // The number of words at the end.

std::vector<char*> arguments(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

void ServerProcess::configure(std::uint16_t port, std::chrono::milliseconds tick_time,
                              const std::string& lines) {
  port_ = port;
  std::ofstream configuration(directory_ / "zoo.cfg");
  configuration << "tickTime=" << tick_time.count() << '\n'
                << "dataDir=" << (directory_ / "data").string() << '\n'
                << "clientPort=" << port_ << '\n'
                << "clientPortAddress=127.0.0.1\n"
                << "maxClientCnxns=0\n"
                << "admin.enableServer=false\n"
                << "4lw.commands.whitelist=*\n"
                << lines;
}

void ServerProcess::start(const std::vector<std::string>& more) {
  std::vector<std::string> words(std::begin(kJava), std::end(kJava));
  words.insert(words.end() - kMainClass, more.begin(), more.end());
  words.push_back((directory_ / "zoo.cfg").string());
  const std::vector<char*> command = arguments(words);
  const int log =
      open((directory_ / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log == -1) throw std::system_error(errno, std::generic_category(), "the server's log");
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ == 0) {
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing == -1) _exit(126);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(126);
    setsid();  // Keeps an interrupt at the terminal from the server: the tests stop it.
    dup2(nothing, STDIN_FILENO);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    execvp(command[0], command.data());
    _exit(127);
  }
  const int error = errno;
  close(log);
  if (process_ == -1) throw std::system_error(error, std::generic_category(), "fork()");
}

void ServerProcess::stop() {
  if (process_ == -1) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

void ServerProcess::signal(int number) const {
  if (process_ != -1) kill(process_, number);
}

bool ServerProcess::wait_until_ready() {
  const auto deadline = std::chrono::steady_clock::now() + kStartLimit;
  while (process_ != -1 && std::chrono::steady_clock::now() < deadline) {
    if (waitpid(process_, nullptr, WNOHANG) == process_) {
      process_ = -1;
      return false;
    }
    if (is_ready()) return true;
    poll(nullptr, 0, kBetweenProbesMs);
  }
  return false;
}

// `ruok` is answered too early, and another process's server may have taken the port.
bool ServerProcess::is_ready() const {
  if (mode().empty()) return false;
  const std::string configuration = four_letter_word(port_, "conf", kProbeLimit);
  return configuration.find(directory_.string()) != std::string::npos;
}

std::string ServerProcess::mode() const {
  constexpr std::string_view kMode = "Mode: ";
  const std::string answer = four_letter_word(port_, "srvr", kProbeLimit);
  const std::size_t found = answer.find(kMode);
  if (found == std::string::npos) return "";
  const std::size_t start = found + kMode.size();
  return answer.substr(start, answer.find('\n', start) - start);
}

std::string ServerProcess::log() const {
  std::ostringstream text;
  text << std::ifstream(directory_ / "log").rdbuf();
  return text.str();
}

}  // namespace lockstep::support
