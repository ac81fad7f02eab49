#include "support/zookeeper_server.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "support/loopback.h"

namespace lockstep::support {

namespace {

constexpr int kAttempts = 5;
constexpr std::chrono::seconds kStartLimit(30);
constexpr int kBetweenProbesMs = 5;
// A connection that is accepted while the server still starts can stay silent for ever.
constexpr std::chrono::milliseconds kProbeLimit(100);

constexpr const char* kJava[] = {
    "java", "-Xms64m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:-UsePerfData",
    "-XX:TieredStopAtLevel=1", "-Djava.net.preferIPv4Stack=true", "-Dzookeeper.forceSync=no",
    "-Dzookeeper.jmx.log4j.disable=true", "-Dzookeeper.preAllocSize=1024",
    // Znodes with a time to live.
    "-Dzookeeper.extendedTypesEnabled=true",
    // These are read without the prefix.
    "-Dznode.container.checkIntervalMs=300", "-Dznode.container.maxPerMinute=60000",
    // Debian's zookeeper.jar names the rest of its class path itself.
    "-cp", "/usr/share/java/zookeeper.jar", "org.apache.zookeeper.server.quorum.QuorumPeerMain"};

// Nobody writes to descriptor 3: reading from it ends when the other end of the pipe is closed.
constexpr const char* kJanitor =
    "(trap '' INT HUP TERM; read _ <&3; rm -rf \"$1\") >/dev/null 2>&1 &";

std::string contents_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::filesystem::path make_directory() {
  std::string name = (std::filesystem::temp_directory_path() / "lockstep-server-XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("cannot make the directory " + name);
  return name;
}

std::vector<char*> arguments(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

ZookeeperServer& ZookeeperServer::shared() {
  static std::unique_ptr<ZookeeperServer> server;
  static std::optional<std::string> failure;  // Remembered: the next test fails at once.
  if (failure) throw std::runtime_error(*failure);
  if (!server) {
    try {
      server = std::make_unique<ZookeeperServer>();
    } catch (const std::exception& error) {
      failure = error.what();
      throw;
    }
  }
  return *server;
}

ZookeeperServer::ZookeeperServer(std::chrono::milliseconds tick_time)
    : directory_(make_directory()) {
  hire_janitor();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    port_ = free_port();  // Somebody may take it before the server does: hence the attempts.
    write_configuration(tick_time);
    start_server();
    if (wait_until_ready()) return;
    stop_server();
  }
  const std::string log = contents_of(directory_ / "log");
  clean_up();
  throw std::runtime_error("the ZooKeeper server does not start; its log:\n" + log);
}

ZookeeperServer::~ZookeeperServer() {
  stop_server();
  clean_up();
}

// A process that waits for the end of this one, then removes the directory. In a session of its own
// and nobody's child, so that whatever kills the tests and all their processes misses it.
void ZookeeperServer::hire_janitor() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  lifeline_ = ends[1];
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], 3);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  std::vector<std::string> words{"sh", "-c", kJanitor, "sh", directory_.string()};
  pid_t shell = -1;
  if (posix_spawnp(&shell, "sh", &actions, &attributes, arguments(words).data(), environ) == 0) {
    waitpid(shell, nullptr, 0);
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
}

void ZookeeperServer::clean_up() {
  close(lifeline_);
  std::error_code ignored;  // The janitor may be faster.
  std::filesystem::remove_all(directory_, ignored);
}

void ZookeeperServer::write_configuration(std::chrono::milliseconds tick_time) const {
  std::ofstream configuration(directory_ / "zoo.cfg");
  configuration << "tickTime=" << tick_time.count() << '\n'
                << "minSessionTimeout=" << 2 * tick_time.count() << '\n'
                << "maxSessionTimeout=" << kMaxSessionTimeout.count() << '\n'
                << "dataDir=" << (directory_ / "data").string() << '\n'
                << "clientPort=" << port_ << '\n'
                << "clientPortAddress=127.0.0.1\n"
                << "maxClientCnxns=0\n"
                << "admin.enableServer=false\n"
                << "4lw.commands.whitelist=*\n";
}

void ZookeeperServer::start_server() {
  std::vector<std::string> words(std::begin(kJava), std::end(kJava));
  words.push_back((directory_ / "zoo.cfg").string());
  const std::vector<char*> command = arguments(words);
  const int log =
      open((directory_ / "log").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const pid_t parent = getpid();
  server_ = fork();
  if (server_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(126);
    setsid();  // An interrupt at the terminal is for the tests, which then stop the server.
    dup2(nothing, STDIN_FILENO);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    execvp(command[0], command.data());
    _exit(127);
  }
  close(log);
  close(nothing);
}

bool ZookeeperServer::wait_until_ready() {
  const auto deadline = std::chrono::steady_clock::now() + kStartLimit;
  while (std::chrono::steady_clock::now() < deadline) {
    if (waitpid(server_, nullptr, WNOHANG) == server_) {
      server_ = -1;
      return false;
    }
    if (is_ready()) return true;
    poll(nullptr, 0, kBetweenProbesMs);
  }
  return false;
}

// `ruok` is answered too early, and a server of somebody else may have taken the port.
bool ZookeeperServer::is_ready() const {
  if (four_letter_word(port_, "srvr", kProbeLimit).find("Mode:") == std::string::npos) return false;
  const std::string configuration = four_letter_word(port_, "conf", kProbeLimit);
  return configuration.find(directory_.string()) != std::string::npos;
}

bool ZookeeperServer::knows_session(std::int64_t id) const {
  std::ostringstream hexadecimal;
  hexadecimal << "0x" << std::hex << id;
  const std::string sessions = four_letter_word(port_, "dump", std::chrono::seconds(1));
  return sessions.find(hexadecimal.str()) != std::string::npos;
}

void ZookeeperServer::stop_server() {
  if (server_ == -1) return;
  kill(server_, SIGKILL);
  waitpid(server_, nullptr, 0);
  server_ = -1;
}

}  // namespace lockstep::support
