#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "lockstep/client.h"
#include "lockstep/held_lock.h"
#include "lockstep/held_locks.h"
#include "lockstep/lock_failure.h"
#include "lockstep/lock_observer.h"
#include "lockstep/ok.h"
#include "lockstep/within.h"

namespace lockstep {

// A grant, or several, together with their session, whose object it keeps alive.
template <class Held>
class GrantOnClient {
 public:
  GrantOnClient(std::shared_ptr<Session> of, Held grant)
      : session(std::move(of)), held(std::move(grant)) {}
  GrantOnClient(GrantOnClient&&) noexcept = default;
  // Swaps, so that a grant is always destroyed before its session.
  GrantOnClient& operator=(GrantOnClient&& other) noexcept {
    std::swap(session, other.session);
    std::swap(held, other.held);
    std::swap(rejoins, other.rejoins);
    return *this;
  }
  GrantOnClient(const GrantOnClient&) = delete;
  GrantOnClient& operator=(const GrantOnClient&) = delete;
  ~GrantOnClient() = default;

  std::shared_ptr<Session> session;
  Held held;
  // How often the place in the queue was lost with its session and taken again: see Rejoining.
  std::uint32_t rejoins = 0;
};

using ClientGrant = GrantOnClient<HeldLock>;
// Several leases of a semaphore.
using ClientGrants = GrantOnClient<HeldLocks>;

// The usual ways to take a lock.
inline constexpr auto kAcquire = [](auto& recipe, Context context) {
  static_assert(
      requires { recipe.acquire(std::move(context)); },
      "this recipe is not taken by acquire(): name another way, as acquire_read(), by take()");
  return recipe.acquire(std::move(context));
};
inline constexpr auto kTryAcquire = [](auto& recipe, Context context) {
  static_assert(
      requires { recipe.try_acquire(std::move(context)); },
      "this recipe is not taken by try_acquire(): name another way by take(), if it has one");
  return recipe.try_acquire(std::move(context));
};

// About the number of bytes that a waiter's watch takes in the packet that sets a session's watches
// again: the contender in front is a child of the lock.
[[nodiscard]] inline std::size_t watch_bytes(const Path& lock) {
  constexpr std::size_t kLengthAndName = 64;
  return lock.view().size() + kLengthAndName;
}

namespace internal {

// The error of an acquire that began on `session` at `began`: kTimedOut only if its turn did not
// come. If the server has not answered since then, the acquire had no place in the queue, which is
// another error.
[[nodiscard]] Error why_not_acquired(Error error, const Session& session, TimePoint began,
                                     const Context& context);

// The observer among a recipe's arguments; null if there is none.
inline LockObserver* observer_among() { return nullptr; }
template <class First, class... Rest>
LockObserver* observer_among(const First& first, const Rest&... rest) {
  if constexpr (std::convertible_to<First, LockObserver*>) {
    return first;
  } else {
    return observer_among(rest...);
  }
}

template <class Taking>
struct GrantBy;
template <class Held>
struct GrantBy<Task<Result<Held>>> {
  using type = GrantOnClient<Held>;
};

template <class Acquiring>
struct Acquired;
template <class Grant>
struct Acquired<Task<Result<Grant>>> {
  using type = Grant;
};
// Whether a grant uses its recipe, and says so by a member type OfRecipe.
template <class Held>
concept UsesItsRecipe = requires { typename Held::OfRecipe; };

// The grant that acquire() of an OnClient, a Rejoining or a SharedOnClient resolves with.
template <class Source>
using GrantOf =
    typename Acquired<decltype(std::declval<Source&>().acquire(std::declval<Context>()))>::type;

}  // namespace internal

// ClientGrant or ClientGrants: the result of that `way` to take a Recipe.
template <class Recipe, class Way>
using GrantBy = typename internal::GrantBy<std::invoke_result_t<Way&, Recipe&, Context>>::type;

// A lock that outlives sessions: each acquire creates its own Recipe on the current session of its
// client, and is bound to that session. If the session ends during the acquire, the acquire ends
// with kSessionExpired (or another error of the session) and none of its work goes on; the next one
// gets the client's next session. A grant of an old session stays lost.
//
// Contenders of one client may be spread over several sessions (Client::session_with_room). If the
// session of a contender still has no room for its watches (kWatchLimit), the contender leaves the
// queue and tries again, with a larger reservation, as long as the client can make one.
//
// One deadline covers the connection, the retries and the wait; `acquire(30s)` sets it from now on.
// Errors: those of the recipe, kTimedOut only if the deadline passes while it waits for its turn,
// and
//   kNotConnected       the deadline has passed without a connection (Client::session), or the
//                       connection was lost before any server had answered
//   kOperationTimeout   the deadline has passed while the connected server did not answer
// Resumes on the client's executor, where everything here belongs. Client, lock and observer
// outlive the tasks; the client and the observer outlive the grants. The Recipe is destroyed as
// soon as its lock is taken: one whose grants use it, such as a RecursiveMutex, does not compile.
template <class Recipe>
class OnClient {
 public:
  // `what` are the recipe's arguments after its session and its path, as in its constructors: a
  // number of leases, LockOptions, an observer. They are copied.
  template <class... What>
    requires std::constructible_from<Recipe, Session&, Path, const What&...>
  OnClient(Client& client, Path lock, What... what)
      : client_(client),
        lock_(lock),
        make_([lock = std::move(lock), ... what = std::move(what)](Session& session) {
          return Recipe(session, lock, what...);
        }) {}

