#include <string>

#include "lockstep/blocking/multi_lock.h"

namespace lockstep::blocking {

namespace {

LockSet mutexes(std::vector<Path> locks) {
  LockSet set;
  for (Path& lock : locks) set.mutex(std::move(lock));
  return set;
}

// All paths, for messages: "/accounts/7, /rates".
Path names_of(const LockSet& locks) {
  std::string names;
  for (const Path& lock : locks.paths()) {
    if (!names.empty()) names += ", ";
    names += lock.view();
  }
  return Path(names);
}

template <class Ask>
auto of_each(const HeldLocks& held, Ask ask) {
  std::vector<decltype(ask(held.each().front()))> values;
  values.reserve(held.each().size());
  for (const HeldLock& each : held.each()) values.push_back(ask(each));
  return values;
}

}  // namespace

MultiLock::MultiLock(Client& client, std::vector<Path> locks, LockObserver* observer)
    : MultiLock(client, mutexes(std::move(locks)), observer) {}

MultiLock::MultiLock(Client& client, Bounds bounds, const LockSet& locks, LockObserver* observer)
    : ExclusiveCalls(
          OnClient<lockstep::internal::NamedMultiLock>(client, names_of(locks), locks, observer),
          names_of(locks), bounds) {}

LockState MultiLock::state() {
  return ask("state()", [](ClientGrants& grant) { return grant.held.state(); });
}

std::vector<Zxid> MultiLock::fencing_tokens() {
  return ask("fencing_tokens()", [](ClientGrants& grant) {
    return of_each(grant.held, [](const HeldLock& held) { return held.fencing_token(); });
  });
}

std::vector<Request> MultiLock::checks() {
  return ask("checks()", [](ClientGrants& grant) {
    return of_each(grant.held, [](const HeldLock& held) { return held.check(); });
  });
}

std::vector<std::stop_token> MultiLock::lost_tokens() {
  return ask("lost_tokens()", [](ClientGrants& grant) {
    return of_each(grant.held, [](const HeldLock& held) { return held.lost_token(); });
  });
}

std::vector<std::stop_token> MultiLock::suspect_tokens() {
  return ask("suspect_tokens()", [](ClientGrants& grant) {
    return of_each(grant.held, [](const HeldLock& held) { return held.suspect_token(); });
  });
}

}  // namespace lockstep::blocking
