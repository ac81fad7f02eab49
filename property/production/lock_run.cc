#include "lock_run.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <memory>
#include <string>
#include <utility>

#include "lockstep/fair_mutex.h"
#include "lockstep/lock_failure.h"
#include "lockstep/within.h"
#include "lockstep/zookeeper/contender_data.h"
#include "process_group.h"
#include "shared_lock.h"

namespace lockstep::program {

namespace {

constexpr Duration kReleaseLimit = std::chrono::seconds(5);
// How often the run looks at the command and its lock in one session timeout. One look is also the
// margin between the kill of the command and the end of the proof of its lock.
constexpr int kLooks = 20;
// How long processes may take to end after SIGKILL before they are reported, and how often the run
// looks meanwhile. Its own child's end is a signal, that of other processes is not.
constexpr Duration kEndLimit = std::chrono::seconds(1);
constexpr Duration kEndLook = std::chrono::milliseconds(5);

// Why the guard kills.
constexpr const char* kNotProven = "the lock was not proven in time: the command is killed";

}  // namespace

LockRun::LockRun(const LockSettings& settings, Path lock, Client& client, Signals& signals,
                 const InheritedDescriptors& inherited)
    : settings_(settings),
      lock_(std::move(lock)),
      client_(client),
      signals_(signals),
      inherited_(inherited),
      news_(client.executor()) {
  signals_.listen(client.executor(), [this](int signal) { hear(signal); });
}

LockRun::~LockRun() { signals_.let_go(); }

// ------------------------------------------------------------------------------ the acquire

Context LockRun::patience() const {
  const bool unlimited = !settings_.patience;
  if (unlimited) return Context(give_up_.get_token());
  const bool waits = *settings_.patience > Duration::zero();
  const Duration limit = waits ? *settings_.patience : Ensemble::kConnectLimit;
  return within(client_.executor(), limit, give_up_.get_token());
}

Task<void> LockRun::run() {
  const Context bounds = patience();
  const Result<void> connected = co_await connect(bounds);
  if (!connected) {
    not_acquired(connected.error());
    co_return;
  }
  Result<ClientGrant> grant = co_await acquire(bounds);
  if (!grant) {
    not_acquired(grant.error());
    co_return;
  }
  const Duration session_timeout = grant->session->timeout();
  if (ended_by_ == 0) {
    co_await run_command(grant->held, session_timeout);
  } else {
    status_ = kStatusOfSignals + ended_by_;
  }
  co_await release(grant->held, session_timeout);
}

// A wait for a lock may last forever. A wait for the first connection may not: nobody would notice.
Task<Result<void>> LockRun::connect(Context bounds) {
  if (!bounds.deadline()) {
    bounds = within(client_.executor(), Ensemble::kConnectLimit, give_up_.get_token());
  }
  static_cast<void>(co_await ok(client_.session(bounds)));
  co_return Result<void>();
}

Task<Result<ClientGrant>> LockRun::acquire(Context bounds) {
  LockOptions options(zookeeper::contender_data(settings_.command.front()));
  options.marks = known_marks();
  options.revocable = true;
  LockObserver* const observer = this;
  const bool waits = settings_.patience != Duration::zero();
  if (settings_.shared) {
    Rejoining<SharedLock> readers(client_, lock_, options, observer);
    if (waits) co_return co_await readers.acquire(std::move(bounds));
    co_return co_await readers.try_acquire(std::move(bounds));
  }
  Rejoining<FairMutex> mutex(client_, lock_, options, observer);
  if (waits) co_return co_await mutex.acquire(std::move(bounds));
  co_return co_await mutex.try_acquire(std::move(bounds));
}

void LockRun::not_acquired(Error error) {
  if (ended_by_ != 0) {
    status_ = kStatusOfSignals + ended_by_;
    return;
  }
  status_ = status_of(error);
  if (error == Error::kTimedOut || error == Error::kConflict) {
    say_of_lock("the lock was not acquired in time: other contenders are in front");
  } else {
    say(describe(error, lock_, client_));
  }
}

// ------------------------------------------------------------------------------ the command

// Kills the command if an exception ends the wait for it: the caller's grant lives longer.
class LockRun::CommandEnd {
 public:
  explicit CommandEnd(LockRun& run) : run_(run) {}
  CommandEnd(const CommandEnd&) = delete;
  CommandEnd& operator=(const CommandEnd&) = delete;
  ~CommandEnd() {
    run_.guard_.reset();
    run_.child_.reset();
  }

