#pragma once

#include <memory>
#include <string>

#include "differential/names.h"
#include "differential/program.h"
#include "differential/transcript.h"
#include "lockstep/session.h"
#include "lockstep/task_set.h"

namespace lockstep::differential {

// The sessions of one number of a program, one after another, and what they observe.
class Slot final : private SessionListener {
 public:
  Slot(Transcript& transcript, Names& names, int number);
  ~Slot();

  // Takes over a connected session.
  void use(std::shared_ptr<Session> session);
  [[nodiscard]] Session& session() const { return *session_; }
  [[nodiscard]] bool over() const { return is_over(session_->state()); }
  [[nodiscard]] bool away() const { return away_; }
  void set_away(bool away) { away_ = away; }
  [[nodiscard]] bool deaf() const { return deaf_; }
  void set_deaf(bool deaf) {
    deaf_ = deaf;
    missed_an_end_ = false;
  }
  // Another session has ended while this one was deaf: its held-back events have no defined order.
  [[nodiscard]] bool missed_an_end() const { return missed_an_end_; }
  void miss_an_end() { missed_an_end_ = deaf_; }
  // Whether a request gets its reply now.
  [[nodiscard]] bool reachable() const { return !over() && !away_ && !deaf_; }
  // Whether requests are in flight, and whether the client holds some of them until it is
  // connected.
  [[nodiscard]] bool idle() const { return unanswered_ == 0; }
  [[nodiscard]] bool holds_back() const { return !idle() && holds_back_; }

  // Sends a request and records its reply, and the event of its watch. `text` describes the request
  // in the log.
  void send(Request request, bool watch, std::string text, int number);
  // Waits until every request has been answered.
  class Answered;
  [[nodiscard]] Answered all_answered();

  [[nodiscard]] Transcript& transcript() const { return transcript_; }
  [[nodiscard]] std::size_t lane() const { return lane_; }

 private:
  Task<void> observe(Request request, bool watch, std::string text, int number);
  void answered();
  void session_changed(SessionState state) override;

  Transcript& transcript_;
  Names& names_;
  const int number_;
  const std::size_t lane_;
  int opened_ = 0;
  bool away_ = false;
  bool deaf_ = false;
  bool missed_an_end_ = false;
  bool holds_back_ = false;
  std::shared_ptr<Session> session_;
  TaskSet observers_;
  std::size_t unanswered_ = 0;
  Answered* waiter_ = nullptr;
};

class [[nodiscard]] Slot::Answered final : public internal::Wait {
 public:
  explicit Answered(Slot& slot) : Wait(slot.session().executor(), Context()), slot_(slot) {
    if (slot.unanswered_ == 0) {
      finish();
    } else {
      slot.waiter_ = this;
    }
  }
  ~Answered() override {
    if (!done()) slot_.waiter_ = nullptr;
  }
  void await_resume() const {}

 private:
  friend class Slot;
  void give_up(Error) override {}
  [[nodiscard]] std::optional<Error> failed() const override { return std::nullopt; }

  Slot& slot_;
};

inline Slot::Answered Slot::all_answered() { return Answered(*this); }

}  // namespace lockstep::differential
