#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "lockstep/client.h"
#include "lockstep/fake/client.h"
#include "lockstep/internal/check.h"

namespace lockstep::lab {

// A contender's client. It belongs to a simulated process, and its sessions are the fake's unless
// the hunt brings another backend.
class ContenderClient final : public Client {
 public:
  ContenderClient(fakezk::Process& process, std::string name) : fake_(process, std::move(name)) {}
  // Sessions of `other`, which outlives it; `process` is where its threads run.
  ContenderClient(fakezk::Process& process, std::string name, Client& other)
      : fake_(process, std::move(name)), other_(&other) {}

  Task<Result<std::shared_ptr<Session>>> session(Context context) override {
    return other_ ? session_of_other(std::move(context)) : fake_.session(std::move(context));
  }
  Task<Result<SessionRoom>> session_with_room(std::size_t bytes, Context context) override {
    return other_ ? room_of_other(bytes, std::move(context))
                  : fake_.session_with_room(bytes, std::move(context));
  }
  [[nodiscard]] std::string last_failure() const override { return backend().last_failure(); }
  [[nodiscard]] Executor& executor() const override {
    return other_ ? other_->executor() : fake_.executor();
  }
  // See Client::set_observer().
  void set_observer(SessionObserver* observer) noexcept { backend().set_observer(observer); }

  [[nodiscard]] fakezk::Process& process() const { return fake_.process(); }
  [[nodiscard]] const std::string& name() const { return fake_.name(); }
  // The current session, alive or not. The fake opens the first one if there is none; on another
  // backend it is the last one that a session() or session_with_room() gave, or null.
  [[nodiscard]] std::shared_ptr<Session> current() { return other_ ? latest_ : fake_.current(); }

  // Goes on without the current session: the next session() opens another one, while completions
  // and watch events of the old one still arrive, as late as they come. The old session lives, and
  // keeps its ephemerals, until the last pointer to it is dropped, which closes it as
  // zookeeper_close does. Null if there is none. A hunt on another backend refuses it.
  [[nodiscard]] std::shared_ptr<Session> leave_session() {
    internal::check(!other_, "only sessions of the fake can be left");
    return fake_.leave_session();
  }

  // The fake's client, for what only a simulation can do.
  [[nodiscard]] fake::FakeClient& fake() { return fake_; }
  [[nodiscard]] const fake::FakeClient& fake() const { return fake_; }

 private:
  [[nodiscard]] Client& backend() {
    if (other_) return *other_;
    return fake_;
  }
  [[nodiscard]] const Client& backend() const {
    if (other_) return *other_;
    return fake_;
  }
  Task<Result<std::shared_ptr<Session>>> session_of_other(Context context) {
    Result<std::shared_ptr<Session>> session = co_await other_->session(std::move(context));
    if (session) latest_ = *session;
    co_return session;
  }
  Task<Result<SessionRoom>> room_of_other(std::size_t bytes, Context context) {
    Result<SessionRoom> room = co_await other_->session_with_room(bytes, std::move(context));
    if (room) latest_ = room->session();
    co_return room;
  }

  fake::FakeClient fake_;
  Client* other_ = nullptr;
  std::shared_ptr<Session> latest_;
};

}  // namespace lockstep::lab