 private:
  LockRun& run_;
};

Task<void> LockRun::run_command(HeldLock& held, Duration session_timeout) {
  const CommandEnd end(*this);
  margin_ = session_timeout / kLooks;
  const std::string token = std::to_string(held.fencing_token());
  child_ = std::make_unique<Child>(settings_.command, "LOCKSTEP_FENCING_TOKEN=" + token,
                                   signals_.mask_before(), inherited_);
  guard_ = std::make_unique<Guard>(child_->group());
  handle_loss(held);
  // This process may have been stopped since the grant. The guard need not be the first to notice.
  if (is_too_late(held)) order(Order::kDie, kNotProven);
  if (command_uses_terminal_) terminal_.give_to(child_->group());
  const std::optional<CannotRun> cannot = child_->begin();
  if (!cannot) co_await watch(held, session_timeout);
  co_await end_of_command();
  if (cannot) {
    say(cannot->why);
    status_ = cannot->status;
  }
}

// Returns when the command has ended.
Task<void> LockRun::watch(HeldLock& held, Duration session_timeout) {
  static_cast<void>(held.lost_token());  // From now on the grant watches its znode.
  for (;;) {
    news_.reset();
    const Child::Change change = child_->look();
    if (change.ended) co_return;
    if (change.stopped_by != 0) handle_stop(change.stopped_by);
    see_to_guard();
    handle_loss(held);
    if (std::exchange(continued_, false)) handle_continue(held);
    if (client_.executor().now() - kEndLimit >= killed_at_) report_survivor();
    const Context next_look = within(client_.executor(), session_timeout / kLooks);
    static_cast<void>(co_await news_.wait(next_look));
  }
}

Task<void> LockRun::end_of_command() {
  const pid_t group = child_->group();
  terminal_.take_from(group);
  const bool rest_is_known = settings_.warn || co_await end_the_rest();
  // Before reap(): afterwards another group may have this group's number.
  const bool guard_has_killed = guard_->dismiss();
  guard_.reset();
  const int status = child_->reap();
  child_.reset();
  if (!rest_is_known) co_await wait_for_the_end_of(group);
  const bool was_killed = status == kStatusOfSignals + SIGKILL;
  if (guard_has_killed && was_killed && order_ == Order::kNone) {
    say_of_lock(kNotProven);
    order_ = Order::kDie;
  }
  status_ = order_ == Order::kNone ? status : kLost;
}

// Processes that the command has left in its group must not go on without the lock. The command's
// own process has ended, but keeps the group's number until it is reaped. Returns false if it
// cannot see whether they have ended.
Task<bool> LockRun::end_the_rest() {
  const TimePoint limit = client_.executor().now() + kEndLimit;
  for (;;) {
    news_.reset();
    child_->send(SIGKILL);
    const GroupLook look = look_at_group(child_->group());
    if (!look.living) co_return look.complete;
    if (client_.executor().now() >= limit) {
      report_survivor();
      co_return true;
    }
    const Context next_look = within(client_.executor(), kEndLook);
    static_cast<void>(co_await news_.wait(next_look));
  }
}

// The group ends when its last process is reaped. If another group gets its number at once, the
// wait ends at the limit.
Task<void> LockRun::wait_for_the_end_of(pid_t group) {
  const TimePoint limit = client_.executor().now() + kEndLimit;
  while (kill(-group, 0) == 0 || errno != ESRCH) {
    if (client_.executor().now() >= limit) {
      say_of_lock("a process of the command may outlive the lock: its group has not ended");
      co_return;
    }
    news_.reset();
    const Context next_look = within(client_.executor(), kEndLook);
    static_cast<void>(co_await news_.wait(next_look));
  }
}

Task<void> LockRun::release(HeldLock& held, Duration session_timeout) {
  if (order_ != Order::kNone) co_return;  // The grant is dropped, and the session ends soon.
  // A signal that came with the grant does not end the release, one that comes later does.
  give_up_ = std::stop_source();
  const Context bounds = within(client_.executor(), kReleaseLimit, give_up_.get_token());
  const ReleaseOutcome outcome = co_await held.release(bounds);
  if (outcome == ReleaseOutcome::kUnknown) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(session_timeout).count();
    say_of_lock(
        "no server has confirmed the release: the lock is free when the session has "
        "expired, in about " +
        std::to_string(seconds) + " s");
  }
  const bool noticed_late = outcome == ReleaseOutcome::kAlreadyLost;
  if (!noticed_late || settings_.warn || ended_by_ != 0) co_return;
  say_of_lock("the lock was lost before the command ended: " + std::string(name(*held.cause())));
  status_ = kLost;
}

// ------------------------------------------------------------------------------ signals

void LockRun::hear(int signal) {
  news_.set();
  if (signal == SIGCHLD) return reap_adopted();
  if (!child_) return hear_without_command(signal);
  if (signal == SIGCONT) {
    continued_ = true;
  } else {
    child_->send(signal);
  }
}

// The kernel gives the first process of a container the orphans of all others. The rest can wait if
// the command or the guard has ended: what follows sees to them, and this process ends soon.
void LockRun::reap_adopted() const {
  for (;;) {
    siginfo_t ended{};
    if (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid == 0) return;
    if (child_ && ended.si_pid == child_->group()) return;
    if (guard_ && ended.si_pid == guard_->process()) return;
    waitpid(ended.si_pid, nullptr, 0);
  }
}

