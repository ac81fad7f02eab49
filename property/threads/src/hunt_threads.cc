#include "lockstep/threads/hunt_threads.h"

#include <stdexcept>
#include <utility>

#include "body_program.h"

namespace lockstep::threads {

lab::LockUnderTest under_test(ThreadsUnderTest threads) {
  if (!threads.body) throw std::invalid_argument("'" + threads.name + "' has no body");
  if (threads.replicas == 0) throw std::invalid_argument("'" + threads.name + "' has no server");
  lab::LockUnderTest lock(threads.name);
  lock.source = "lockstep::threads::under_test({.name = \"" + threads.name + "\", .body = &body})";
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
