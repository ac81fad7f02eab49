#include "differential/slot.h"

#include <utility>

#include "differential/drained.h"
#include "differential/probe.h"

namespace lockstep::differential {

Slot::Slot(Transcript& transcript, Names& names, int number)
    : transcript_(transcript),
      names_(names),
      number_(number),
      lane_(transcript.add_lane("session s" + std::to_string(number))) {}

Slot::~Slot() {
  if (session_) session_->remove_listener(*this);
}

void Slot::use(std::shared_ptr<Session> session) {
  if (session_) session_->remove_listener(*this);
  observers_.clear();  // The old session is over, so all of them have ended.
  session_ = std::move(session);
  session_->add_listener(*this);
  away_ = false;
  deaf_ = false;
  const std::string name = "s" + std::to_string(number_) + std::string(opened_++, '\'');
  names_.add_session(session_->id(), name);
  transcript_.add(lane_, "opened as " + name);
}

void Slot::send(Request request, bool watch, std::string text, int number) {
  if (idle()) holds_back_ = false;
  if (away_ && (request.op == OpCode::kMulti || request.op == OpCode::kAddAuth)) {
    holds_back_ = true;
  }
  ++unanswered_;
  observers_.spawn(observe(std::move(request), watch, std::move(text), number));
}

Task<void> Slot::observe(Request request, bool watch, std::string text, int number) {
  const OpCode op = request.op;
  Probe probe(*session_, std::move(request), watch);
  // A probe that is ready at once still resolves after those that were ready before it.
  if (probe.await_ready()) co_await Drained(session_->executor());
  Reply& reply = co_await probe;
  const std::string who = "#" + std::to_string(number);
  transcript_.add(lane_, who + " " + text + " -> " + names_.reply(op, reply));
  answered();
  if (!watch || !probe.left_watch(op)) co_return;
  const Result<WatchEvent> event = co_await probe.watch().fired();
  if (event) {
    std::string what = std::string(name(event->type())) + " " + names_.path(event->path());
    transcript_.add_event(lane_, "watch " + who, std::move(what));
  } else {
    transcript_.add(lane_, "watch " + who + " ends: " + std::string(name(event.error())));
  }
}

void Slot::answered() {
  if (--unanswered_ == 0 && waiter_) std::exchange(waiter_, nullptr)->finish();
}

void Slot::session_changed(SessionState state) {
  transcript_.add(lane_, "state: " + std::string(name(state)));
}

}  // namespace lockstep::differential
