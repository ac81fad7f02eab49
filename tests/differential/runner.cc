#include "differential/runner.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <span>
#include <stdexcept>

#include "differential/names.h"
#include "differential/probe.h"
#include "differential/program_text.h"
#include "differential/request_of.h"
#include "differential/slot.h"
#include "differential/survey.h"
#include "support/lab.h"

namespace lockstep::differential {

namespace {

using support::must;

class Runner {
 public:
  Runner(Rig& rig, const Program& program, const Distortion& distort)
      : rig_(rig), program_(program), distort_(distort) {}

  Task<void> run();
  Log take_log() { return transcript_.take_log(); }
  void break_off(const std::string& what) {
    transcript_.add(transcript_.add_lane("the run"), "the program fails: " + what);
  }

 private:
  Task<void> prepare();
  Task<void> open(int number);
  Task<void> take(const Step& step);
  Task<void> send(const Step& step);
  Task<void> deafen(Slot& slot);
  Task<void> hear(Slot& slot);
  // Called before a session ends on the server: deaf sessions receive the events later.
  void session_ends();
  Task<void> send_unheard(const Step& step, std::size_t count);
  Task<void> close(const Step& step);
  Task<void> lose(const Step& step);
  Task<void> disconnect(Slot& slot);
  Task<void> fail(Slot& slot);
  Task<void> reconnect(Slot& slot);
  Task<void> call_back(const Slot& expiring);
  Task<void> end_on_server(const Step& step);
  Task<void> settle();
  Task<void> finish();

  void send_one(Slot& slot, const Op& op);
  Task<void> break_connection(Slot& slot);
  Slot& slot(const Step& step) { return slots_[static_cast<std::size_t>(step.session)]; }