  // These resolve with a ClientGrant.
  auto acquire(Context context = {}) { return take(kAcquire, std::move(context)); }
  auto try_acquire(Context context = {}) { return take(kTryAcquire, std::move(context)); }
  auto acquire(Duration wait) { return acquire(within(executor(), wait)); }
  auto try_acquire(Duration wait) { return try_acquire(within(executor(), wait)); }
  // `way(Recipe&, Context)` is Task<Result<HeldLock>>, or HeldLocks: any other way to take the
  // lock.
  template <class Way>
  Task<Result<GrantBy<Recipe, Way>>> take(Way way, Context context) {
    using Held = decltype(std::declval<GrantBy<Recipe, Way>&>().held);
    static_assert(!internal::UsesItsRecipe<Held>,
                  "a grant of this recipe uses the recipe, which is destroyed once the lock is "
                  "taken: share a CohortMutex by SharedOnClient, and make any other such recipe on "
                  "a session of Client::session()");
    for (std::size_t bytes = watch_bytes(lock_);; bytes *= 2) {
      const SessionRoom room = co_await ok(client_.session_with_room(bytes, context));
      Session& session = *room.session();
      Recipe recipe = make_(session);
      const TimePoint began = executor().now();
      auto held = co_await way(recipe, context);
      if (held) co_return GrantBy<Recipe, Way>(room.session(), std::move(*held));
      const Error error = internal::why_not_acquired(held.error(), session, began, context);
      const bool wants_more = error == Error::kWatchLimit && room.is_set_aside();
      if (!wants_more) co_return failure(error);
    }
  }
  // `way(Recipe&, HeldLock&, Context)` is Task<Result<void>>: changes a grant of this lock, on its
  // session, with the same errors. The grant outlives the task.
  template <class Way>
  Task<Result<void>> change(ClientGrant& grant, Way way, Context context) {
    Recipe recipe = make_(*grant.session);
    const TimePoint began = executor().now();
    const Result<void> changed = co_await way(recipe, grant.held, context);
    if (changed) co_return changed;
    co_return failure(internal::why_not_acquired(changed.error(), *grant.session, began, context));
  }

  [[nodiscard]] const Path& path() const { return lock_; }
  // One line for a log about the error of an acquire: see lock_failure.h. On the client's executor.
  [[nodiscard]] std::string describe(Error error) const {
    return lockstep::describe(error, lock_, client_);
  }

  [[nodiscard]] Client& client() const { return client_; }
  [[nodiscard]] Executor& executor() const { return client_.executor(); }

 private:
  Client& client_;
  Path lock_;
  std::function<Recipe(Session&)> make_;
};

// The same, but an acquire whose session expires is repeated on the client's next session: at the
// end of the queue, within the same deadline. LockObserver::rejoining() reports each repetition,
// and ClientGrant::rejoins counts them. Nothing is done twice on one session, and the znodes of the
// old session are deleted with it, so the acquire has at most one place in the queue. Sessions that
// end in another way (kAuthFailed, kClosing) are not replaced.
template <class Recipe>
class Rejoining {
 public:
  template <class... What>
    requires std::constructible_from<OnClient<Recipe>, Client&, Path, What...>
  Rejoining(Client& client, Path lock, What... what)
      : observer_(internal::observer_among(what...)),
        each_(client, std::move(lock), std::move(what)...) {}

  // These resolve with a ClientGrant.
  auto acquire(Context context = {}) { return take(kAcquire, std::move(context)); }
  auto try_acquire(Context context = {}) { return take(kTryAcquire, std::move(context)); }
  auto acquire(Duration wait) { return acquire(within(executor(), wait)); }
  auto try_acquire(Duration wait) { return try_acquire(within(executor(), wait)); }
  template <class Way>
  Task<Result<GrantBy<Recipe, Way>>> take(Way way, Context context) {
    for (std::uint32_t rejoins = 0;; ++rejoins) {
      Result<GrantBy<Recipe, Way>> grant = co_await each_.take(way, context);
      if (grant) grant->rejoins = rejoins;
      if (grant || grant.error() != Error::kSessionExpired) co_return std::move(grant);
      if (observer_) observer_->rejoining(path());
    }
  }

  // On the session of the grant: no other one can change it.
  template <class Way>
  Task<Result<void>> change(ClientGrant& grant, Way way, Context context) {
    return each_.change(grant, std::move(way), std::move(context));
  }

  [[nodiscard]] const Path& path() const { return each_.path(); }
  // See OnClient.
  [[nodiscard]] std::string describe(Error error) const { return each_.describe(error); }

  [[nodiscard]] Client& client() const { return each_.client(); }
  [[nodiscard]] Executor& executor() const { return each_.executor(); }

 private:
  LockObserver* observer_;
  OnClient<Recipe> each_;
};

}  // namespace lockstep
