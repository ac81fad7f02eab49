#include "lockstep/lab/users.h"

#include <utility>

#include "lockstep/blocking/run.h"
#include "lockstep/search/chronicle.h"

namespace lockstep::lab {

std::string User::name() const { return search::user_name(contender_.client().name(), number_); }

void User::acquiring(const Session& session, const Context& patience) const {
  const std::uint32_t process = contender_.client().process().index();
  contender_.oracles().acquiring(session.id(), process, patience.deadline(), number_);
}

void User::resolved(const Session& session) const {
  contender_.oracles().resolved(session.id(), number_);
}

Users::Users(Contender& self) : self_(self), idle_(self.client().executor()) { idle_.set(); }

Users::~Users() {
  tasks_.clear();
  const std::uint32_t process = self_.client().process().index();
  for (const Started& started : started_) {
    const std::uint32_t user = started.user.number();
    if (self_.runs(user)) self_.oracles().ended(process, user);
    self_.leave_user(user);
  }
}

void Users::start(Work work) {
  Started& started = started_.emplace_back(self_, self_.enter_user(), std::move(work));
  ++running_;
  idle_.reset();
  tasks_.spawn(run(*this, started));
}

void Users::start_on_fiber(Body body) {
  start([body = std::move(body)](User& user) -> Task<void> {
    return user.contender().on_fiber([&body, &user] { body(user); });
  });
}

Task<void> Users::run(Users& self, Started& started) {
  co_await started.work(started.user);
  self.self_.user_ends(started.user.number());
  if (--self.running_ == 0) self.idle_.set();
}

Task<void> Users::join() { static_cast<void>(co_await idle_.wait()); }

void Users::join_blocking() {
  blocking::run(self_.client().executor(), [this] { return join(); });
}

}  // namespace lockstep::lab
