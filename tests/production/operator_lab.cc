#include "production/operator_lab.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "lockstep/zookeeper/client.h"
#include "support/session_waits.h"

namespace lockstep {

namespace {

// Returns false at the end.
bool read_byte(int descriptor, char& byte) { return read(descriptor, &byte, 1) == 1; }

Task<void> create_znode(Client& client, Path path, Data data) {
  const auto session = co_await client.session(Context());
  const Result<Created> created = co_await (*session)->create(path, data, CreateMode::kPersistent);
  if (!created) ADD_FAILURE() << path.view() << ": " << name(created.error());
}

Task<void> remove_znode(Client& client, Path path) {
  const auto session = co_await client.session(Context());
  const Result<void> removed = co_await (*session)->remove(path);
  if (!removed) ADD_FAILURE() << path.view() << ": " << name(removed.error());
}

}  // namespace

Fifo::Fifo(std::filesystem::path path) : path_(std::move(path)) {
  if (mkfifo(path_.c_str(), 0600) != 0) throw std::runtime_error("no FIFO " + path_.string());
}

std::string Fifo::read_all() const {
  std::ifstream file(path_);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string Fifo::read_line() {
  descriptor_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  std::string line;
  for (char byte = 0; read_byte(descriptor_, byte) && byte != '\n';) line += byte;
  return line;
}

void Fifo::wait_for_the_end() {
  for (char byte = 0; read_byte(descriptor_, byte);) {
  }
  close(descriptor_);
}

void Fifo::let_go() const { std::ofstream(path_) << "go\n"; }

OperatorLab::OperatorLab(std::string zookeeper)
    : zookeeper_(std::move(zookeeper)), lock_(support::unused_path("/operator")) {}

Fifo OperatorLab::fifo(const std::string& name) const { return Fifo(directory_.path() / name); }

std::string OperatorLab::endless_read() const {
  static int count = 0;
  const Fifo own_writer = fifo("never" + std::to_string(++count));
  return "exec 4<> " + own_writer.path() + "; read _ <&4";
}

std::string OperatorLab::file(const std::string& name, const std::string& text) const {
  const std::filesystem::path path = directory_.path() / name;
  std::ofstream(path) << text;
  return path.string();
}

std::vector<std::string> OperatorLab::locked(const std::vector<std::string>& options,
                                             const std::vector<std::string>& command) const {
  std::vector<std::string> words = {"lock", lock_, "--zookeeper", zookeeper_};
  words.insert(words.end(), options.begin(), options.end());
  words.emplace_back("--");
  words.insert(words.end(), command.begin(), command.end());
  return lockstep_command(words);
}

std::vector<std::string> OperatorLab::locked_sh(const std::vector<std::string>& options,
                                                const std::string& script) const {
  return locked(options, {"sh", "-c", script});
}

nlohmann::json OperatorLab::show() const {
  const std::string server = support::ZookeeperServer::shared().address();
  const ProgramRun run = run_program({"show", lock_, "--zookeeper", server, "--json"});
  // The lock's parent is missing before its first contender comes, and after its last one has gone.
  if (run.status == 2)
    return {{"holders", nlohmann::json::array()}, {"waiters", nlohmann::json::array()}};
  EXPECT_EQ(run.status, 0) << run.err;
  return run.json();
}

ProgramRun OperatorLab::revoke() const {
  return run_program({"revoke", lock_, "--zookeeper", zookeeper_});
}

nlohmann::json OperatorLab::wait_until(std::size_t holders, std::size_t waiters) const {
  for (;;) {
    nlohmann::json shown = show();
    const bool there =
        shown.at("holders").size() == holders && shown.at("waiters").size() == waiters;
    if (there || ::testing::Test::HasFailure()) return shown;
  }
}

void OperatorLab::create(const std::string& path, const Data& data) {
  zookeeper::Runtime runtime;
  zookeeper::Client client(runtime,
                           zookeeper::Options(support::ZookeeperServer::shared().address()));
  runtime.run(create_znode(client, path, data));
}

void OperatorLab::remove(const std::string& path) {
  zookeeper::Runtime runtime;
  zookeeper::Client client(runtime,
                           zookeeper::Options(support::ZookeeperServer::shared().address()));
  runtime.run(remove_znode(client, path));
}

std::vector<std::string> as_root(const std::vector<std::string>& command) {
  std::vector<std::string> words = {"/usr/bin/env"};
  if (geteuid() != 0) words.insert(words.end(), {"sudo", "-n"});
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

std::vector<std::string> as_weak_root(const std::vector<std::string>& program) {
  std::vector<std::string> words = {"setpriv", "--bounding-set=-kill"};
  words.insert(words.end(), program.begin(), program.end());
  return as_root(words);
}

void kill_as_root(const std::string& process) {
  EXPECT_EQ(run_command(as_root({"sh", "-c", "kill -KILL " + process})).status, 0);
}

void expect_one_line(const ProgramRun& run, int status, const std::string& named) {
  EXPECT_EQ(run.status, status) << run.err;
  EXPECT_EQ(std::ranges::count(run.err, '\n'), 1) << run.err;
  EXPECT_NE(run.err.find(named), std::string::npos) << "'" << named << "' is not in: " << run.err;
}

}  // namespace lockstep
