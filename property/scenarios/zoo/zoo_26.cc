// Readers and writers watch each other (kazoo#649): a reader waits for every writer in the queue,
// including later ones, which wait for the reader. Correct: lockstep::blocks looks only at the
// contenders in front. Every second client is a reader.
#include <algorithm>

#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_26 {

namespace {

// Returns the nearest contender that keeps us waiting; empty if there is none.
std::string_view blocker_of(std::string_view ours, const Children& queue) {
  const auto us = contender(ours, kReadWriteMarks);
  std::string_view nearest;
  for (const std::string_view name : queue) {
    const auto other = contender(name, kReadWriteMarks);
    if (!other || name == ours) continue;
    // The flaw: a reader should look only in front of itself, as a writer does.
    const bool blocks_us =
        us->share == Share::kShared ? other->share == Share::kExclusive : blocks(*other, *us);
    if (blocks_us) nearest = name;
  }
  return nearest;
}

Task<Result<GrantRecord>> acquire(Contender& self, Session& session, Path lock, Share share) {
  const Attempt attempt(self, session.id());
  const std::string mark(share == Share::kShared ? kReadMark : kWriteMark);
  const Created ours = co_await ok(sound_create(session, lock, "-" + mark, Data(), Context()));
  Place place(session, ours.path);
  for (;;) {
    const Children queue = co_await ok(retried(session, &Session::get_children, lock, Context()));
    const bool gone = std::ranges::find(queue, ours.path.name()) == queue.end();
    if (gone) co_return failure(Error::kNoNode);
    const std::string_view blocker = blocker_of(ours.path.name(), queue);
    if (blocker.empty()) {
      place.granted();
      GrantRecord grant(session.id(), lock, ours.path, ours.stat.czxid, queue.parent().pzxid);
      grant.share = share;
      self.oracles().granted(grant);
      co_return std::move(grant);
    }
    co_await ok(change_of(session, lock / blocker, Context()));
  }
}

Task<void> hold(Contender& self, Session& session, Path lock) {
  const bool reads = self.client().process().index() % 2 == 1;
  const Share share = reads ? Share::kShared : Share::kExclusive;
  const auto grant = co_await acquire(self, session, lock, share);
  if (!grant) co_return;
  static_cast<void>(co_await remove_surely(session, grant->znode));
  self.oracles().released(*grant, ReleaseOutcome::kUnknown);
}

const Registered kRegistered{
    Scenario{"zoo-26-readers-and-writers-block-each-other", "zoo", "L1",
             "Waits as a reader for writers that come after it in the queue.",
             lab::ScenarioSize{2, 1}, &readers_and_writers<&each_round<&hold>>, "kazoo#649"}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_26
