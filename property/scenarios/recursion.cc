// A read/write lock that its owners enter again.
#include <chrono>
#include <optional>
#include <utility>

#include "lockstep/lab/users.h"
#include "lockstep/recursive_read_write_lock.h"
#include "recipes.h"
#include "rounds.h"

namespace lockstep::scenarios {

namespace {

using Hold = RecursiveReadWriteLock::Hold;

// One owner of the lock, with checks that must always hold.
class Owner {
 public:
  Owner(Contender& contender, Session& on, Path path)
      : self(contender), session(on), lock(on, std::move(path), &contender.oracles()) {}

  void expect(bool holds, std::string_view what) const {
    if (!holds) self.oracles().violated("user:reentry", std::string(what));
  }
  [[nodiscard]] LockOwner name() const { return LockOwner(this); }

  Contender& self;
  Session& session;
  RecursiveReadWriteLock lock;
};

Task<void> release(Owner& owner, Hold hold, std::size_t readers_left, std::size_t writers_left) {
  static_cast<void>(co_await hold.release());
  owner.expect(owner.lock.readers(owner.name()) == readers_left &&
                   owner.lock.writers(owner.name()) == writers_left,
               "a release has left another number of holds");
}

// Writes, also reads meanwhile, and then only reads.
Task<void> write_and_read_on(Owner& owner, Hold writer) {
  std::optional<Inside> inside;
  inside.emplace(owner.self, owner.session, writer.held().cause());
  inside->leave_at(writer.held().suspect_token());
  // Takes some time, in which the lock may be lost.
  static_cast<void>(co_await owner.session.sync("/"));
  const bool lost = writer.held().cause().has_value();
  Result<Hold> reader = co_await owner.lock.acquire_read(owner.name());
  owner.expect(reader.has_value() != lost, "a writer was not let in as a reader, or after a loss");
  inside.reset();
  if (!reader) co_return co_await release(owner, std::move(writer), 0, 0);
  co_await release(owner, std::move(writer), 1, 0);
  const bool reads = reader->held().share() == Share::kShared || reader->held().cause();
  const bool struck = owner.self.client().process().world().kinds_injected() != 0;
  owner.expect(reads || struck, "the last write hold has left a writer");
  co_await release(owner, std::move(*reader), 0, 0);
}

// Reads, writes if it may, and then only reads.
Task<void> read_and_write_inside(Owner& owner, Hold reader) {
  const Context patience = owner.self.patience();
  Acquiring acquiring(owner.self, owner.session, patience);
  const bool lost = reader.held().cause().has_value();
  Result<Hold> writer = co_await owner.lock.acquire_write(owner.name(), patience);
  const bool conflict = !writer && writer.error() == Error::kConflict;
  acquiring.resolve();
  if (!conflict) acquiring.resolved(writer);
  owner.expect(!writer || !lost, "a lost lock was entered again");
  if (!writer) co_return co_await release(owner, std::move(reader), 0, 0);
  owner.expect(writer->held().share() == Share::kExclusive, "a writer holds as a reader");
  {
    Inside inside(owner.self, owner.session, writer->held().cause());
    if (lingers(owner.self)) co_await linger(owner.session, writer->held(), inside);
  }
  co_await release(owner, std::move(*writer), 1, 0);
  co_await release(owner, std::move(reader), 0, 0);
}

Task<void> write_twice(Owner& owner, Hold outer) {
  Inside inside(owner.self, owner.session, outer.held().cause());
  inside.leave_at(outer.held().suspect_token());
  const bool lost = outer.held().cause().has_value();
  Result<Hold> inner = co_await owner.lock.acquire_write(owner.name());
  owner.expect(inner.has_value() != lost, "a writer was not let in again, or after a loss");
  if (inner) co_await release(owner, std::move(*inner), 0, 1);
  inside.leave();
  co_await release(owner, std::move(outer), 0, 0);
}

Task<void> enter_twice(Contender& self, Session& session, Path path, std::uint32_t role) {
  Owner owner(self, session, std::move(path));
  const Context patience = self.patience();
  Acquiring acquiring(self, session, patience);
  Task<Result<Hold>> taking = role % 3 == 1 ? owner.lock.acquire_read(owner.name(), patience)
                                            : owner.lock.acquire_write(owner.name(), patience);
  Result<Hold> outer = co_await std::move(taking);
  acquiring.resolved(outer);
  if (!outer) co_return;
  if (role % 3 == 0) co_await write_and_read_on(owner, std::move(*outer));
  if (role % 3 == 1) co_await read_and_write_inside(owner, std::move(*outer));
  if (role % 3 == 2) co_await write_twice(owner, std::move(*outer));
}

// One of two owners of a lock, both in one session. They may give up, because each may have to wait
// for the other.
Task<void> enter_beside_another(lab::User& user, Session& session, RecursiveReadWriteLock& lock,
                                bool reads_first) {
  const LockOwner me(&user);
  const auto take = [&](bool reads, Context patience) {
    return reads ? lock.acquire_read(me, std::move(patience))
                 : lock.acquire_write(me, std::move(patience));
  };
  const Context patience(session.executor().now() + std::chrono::seconds(1));
  user.acquiring(session, patience);
  Result<Hold> outer = co_await take(reads_first, patience);
  user.resolved(session);
  if (!outer) co_return;
  const Context again(session.executor().now() + std::chrono::seconds(1));
  user.acquiring(session, again);
  Result<Hold> inner = co_await take(!reads_first, again);
  user.resolved(session);
  static_cast<void>(co_await session.sync("/"));
  static_cast<void>(co_await outer->release());
  if (inner) static_cast<void>(co_await inner->release());
  if (lock.readers(me) + lock.writers(me) == 0) co_return;
  user.contender().oracles().violated("user:reentry", "the last level was not left");
}

Task<void> enter_as_two(Contender& self, Session& session, Path path, std::uint32_t role) {
  RecursiveReadWriteLock lock(session, std::move(path), &self.oracles());
  lab::Users users(self);
  for (const bool reads_first : {role % 2 == 0, role % 2 == 1}) {
    users.start([&session, &lock, reads_first](lab::User& user) {
      return enter_beside_another(user, session, lock, reads_first);
    });
  }
  co_await users.join();
}

}  // namespace

lab::LockUnderTest recursive_read_write_lock_of_two_owners() {
  return in_rounds<&enter_as_two>(judge::read_write_rules());
}

lab::LockUnderTest recursive_read_write_lock() {
  return in_rounds<&enter_twice>(judge::read_write_rules());
}

}  // namespace lockstep::scenarios
