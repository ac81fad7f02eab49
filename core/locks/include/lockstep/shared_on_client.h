#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "lockstep/on_client.h"

namespace lockstep {

// A lock that outlives sessions, like OnClient, of a recipe whose contenders must share one object:
// a CohortMutex. All acquires on one session of the client use the same Recipe, which is there as
// long as an acquire or a grant needs it; those on the client's next session use another one.
//
// An acquire resolves with a GrantOnClient, or with the errors of OnClient. Resumes on the client's
// executor, where everything here belongs. Client, lock and observer outlive the tasks; the client
// and the observer outlive the grants, and the lock need not.
template <class Recipe>
class SharedOnClient {
 public:
  // `what` are the recipe's arguments after its session and its path. They are copied.
  template <class... What>
    requires std::constructible_from<Recipe, Session&, Path, const What&...>
  SharedOnClient(Client& client, Path lock, What... what)
      : client_(client),
        lock_(lock),
        make_(
            [lock = std::move(lock), ... what = std::move(what)](std::shared_ptr<Session> session) {
              return std::make_shared<OnSession>(std::move(session), lock, what...);
            }) {}

  // These resolve with a GrantOnClient.
  auto acquire(Context context = {}) { return take(kAcquire, std::move(context)); }
  auto try_acquire(Context context = {}) { return take(kTryAcquire, std::move(context)); }
  auto acquire(Duration wait) { return acquire(within(executor(), wait)); }
  auto try_acquire(Duration wait) { return try_acquire(within(executor(), wait)); }
  // `way(Recipe&, Context)` is Task<Result<Held>>: any way to take the lock.
  template <class Way>
  Task<Result<GrantBy<Recipe, Way>>> take(Way way, Context context) {
    const std::shared_ptr<Session> session = co_await ok(client_.session(context));
    const std::shared_ptr<OnSession> shared = on(session);
    auto held = co_await way(shared->recipe, context);
    if (!held) {
      const TimePoint asked = shared->recipe.asked_since();
      co_return failure(internal::why_not_acquired(held.error(), *session, asked, context));
    }
    // The grant keeps the recipe as well as its session.
    std::shared_ptr<Session> kept(shared, session.get());
    co_return GrantBy<Recipe, Way>(std::move(kept), std::move(*held));
  }

  [[nodiscard]] const Path& path() const { return lock_; }
  // One line for a log about the error of an acquire: see lock_failure.h.
  [[nodiscard]] std::string describe(Error error) const {
    return lockstep::describe(error, lock_, client_);
  }

  [[nodiscard]] Client& client() const { return client_; }
  [[nodiscard]] Executor& executor() const { return client_.executor(); }

 private:
  class OnSession {
   public:
    template <class... What>
    OnSession(std::shared_ptr<Session> on, const Path& lock, const What&... what)
        : session(std::move(on)), recipe(*session, lock, what...) {}

    const std::shared_ptr<Session> session;
    Recipe recipe;
  };

  std::shared_ptr<OnSession> on(const std::shared_ptr<Session>& session) {
    std::shared_ptr<OnSession> shared = newest_.lock();
    if (shared && shared->session == session) return shared;
    shared = make_(session);
    newest_ = shared;
    return shared;
  }

  Client& client_;
  Path lock_;
  std::function<std::shared_ptr<OnSession>(std::shared_ptr<Session>)> make_;
  std::weak_ptr<OnSession> newest_;
};

}  // namespace lockstep
