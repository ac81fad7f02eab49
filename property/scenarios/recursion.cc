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

// One owner of a lock, with checks that must always hold.
class Owner {
 public:
  Owner(lab::Lane lane, Session& on, RecursiveReadWriteLock& enters,
        const lab::Users* among = nullptr)
      : self(lane), session(on), lock(enters), users(among) {}

  void expect(bool holds, std::string_view what) const {
    if (!holds) self.contender().oracles().violated("user:reentry", std::string(what));
  }
  // It has that many holds, whatever other owners do.
  void expect_holds(std::size_t readers, std::size_t writers) const {
    expect(lock.readers(name()) == readers && lock.writers(name()) == writers,
           "an owner has another number of holds");
  }
  // Whether another user of its contender is in its way.
  [[nodiscard]] bool meets_users() const { return users && users->running() > 1; }
  [[nodiscard]] LockOwner name() const { return LockOwner(this); }
  // Users give up, because each may have to wait for the other.
  [[nodiscard]] Context patience() const {
    if (!users) return self.contender().patience();
    return {session.executor().now() + std::chrono::seconds(1)};
  }

  lab::Lane self;
  Session& session;
  RecursiveReadWriteLock& lock;
  const lab::Users* users;  // Null if it is the only one of its contender.
};

Task<void> release(Owner& owner, Hold hold, std::size_t readers_left, std::size_t writers_left) {
  static_cast<void>(co_await hold.release());
  owner.expect_holds(readers_left, writers_left);
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
  owner.expect_holds(1, 1);
  co_await release(owner, std::move(writer), 1, 0);
  const bool reads = reader->held().share() == Share::kShared || reader->held().cause();
  const bool struck = owner.self.contender().client().process().world().kinds_injected() != 0;
  owner.expect(reads || struck, "the last write hold has left a writer");
  co_await release(owner, std::move(*reader), 0, 0);
}

// Reads, writes if it may, and then only reads.
Task<void> read_and_write_inside(Owner& owner, Hold reader) {
  const Context patience = owner.patience();
  Attempt attempt(owner.self, owner.session.id(), patience);
  const bool lost = reader.held().cause().has_value();
  const bool meets_users = owner.meets_users();
  Result<Hold> writer = co_await owner.lock.acquire_write(owner.name(), patience);
  const bool conflict = !writer && writer.error() == Error::kConflict;
  if (conflict && meets_users) {
    attempt.end();
  } else {
    attempt.upgraded(writer);
  }
  owner.expect(!writer || !lost, "a lost lock was entered again");
  if (!writer) co_return co_await release(owner, std::move(reader), 0, 0);
  owner.expect(writer->held().share() == Share::kExclusive, "a writer holds as a reader");
  owner.expect_holds(1, 1);
  {
    Inside inside(owner.self, owner.session, writer->held().cause());
    if (lingers(owner.self.contender())) co_await linger(owner.session, writer->held(), inside);
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
  if (inner) owner.expect_holds(0, 2);
  if (inner) co_await release(owner, std::move(*inner), 0, 1);
  inside.leave();
  co_await release(owner, std::move(outer), 0, 0);
}

Task<void> enter_twice(Owner& owner, std::uint32_t way) {
  const bool reads_first = way == 1;
  const Context patience = owner.patience();
  Attempt attempt(owner.self, owner.session.id(), patience);
  Task<Result<Hold>> taking = reads_first ? owner.lock.acquire_read(owner.name(), patience)
                                          : owner.lock.acquire_write(owner.name(), patience);
  Result<Hold> outer = co_await std::move(taking);
  attempt.resolved(outer);
  if (!outer) co_return owner.expect_holds(0, 0);
  owner.expect_holds(reads_first ? 1 : 0, reads_first ? 0 : 1);
  if (way == 0) co_await write_and_read_on(owner, std::move(*outer));
  if (way == 1) co_await read_and_write_inside(owner, std::move(*outer));
  if (way == 2) co_await write_twice(owner, std::move(*outer));
}

constexpr std::uint32_t kWaysToEnter = 3;

Task<void> enter_alone(Contender& self, Session& session, Path path, std::uint32_t role) {
  RecursiveReadWriteLock lock(session, std::move(path), &self.oracles());
  Owner owner(self, session, lock);
  co_await enter_twice(owner, role % kWaysToEnter);
}

// A user of the contender, an owner of its own.
Task<void> enter_as_user(lab::User& user, Session& session, RecursiveReadWriteLock& lock,
                         const lab::Users& users, std::uint32_t way) {
  Owner owner(user, session, lock, &users);
  co_await enter_twice(owner, way);
}

Task<void> enter_as_two(Contender& self, Session& session, Path path) {
  RecursiveReadWriteLock lock(session, std::move(path), &self.oracles());
  const std::uint32_t first = drawn(self, kWaysToEnter);
  const std::uint32_t second = drawn(self, kWaysToEnter);
  lab::Users users(self);
  for (const std::uint32_t way : {first, second}) {
    users.start(
        [&, way](lab::User& user) { return enter_as_user(user, session, lock, users, way); });
  }
  co_await users.join();
}

}  // namespace

lab::LockUnderTest recursive_read_write_lock_of_two_owners() {
  return in_drawn_rounds<&enter_as_two>(judge::read_write_rules());
}

lab::LockUnderTest recursive_read_write_lock() {
  return in_rounds<&enter_alone>(judge::read_write_rules());
}

}  // namespace lockstep::scenarios