// Handles signals before and after the command. The second one ends this process at once.
void LockRun::hear_without_command(int signal) {
  if (signal == SIGCONT || signal == SIGWINCH) return;
  if (signal == SIGTSTP) return signals_.stop_process();
  if (std::exchange(ended_by_, signal) == 0) {
    give_up_.request_stop();
    return;
  }
  signals_.let_go();
  std::raise(signal);
}

// If the terminal has stopped the command, the whole job stops too, so that the shell sees it: this
// process and its group, such as a script. They go on here when the shell continues the job, or at
// once if there is no such shell. The guard does not stop.
void LockRun::handle_stop(int stopped_by) {
  const bool by_terminal = stopped_by == SIGTSTP || stopped_by == SIGTTIN || stopped_by == SIGTTOU;
  if (!by_terminal || !terminal_.is_there()) return;
  if (stopped_by != SIGTSTP) {
    command_uses_terminal_ = true;
    if (terminal_.give_to(child_->group())) {
      child_->send(SIGCONT);
      return;
    }
  }
  terminal_.take_from(child_->group());
  signals_.stop_group();
  // Without the terminal the command would only be stopped again, and again.
  if (stopped_by == SIGTSTP) continued_ = true;
}

// The lock may have been lost while this process was stopped, because no timer ran.
void LockRun::handle_continue(const HeldLock& held) {
  if (is_too_late(held)) return order(Order::kDie, "the lock was lost meanwhile");
  if (command_uses_terminal_) terminal_.give_to(child_->group());
  child_->send(SIGCONT);
}

// ------------------------------------------------------------------------------ the lock

std::optional<TimePoint> LockRun::last_moment(const HeldLock& held) const {
  const std::optional<TimePoint> proven = held.valid_until();
  if (!proven) return std::nullopt;
  return *proven - margin_;
}

bool LockRun::is_too_late(const HeldLock& held) const {
  if (settings_.warn) return false;
  const std::optional<TimePoint> last = last_moment(held);
  return !last || client_.executor().now() >= *last;
}

void LockRun::handle_loss(const HeldLock& held) {
  if (settings_.warn) return;
  if (lost_) return order(Order::kDie, "the lock is lost: " + std::string(name(*lost_)));
  if (suspect_) {
    order(Order::kStop, "the connection is in doubt, and the lock with it: the command is stopped");
  }
  if (const auto last = last_moment(held)) guard_->postpone_to(*last);
}

void LockRun::see_to_guard() {
  const Guard::State state = guard_->look();
  if (state == Guard::State::kHasKilled) return order(Order::kDie, kNotProven);
  if (state == Guard::State::kGone) guard_ = std::make_unique<Guard>(child_->group());
}

// Only the first order is reported.
void LockRun::order(Order next, const std::string& why) {
  if (next <= order_) return;
  if (order_ == Order::kNone) say_of_lock(why);
  order_ = next;
  const bool permitted = child_->send(next == Order::kStop ? SIGTERM : SIGKILL);
  if (!permitted) report_survivor();
  if (next == Order::kDie) killed_at_ = client_.executor().now();
}

// Reports only once: one process that this program cannot end is warning enough.
void LockRun::report_survivor() {
  const std::optional<pid_t> process = look_at_group(child_->group()).living;
  if (!process || std::exchange(reported_survivor_, true)) return;
  const bool forbidden = kill(*process, 0) != 0 && errno == EPERM;
  say_of_lock("process " + std::to_string(*process) + " of the command may outlive the lock: " +
              (forbidden ? "it belongs to another user" : "SIGKILL has not ended it"));
}

void LockRun::say_of_lock(const std::string& text) const { say(lock_.string() + ": " + text); }

void LockRun::waiting(SessionId, const Path&, std::size_t ahead) {
  const bool is_news = std::exchange(ahead_, ahead) != ahead;
  if (is_news && isatty(STDERR_FILENO) == 1) {
    say_of_lock("waiting, " + std::to_string(ahead) + " in front");
  }
}

void LockRun::rejoining(const Path&) {
  say_of_lock("the session has expired; waiting again, at the end of the queue");
}

void LockRun::suspected(const GrantRecord&) {
  suspect_ = true;
  news_.set();
  if (settings_.warn) say_of_lock("the connection is in doubt, and the lock with it");
}

void LockRun::held_again(const GrantRecord&) {
  suspect_ = false;
  if (settings_.warn) say_of_lock("the lock is certain again");
}

void LockRun::lost(const GrantRecord&, Error cause) {
  lost_ = cause;
  news_.set();
  if (settings_.warn) say_of_lock("the lock is lost: " + std::string(name(cause)));
}

void LockRun::revocation_asked(const GrantRecord&) {
  if (!child_) return;
  say_of_lock("another client asks for the lock: the command is asked to end");
  child_->send(SIGTERM);
}

}  // namespace lockstep::program