  Rig& rig_;
  const Program& program_;
  const Distortion& distort_;
  Transcript transcript_;
  Names names_;
  std::shared_ptr<Session> inspector_;
  Path top_;
  Path origin_;
  Path bell_;
  std::deque<Slot> slots_;
  int sent_ = 0;
};

// Creates a parent, in it the program's znode and the bell: an event of the bell proves that
// earlier requests have arrived.
Task<void> Runner::prepare() {
  inspector_ = co_await rig_.inspector();
  top_ = Path("/p" + std::to_string(rig_.programs()));
  must(co_await inspector_->create(top_, Data(), CreateMode::kPersistent), "create");
  bell_ = top_ / "bell";
  must(co_await inspector_->create(bell_, Data(), CreateMode::kPersistent), "create the bell");
  origin_ = top_ / "z";
  const Created created =
      must(co_await inspector_->create(origin_, Data(), CreateMode::kPersistent), "create");
  names_.set_origin(top_, origin_, created.stat.czxid);
}

Task<void> Runner::open(int number) {
  const bool expires = program_.expires(number);
  const Duration timeout = expires ? Rig::kShortSessionTimeout : Rig::kLongSessionTimeout;
  std::shared_ptr<Session> session = co_await rig_.open(timeout);
  slots_[static_cast<std::size_t>(number)].use(std::move(session));
}

Task<void> Runner::run() {
  co_await prepare();
  for (int i = 0; i < program_.sessions(); ++i) slots_.emplace_back(transcript_, names_, i);
  for (int i = 0; i < program_.sessions(); ++i) co_await open(i);
  for (const Step& step : program_.steps) co_await take(step);
  co_await finish();
}

Task<void> Runner::finish() {
  for (Slot& slot : slots_) {
    if (!slot.over() && slot.away()) co_await reconnect(slot);
    if (!slot.over() && slot.deaf()) co_await hear(slot);
  }
  co_await settle();
  const std::size_t lane = transcript_.add_lane("the znodes at the end");
  co_await survey(*inspector_, top_, names_, transcript_, lane);
}

Task<void> Runner::take(const Step& step) {
  Slot& slot = this->slot(step);
  if (slot.over()) {
    if (step.kind == StepKind::kOpen) co_await open(step.session);
    if (step.kind == StepKind::kSend) co_await send(step);
    co_return;
  }
  const bool must_hear = step.kind == StepKind::kClose || step.kind == StepKind::kLose ||
                         step.kind == StepKind::kReconnect;
  if (slot.deaf() && must_hear) co_await hear(slot);
  switch (step.kind) {
    case StepKind::kSend:
      if (slot.deaf()) {
        co_await send_unheard(step, step.ops.size());
      } else {
        co_await send(step);
      }
      break;
    case StepKind::kDeafen:
      if (slot.reachable()) co_await deafen(slot);
      break;
    case StepKind::kClose: co_await close(step); break;
    case StepKind::kLose: co_await lose(step); break;
    case StepKind::kDisconnect:
      if (!slot.away()) co_await disconnect(slot);
      break;
    case StepKind::kFail:
      if (slot.away() && !slot.holds_back()) co_await fail(slot);  // Exclusion::kHeldBack
      break;
    case StepKind::kReconnect:
      if (slot.away()) co_await reconnect(slot);
      break;
    case StepKind::kKill:
    case StepKind::kExpire: co_await end_on_server(step); break;
    case StepKind::kOpen: break;
  }
}

void Runner::send_one(Slot& slot, const Op& op) {
  Request request = request_of(op, origin_);
  bool watch = op.watch;
  if (distort_) distort_(request, watch);
  slot.send(std::move(request), watch, format(op), ++sent_);
}

// Sends requests in parts if some must not be in flight together.
Task<void> Runner::send(const Step& step) {
  Slot& slot = this->slot(step);
  if (std::ranges::any_of(step.ops, &may_be_refused)) co_await settle();
  std::size_t first_under_way = 0;
  for (std::size_t i = 0; i < step.ops.size(); ++i) {
    const Op& op = step.ops[i];
    if (slot.away() && !may_be_left(op)) continue;
    if (slot.holds_back() && may_be_refused(op)) continue;  // Exclusion::kHeldBack
    const auto under_way = std::span(step.ops).subspan(first_under_way, i - first_under_way);
    if (!slot.away() && !may_follow(under_way, op)) {
      co_await slot.all_answered();
      first_under_way = i;
    }
    send_one(slot, op);
  }
  if (!slot.away()) co_await slot.all_answered();
}

Task<void> Runner::close(const Step& step) {
  Slot& slot = this->slot(step);
  co_await settle();
  for (const Op& op : step.ops) {
    if (may_be_left(op)) send_one(slot, op);
  }
  transcript_.begin_disorder();
  session_ends();
  slot.send(Request(OpCode::kClose, Path()), false, "close", ++sent_);
  co_await slot.all_answered();
  co_await settle();
  transcript_.end_disorder();
}

void Runner::session_ends() {
  for (Slot& slot : slots_) slot.miss_an_end();
}

Task<void> Runner::deafen(Slot& slot) {
  co_await settle();
  rig_.hold_replies(slot.session());
  slot.set_deaf(true);
}

Task<void> Runner::hear(Slot& slot) {
  const bool disorder = slot.missed_an_end();  // Exclusion::kDeletionOrder
  if (disorder) transcript_.begin_disorder();
  rig_.let_through(slot.session());
  slot.set_deaf(false);
  co_await slot.all_answered();
  co_await settle();
  if (disorder) transcript_.end_disorder();
}

// Sends the first requests of a step in a deaf session, and waits until they have arrived: the
// inspector watches the bell, which the session's last request sets.
Task<void> Runner::send_unheard(const Step& step, std::size_t count) {
  Slot& slot = this->slot(step);
  Watch rung = must(co_await inspector_->get_data_watched(bell_), "watch the bell").watch;
  for (std::size_t i = 0; i < std::min(count, step.ops.size()); ++i) {
    if (may_be_left(step.ops[i])) send_one(slot, step.ops[i]);
  }
  slot.send(Request(OpCode::kSetData, bell_), false, "ring", ++sent_);
  must(co_await rung.fired(), "hear the bell");
}

Task<void> Runner::lose(const Step& step) {
  Slot& slot = this->slot(step);
  if (slot.away()) co_return;
  co_await settle();
  const auto applied = static_cast<std::size_t>(step.applied);
  if (applied > 0) {
    co_await deafen(slot);
    co_await send_unheard(step, applied);
  }
  rig_.stall(slot.session());
  for (std::size_t i = applied; i < step.ops.size(); ++i) {
    if (may_be_left(step.ops[i])) send_one(slot, step.ops[i]);
  }
  co_await break_connection(slot);
  co_await reconnect(slot);
}

Task<void> Runner::disconnect(Slot& slot) {
  co_await settle();
  rig_.stall(slot.session());
  co_await break_connection(slot);
}

Task<void> Runner::fail(Slot& slot) {
  co_await rig_.attempt(slot.session());
  co_await break_connection(slot);
}

// The client fails all requests in flight when it notices the loss; `marker` is the last of them.
Task<void> Runner::break_connection(Slot& slot) {
  Probe marker(slot.session(), Request(OpCode::kExists, Path()), false);
  rig_.cut(slot.session());
  co_await marker;
  rig_.keep_away(slot.session());
  co_await slot.all_answered();
  slot.set_away(true);
  slot.set_deaf(false);
}

Task<void> Runner::reconnect(Slot& slot) {
  co_await settle();
  transcript_.begin_disorder();
  rig_.let_through(slot.session());
  slot.set_away(false);
  static_cast<void>(co_await slot.session().connected());
  co_await slot.all_answered();
  co_await settle();
  transcript_.end_disorder();
}

// Reconnects the sessions that expire at some step: during the wait for `expiring` no other one may
// be silent.
Task<void> Runner::call_back(const Slot& expiring) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    if (slot.over() || !program_.expires(static_cast<int>(i))) continue;
    if (slot.deaf()) co_await hear(slot);
    if (slot.away() && &slot != &expiring) co_await reconnect(slot);
  }
}

Task<void> Runner::end_on_server(const Step& step) {
  Slot& slot = this->slot(step);
  if (!slot.away()) co_await disconnect(slot);
  const bool kill = step.kind == StepKind::kKill || slot.holds_back();
  if (!kill) {
    if (!slot.idle()) co_await fail(slot);  // Exclusion::kSilence
    co_await call_back(slot);
  }
  co_await settle();
  transcript_.begin_disorder();
  session_ends();
  if (kill) {
    co_await rig_.kill(slot.session());
  } else {
    co_await rig_.expire(slot.session());
  }
  co_await settle();
  transcript_.end_disorder();
  co_await reconnect(slot);
}

// Waits until everything in flight to the connected sessions has arrived.
Task<void> Runner::settle() {
  std::deque<Probe> reads;
  for (Slot& slot : slots_) {
    if (!slot.reachable()) continue;
    reads.emplace_back(slot.session(), Request(OpCode::kExists, Path()), false);
  }
  for (Probe& read : reads) co_await read;
}

}  // namespace

Log run_program(Rig& rig, const Program& program, const Distortion& distort) {
  rig.begin();
  Log log;
  {
    Runner runner(rig, program, distort);
    try {
      rig.run(runner.run());
    } catch (const std::exception& error) {
      runner.break_off(error.what());
    }
    log = runner.take_log();
  }
  rig.end();
  return log;
}

}  // namespace lockstep::differential
