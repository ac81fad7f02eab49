#pragma once

#include <csignal>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "child.h"
#include "ensemble.h"
#include "guard.h"
#include "lockstep/async_event.h"
#include "lockstep/lock_observer.h"
#include "lockstep/lock_options.h"
#include "lockstep/on_client.h"
#include "lockstep/zookeeper/runtime.h"
#include "signals.h"
#include "terminal.h"

namespace lockstep::program {

// The arguments of `lockstep lock`.
class LockSettings {
 public:
  Ensemble ensemble;
  std::string path;
  // How long to wait for the lock, connecting included. 0: only take a free lock. None: without
  // limit.
  std::optional<Duration> patience;
  bool shared = false;
  bool warn = false;  // Only report a lost lock.
  std::vector<std::string> command;
};

// One run of a command under a lock. Everything happens on the runtime's thread.
class LockRun final : private LockObserver {
 public:
  // All arguments must outlive this object.
  LockRun(const LockSettings& settings, Path lock, Client& client, Signals& signals,
          const InheritedDescriptors& inherited);
  ~LockRun() override;

  // Acquires the lock, runs the command, releases the lock; then status() is known.
  Task<void> run();
  [[nodiscard]] int status() const { return status_; }

 private:
  // The strongest signal that the command got because of its lock.
  enum class Order { kNone, kStop, kDie };
  class CommandEnd;

  [[nodiscard]] Context patience() const;
  Task<Result<void>> connect(Context bounds);
  Task<Result<ClientGrant>> acquire(Context bounds);
  void not_acquired(Error error);
  Task<void> run_command(HeldLock& held, Duration session_timeout);
  Task<void> watch(HeldLock& held, Duration session_timeout);
  Task<void> end_of_command();
  Task<bool> end_the_rest();
  Task<void> wait_for_the_end_of(pid_t group);
  void reap_adopted() const;
  Task<void> release(HeldLock& held, Duration session_timeout);

  void hear(int signal);
  void hear_without_command(int signal);
  void handle_stop(int stopped_by);
  void handle_continue(const HeldLock& held);
  void handle_loss(const HeldLock& held);
  void see_to_guard();
  [[nodiscard]] std::optional<TimePoint> last_moment(const HeldLock& held) const;
  // Whether the command must not run any more, although nothing has been heard of the lock.
  [[nodiscard]] bool is_too_late(const HeldLock& held) const;
  void order(Order next, const std::string& why);
  void report_survivor();
  void say_of_lock(const std::string& text) const;

  void waiting(SessionId session, const Path& znode, std::size_t ahead) override;
  void rejoining(const Path& lock) override;
  void suspected(const GrantRecord& grant) override;
  void held_again(const GrantRecord& grant) override;
  void lost(const GrantRecord& grant, Error cause) override;
  void revocation_asked(const GrantRecord& grant) override;

  const LockSettings& settings_;
  const Path lock_;
  Client& client_;
  Signals& signals_;
  const InheritedDescriptors& inherited_;
  Terminal terminal_;
  bool command_uses_terminal_ = terminal_.is_all_ours();
  AsyncEvent news_;

  std::stop_source give_up_;
  int ended_by_ = 0;  // The signal that has ended the wait for the lock.
  std::size_t ahead_ = 0;
  // Set while the command runs.
  std::unique_ptr<Child> child_;
  std::unique_ptr<Guard> guard_;
  Duration margin_{};  // How long before the end of the lock's proof the command is killed.
  bool continued_ = false;
  bool suspect_ = false;
  std::optional<Error> lost_;
  Order order_ = Order::kNone;
  TimePoint killed_at_ = TimePoint::max();
  bool reported_survivor_ = false;
  int status_ = 0;
};

}  // namespace lockstep::program
