#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "lockstep/session.h"

namespace lockstep::support {

// Resolves when a session is in a state, or has been in it since the construction.
class StateReached final : public internal::Wait, private SessionListener {
 public:
  StateReached(Session& session, SessionState state)
      : Wait(session.executor(), Context()), session_(session), wanted_(state) {
    session_.add_listener(*this);
    if (session_.state() == wanted_) finish();
  }
  ~StateReached() override { session_.remove_listener(*this); }
  void await_resume() const {}

 private:
  void session_changed(SessionState state) override {
    if (state == wanted_ && !done()) finish();
  }
  void give_up(Error) override {}
  [[nodiscard]] std::optional<Error> failed() const override { return std::nullopt; }

  Session& session_;
  SessionState wanted_;
};

// Records what a session reports to its listeners.
class StateRecorder final : public SessionListener {
 public:
  explicit StateRecorder(Session& session) : session_(session) { session_.add_listener(*this); }
  ~StateRecorder() { session_.remove_listener(*this); }

  [[nodiscard]] const std::vector<SessionState>& states() const { return states_; }

 private:
  void session_changed(SessionState state) override { states_.push_back(state); }

  Session& session_;
  std::vector<SessionState> states_;
};

class ThrowingListener final : public SessionListener {
 public:
  explicit ThrowingListener(Session& session) : session_(session) { session_.add_listener(*this); }
  ~ThrowingListener() { session_.remove_listener(*this); }

 private:
  void session_changed(SessionState state) override {
    throw std::runtime_error("listener: " + std::string(name(state)));
  }

  Session& session_;
};

}  // namespace lockstep::support
