#include "lockstep/threads/hunt_threads.h"

#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "body_program.h"
#include "lockstep/internal/path_rules.h"

namespace lockstep::threads {

namespace {

std::string quoted(const std::string& text) {
  std::string code = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') code += '\\';
    code += c;
  }
  return code + '"';
}

void add_member(std::string& code, std::string_view name, const std::string& value) {
  code += ",\n                                     .";  // Aligned with the first one.
  code += name;
  code += " = ";
  code += value;
}

// The call that makes the same again, for the regression test of a report: a replay without one of
// these members would be another execution.
std::string source_of(const ThreadsUnderTest& threads) {
  std::string code = "lockstep::threads::under_test({.name = ";
  code += quoted(threads.name);
  add_member(code, "body", "body");
  if (threads.at_start) add_member(code, "at_start", "at_start");
  std::string znodes;
  for (const std::string& znode : threads.znodes) {
    znodes += znodes.empty() ? "{" : ", ";
    znodes += quoted(znode);
  }
  if (!znodes.empty()) add_member(code, "znodes", znodes + '}');
  if (!threads.lock_path.empty()) add_member(code, "lock_path", quoted(threads.lock_path));
  if (threads.replicas != 1) add_member(code, "replicas", std::to_string(threads.replicas));
  if (threads.is_coarse) add_member(code, "is_coarse", "true");
  return code + "})";
}

bool is_servers_own(std::string_view path) {
  return path == "/zookeeper" || path.starts_with("/zookeeper/");
}

bool is_path(std::string_view path) { return path != "/" && fakezk::server_accepts(path); }

// Throws std::invalid_argument for a znode that cannot be made before the first step, and for a
// lock path below which no client could make one.
void check_paths(const ThreadsUnderTest& threads) {
  const auto refuse = [&](const std::string& path, std::string_view why) {
    throw std::invalid_argument("'" + threads.name + "' names '" + path + "', which " +
                                std::string(why));
  };
  std::set<std::string, std::less<>> made = {""};  // The root, as a parent.
  for (const std::string& znode : threads.znodes) {
    if (!is_path(znode)) refuse(znode, "is not the path of a znode");
    if (is_servers_own(znode)) refuse(znode, "belongs to the servers");
    if (!made.contains(znode.substr(0, znode.rfind('/')))) {
      refuse(znode, "needs its parent before it in the list");
    }
    if (!made.insert(znode).second) refuse(znode, "is there twice");
  }
  if (threads.lock_path.empty()) return;
  if (!is_path(threads.lock_path)) refuse(threads.lock_path, "is not the path of a znode");
  if (is_servers_own(threads.lock_path)) refuse(threads.lock_path, "belongs to the servers");
}

}  // namespace

lab::LockUnderTest under_test(ThreadsUnderTest threads) {
  if (!threads.body) throw std::invalid_argument("'" + threads.name + "' has no body");
  if (threads.replicas == 0) throw std::invalid_argument("'" + threads.name + "' has no server");
  check_paths(threads);
  lab::LockUnderTest lock(threads.name);
  lock.source = source_of(threads);
  lock.include = "lockstep/threads/threads_under_test.h";
  lock.in_forks = threads.in_forks;
  lock.make_program = [threads = std::move(threads)](lab::ScenarioSize) {
    return std::make_unique<BodyProgram>(threads);
  };
  return lock;
}

lab::HuntReport hunt_threads(std::string name, std::function<void()> body,
                             const lab::HuntSettings& settings) {
  return hunt_threads(ThreadsUnderTest{.name = std::move(name), .body = std::move(body)}, settings);
}

lab::HuntReport hunt_threads(const ThreadsUnderTest& threads, const lab::HuntSettings& settings,
                             const lab::HuntWatch& watch) {
  lab::HuntSettings one = settings;
  one.size = {1, 1};
  return hunt_lock(under_test(threads), one, watch);
}

}  // namespace lockstep::threads
