#include "differential/runner.h"

#include <algorithm>
#include <deque>
#include <memory>
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
  Task<void> close(const Step& step);
  Task<void> lose(const Step& step);
  Task<void> disconnect(Slot& slot);
  Task<void> fail(Slot& slot);
  Task<void> reconnect(Slot& slot);
  Task<void> end_on_server(const Step& step);
  Task<void> settle();
  Task<void> finish();

  void send_one(Slot& slot, const Op& op);
  Task<void> send_and_await_arrival(Slot& slot, const Step& step);
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

// A znode for everything, in it the program's own, and one that is rung to learn what has arrived.
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
  switch (step.kind) {
    case StepKind::kSend: co_await send(step); break;
    case StepKind::kClose: co_await close(step); break;
    case StepKind::kLose: co_await lose(step); break;
    case StepKind::kDisconnect:
      if (!slot.away()) co_await disconnect(slot);
      break;
    case StepKind::kFail:
      if (slot.away()) co_await fail(slot);
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

// What must not be under way together is sent one by one.
Task<void> Runner::send(const Step& step) {
  Slot& slot = this->slot(step);
  const Op* last = nullptr;
  if (std::ranges::any_of(step.ops, &may_be_refused)) co_await settle();
  for (const Op& op : step.ops) {
    if (slot.away() && !may_be_left(op)) continue;
    if (last && !may_follow(*last, op) && !slot.away()) co_await slot.all_answered();
    send_one(slot, op);
    last = &op;
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
  slot.send(Request(OpCode::kClose, Path()), false, "close", ++sent_);
  co_await slot.all_answered();
  co_await settle();
  transcript_.end_disorder();
}

// The requests that arrive before the connection breaks are followed by a ring of the bell, which
// the inspector hears.
Task<void> Runner::send_and_await_arrival(Slot& slot, const Step& step) {
  rig_.hold_replies(slot.session());
  Watch rung = must(co_await inspector_->get_data_watched(bell_), "watch the bell").watch;
  for (int i = 0; i < step.applied; ++i) {
    const Op& op = step.ops[static_cast<std::size_t>(i)];
    if (may_be_left(op)) send_one(slot, op);
  }
  slot.send(Request(OpCode::kSetData, bell_), false, "ring", ++sent_);
  must(co_await rung.fired(), "hear the bell");
}

Task<void> Runner::lose(const Step& step) {
  Slot& slot = this->slot(step);
  if (slot.away()) co_return;
  co_await settle();
  const int size = static_cast<int>(step.ops.size());
  if (step.applied > 0 && step.applied <= size) co_await send_and_await_arrival(slot, step);
  rig_.stall(slot.session());
  for (int i = step.applied; i < size; ++i) {
    const Op& op = step.ops[static_cast<std::size_t>(i)];
    if (may_be_left(op)) send_one(slot, op);
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

// The client fails what is under way when it notices; the last of that says that it has.
Task<void> Runner::break_connection(Slot& slot) {
  Probe marker(slot.session(), Request(OpCode::kExists, Path()), false);
  rig_.cut(slot.session());
  co_await marker;
  rig_.keep_away(slot.session());
  co_await slot.all_answered();
  slot.set_away(true);
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

Task<void> Runner::end_on_server(const Step& step) {
  Slot& slot = this->slot(step);
  if (!slot.away()) co_await disconnect(slot);
  co_await settle();
  transcript_.begin_disorder();
  if (step.kind == StepKind::kKill) {
    co_await rig_.kill(slot.session());
  } else {
    co_await rig_.expire(slot.session());
  }
  co_await settle();
  transcript_.end_disorder();
  co_await reconnect(slot);
}

// Everything that was on the way to a connected session has arrived.
Task<void> Runner::settle() {
  std::deque<Probe> reads;
  for (Slot& slot : slots_) {
    if (slot.over() || slot.away()) continue;
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
