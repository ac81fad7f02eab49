// Sweeps its parent (Curator's deletingChildrenIfNeeded, kazoo's delete(recursive=True)): after its
// release, a client deletes the lock's znode if a list shows no contender. It sends list and delete
// together. A contender may come between the two, and then the delete is refused (Z125). The client
// takes that child for an orphan and deletes all children, as recursive deletes do: another
// client's place or grant. Correct: a refused client leaves the znode to the contenders that have
// come.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_55 {

namespace {

Task<void> sweep(Session& session, Path lock) {
  Operation<Children> list = session.get_children(lock);
  Operation<void> removal = session.remove(lock);
  const Result<Children> left = co_await list;
  const Result<void> removed = co_await removal;
  if (!left || !left->empty() || removed) co_return;
  // The flaw: a contender has come since the list.
  const Result<Children> rest = co_await session.get_children(lock);
  if (!rest) co_return;
  for (const std::string_view name : *rest) {
    static_cast<void>(co_await session.remove(lock / name));
  }
}

Task<void> hold(Contender& self, Session& session, Path lock) {
  const Result<GrantRecord> grant = co_await acquire(self, session, lock);
  if (!grant) co_return;
  self.oracles().releasing(*grant);
  co_await release(self, session, *grant);
  co_await sweep(session, lock);
}

const Registered kRegistered{
    Scenario{"zoo-55-sweeps-its-parent", "zoo", "S4",
             "Deletes the lock's znode with all children if a contender comes after its list.",
             lab::ScenarioSize{2, 1}, &in_each_round<&hold>, "Curator's deletingChildrenIfNeeded"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_55
