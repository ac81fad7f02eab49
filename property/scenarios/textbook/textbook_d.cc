// The recipe with a client id in the znode's data, in two forms with one flaw each.
#include <algorithm>
#include <stdexcept>
#include <vector>

#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::textbook_d {

namespace {

// Returns the first znode with our id as its data; kNoNode if there is none.
Task<Result<Created>> find(Session& session, Path lock, std::string id) {
  co_await ok(session.connected());
  co_await ok(session.sync(lock));
  const Children queue = co_await ok(session.get_children(lock));
  std::vector<std::string_view> sorted(queue.begin(), queue.end());
  std::ranges::sort(sorted);  // All names have the same prefix.
  for (const std::string_view name : sorted) {
    const auto read = co_await session.get_data(lock / name);
    if (!read && outcome_unknown(read.error())) co_return failure(read.error());
    // The flaw: the id names the client, not the acquire.
    const bool ours = read && read->data.view() == id && read->stat.ephemeral_owner == session.id();
    if (ours) co_return Created(lock / name, read->stat);
  }
  co_return failure(Error::kNoNode);
}

Task<Result<Created>> create(Session& session, Path lock, std::string id) {
  for (;;) {
    Result<Created> created = co_await session.create(lock / "x-lock-", Data(std::string_view(id)),
                                                      CreateMode::kEphemeralSequential);
    while (!created && outcome_unknown(created.error())) {
      created = co_await find(session, lock, id);
    }
    if (created && !keeps_order(*created)) {
      remove_guaranteed(session, created->path);
      co_return failure(Error::kNodeExists);
    }
    if (created || created.error() != Error::kNoNode) co_return std::move(created);
    co_await ok(ensure_parent(session, lock, Context()));
  }
}

Task<void> hold_once(Contender& self, std::shared_ptr<Session> session, Path lock) {
  const Attempt attempt(self, session->id());
  const auto ours = co_await create(*session, lock, self.client().name());
  if (!ours) co_return;
  const auto evidence = co_await sound_wait(*session, lock, ours->path, &self.oracles(), Context());
  if (!evidence) co_return;
  const GrantRecord grant(session->id(), lock, ours->path, ours->stat.czxid, *evidence);
  HeldLock held(*session, grant, &self.oracles());
  static_cast<void>(co_await sleep_for(session->executor(), std::chrono::seconds(1)));  // The work.
  co_await held.release();
}

// The depth at which a thread's stack ends.
constexpr int kDeepest = 500;

Task<Result<GrantRecord>> acquire_recursively(Contender& self, Session& session, Path lock,
                                              int depth) {
  if (depth == kDeepest) throw std::runtime_error("StackOverflowError");
  Result<GrantRecord> grant = co_await queue_up(session, lock, self.oracles());
  // The flaw: this should end with the session, or when no place is left.
  if (!grant) grant = co_await acquire_recursively(self, session, lock, depth + 1);
  co_return std::move(grant);
}

// After any error the recipe calls itself and begins again, even when the session is over and every
// request fails at once. Correct: a loop that ends with the session.
Task<void> hold_recursively(Contender& self, Session& session, Path lock) {
  const auto grant = co_await attempted(self, session, acquire_recursively(self, session, lock, 0));
  if (!grant) co_return;
  co_await release(self, session, *grant);
}

// Two threads of one client contend. After a connection loss each looks for its znode by reading
// every child's data. Both have the same id, find the same znode, and both hold. Correct: a GUID
// for each acquire, lockstep::take_place.
Task<void> hold(Contender& self, Session&, Path lock) {
  const std::shared_ptr<Session> session = self.client().current();
  self.client().process().tasks().spawn(hold_once(self, session, lock));
  co_await hold_once(self, session, lock);
}

const Registered kRegistered{
    Scenario{"textbook-d", "textbook", "S1",
             "The recipe with a client id in the data: its main flaw, as textbook-d-identity.",
             lab::ScenarioSize{1, 1}, &in_each_round<&hold>, "tutorial D"},
    Scenario{"textbook-d-identity", "textbook", "S1",
             "Finds its znode by a client id, which two acquires of one client share.",
             lab::ScenarioSize{1, 1}, &in_each_round<&hold>, "tutorial D"},
    Scenario{"textbook-d-recursion", "textbook", "crash",
             "Calls itself after each error, even when every request fails at once.",
             lab::ScenarioSize{2, 1}, &in_each_round<&hold_recursively>, "tutorial D"}};

}  // namespace

}  // namespace lockstep::scenarios::textbook_d
