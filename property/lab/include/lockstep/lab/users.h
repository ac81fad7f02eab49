#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "lockstep/async_event.h"
#include "lockstep/lab/contender.h"
#include "lockstep/lab/lane.h"
#include "lockstep/task.h"
#include "lockstep/task_set.h"

namespace lockstep::lab {

// One of several users of a contender, which share its process, its client and its session: a
// request of a service, a thread of a pool. Its lane is "A.1".
class User {
 public:
  User(Contender& contender, std::uint32_t number) : contender_(contender), number_(number) {}
  User(const User&) = delete;
  User& operator=(const User&) = delete;

  // NOLINTNEXTLINE(google-explicit-constructor): Shared and Inside take it as they take a
  // Contender.
  operator Lane() const { return {contender_, number_}; }
  [[nodiscard]] Contender& contender() const { return contender_; }
  // Counted from 1, among the users of the contender that exist at the same time.
  [[nodiscard]] std::uint32_t number() const { return number_; }
  [[nodiscard]] std::string name() const;
  // As Contender::note.
  void note(std::string_view text) const { contender_.note(text, number_); }

  // Call them around each acquire that must resolve (L1), and by its deadline (L4).
  void acquiring(const Session& session, const Context& patience = {}) const;
  void resolved(const Session& session) const;

 private:
  Contender& contender_;
  std::uint32_t number_;
};

// Users of one contender, and a place to wait for them. The destructor, also that of a crashed
// process, ends those that still run. An exception that escapes from a user is a "crash".
//
//   lab::Users users(self);
//   users.start([&](lab::User& user) -> Task<void> { return sell(user, **session); });
//   users.start_on_fiber([&](lab::User& user) { sell_blocking(user, mutex); });
//   co_await users.join();
class Users {
 public:
  using Work = std::function<Task<void>(User& user)>;
  using Body = std::function<void(User& user)>;

  explicit Users(Contender& self);
  Users(const Users&) = delete;
  Users& operator=(const Users&) = delete;
  ~Users();

  // Runs `work` at once, until it first waits. `work` may be a lambda with captures: it lives as
  // long as the Users.
  void start(Work work);
  // The same for blocking code: on a fiber of its own (Contender::on_fiber).
  void start_on_fiber(Body body);
  [[nodiscard]] std::size_t running() const { return running_; }

  // Resolves when no user runs any more.
  [[nodiscard]] Task<void> join();
  // The same for a contender that blocks.
  void join_blocking();

 private:
  struct Started {
    Started(Contender& contender, std::uint32_t number, Work does)
        : user(contender, number), work(std::move(does)) {}
    User user;
    Work work;
  };

  static Task<void> run(Users& self, Started& started);

  Contender& self_;
  AsyncEvent idle_;
  std::size_t running_ = 0;
  std::deque<Started> started_;
  TaskSet tasks_;  // Destroyed first.
};

}  // namespace lockstep::lab
