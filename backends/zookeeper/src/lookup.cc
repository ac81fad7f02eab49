#include "lookup.h"

#include <exception>
#include <stop_token>
#include <system_error>
#include <utility>

namespace lockstep::zookeeper {

Lookup::Lookup(const Resolver& resolver, std::function<void()> done)
    : resolver_(resolver), done_(std::move(done)) {}

void Lookup::start(std::vector<std::string> hosts) {
  running_ = true;
  try {
    thread_ = std::jthread([this, hosts](const std::stop_token& stop) { resolve(stop, hosts); });
  } catch (const std::system_error& error) {
    Answers refusals;
    for (std::string& host : hosts) {
      refusals.emplace(std::move(host), std::unexpected(std::string(error.what())));
    }
    answer(std::move(refusals));
  }
}

void Lookup::resolve(const std::stop_token& stop, const std::vector<std::string>& hosts) {
  Answers answers;
  for (const std::string& host : hosts) {
    if (stop.stop_requested()) return;
    if (!answers.contains(host)) answers.emplace(host, ask(host));
  }
  answer(std::move(answers));
}

ResolveResult Lookup::ask(const std::string& host) const {
  try {
    return resolver_(host);
  } catch (const std::exception& exception) {
    return std::unexpected(std::string(exception.what()));
  } catch (...) {
    return std::unexpected(std::string("the resolver threw an exception"));
  }
}

void Lookup::answer(Answers answers) {
  {
    const std::lock_guard lock(mutex_);
    answers_ = std::move(answers);
  }
  done_();
}

std::optional<Lookup::Answers> Lookup::take() {
  const std::lock_guard lock(mutex_);
  std::optional<Answers> answers = std::exchange(answers_, std::nullopt);
  if (answers) running_ = false;
  return answers;
}

void Lookup::finish() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

}  // namespace lockstep::zookeeper
