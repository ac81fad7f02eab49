#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/fake/client.h"
#include "lockstep/held_lock.h"
#include "lockstep/internal/pool_allocator.h"
#include "lockstep/judge/lock_oracles.h"
#include "lockstep/judge/shared_resource.h"
#include "lockstep/lab/bodies.h"
#include "lockstep/lab/contender_client.h"
#include "lockstep/task.h"

namespace lockstep::lab {

// The size of a scenario.
struct ScenarioSize {
  std::uint32_t clients = 3;
  std::uint32_t rounds = 1;
};

// Whether the last contender gives up after a second. That second passes only when nothing else can
// happen, or by the fault `timer`.
enum class LastContender : std::uint8_t { kPatient, kImpatient };

// One contender of a lock scenario: everything its task needs.
class Contender {
 public:
  Contender(fakezk::Process& process, std::string name, judge::LockOracles& oracles,
            judge::SharedResource& resource, Bodies& bodies)
      : client_(process, std::move(name)),
        oracles_(oracles),
        resource_(resource),
        bodies_(bodies) {}
  // On another backend than the fake.
  Contender(fakezk::Process& process, std::string name, judge::LockOracles& oracles,
            judge::SharedResource& resource, Bodies& bodies, Client& client)
      : client_(process, std::move(name), client),
        oracles_(oracles),
        resource_(resource),
        bodies_(bodies) {}

  // Opens its sessions.
  [[nodiscard]] ContenderClient& client() { return client_; }
  [[nodiscard]] const ContenderClient& client() const { return client_; }
  // Called when its crashed process is started again: the client has no session then.
  void restart() noexcept {
    client_.fake().let_go();
    finished_ = false;
  }
  // Called after an execution: resets everything for the next one.
  void clear() noexcept;
  [[nodiscard]] judge::LockOracles& oracles() { return oracles_; }
  // The resource that the lock protects; it allows one user at a time.
  [[nodiscard]] judge::SharedResource& resource() { return resource_; }
  // Runs blocking code, as a task of its process.
  [[nodiscard]] Task<void> on_fiber(std::function<void()> body) {
    return bodies_.run_beside(client_.executor(), client_.process(), std::move(body));
  }
  // The bound of an acquire that begins now.
  [[nodiscard]] Context patience() const {
    if (!impatient_) return {};
    return {client_.executor().now() + std::chrono::seconds(1)};
  }
  void become_impatient() { impatient_ = true; }  // See patience().
  // A hunt relies on LockUnderTest::isolated: lab::Shared is "misuse".
  void become_isolated() { isolated_ = true; }
  // Call it before memory that contenders share is used: "misuse" if they are said to share none.
  void check_sharing(std::string_view name);
  // Whether the rules let one contender hold the lock at a time.
  [[nodiscard]] bool holds_alone() const { return oracles_.rules().exclusive(); }

  // Keeps something until the execution is over, longer than tasks, crashed processes and sessions:
  // an observer outlives the grants that are released in the background.
  void keep(std::shared_ptr<const void> what) { kept_.push_back(std::move(what)); }

  // Shows `text` in the contender's lane, where a schedule is drawn: for memory that contenders
  // share, and other facts that requests do not show. No effect on the schedule. The lanes begin
  // with the first step; notes before it are not drawn.
  void note(std::string_view text) { note(text, 0); }
  // The same in the lane of one of its users (lockstep/lab/users.h).
  void note(std::string_view text, std::uint32_t user);

  // For Users: the smallest number that no user has, which the new one has until it leaves.
  [[nodiscard]] std::uint32_t enter_user();
  [[nodiscard]] bool runs(std::uint32_t user) const { return users_[user - 1] == UserState::kRuns; }
  void user_ends(std::uint32_t user) { users_[user - 1] = UserState::kEnded; }
  void leave_user(std::uint32_t user) { users_[user - 1] = UserState::kNone; }
  // The numbers of the users that have not ended.
  [[nodiscard]] std::vector<std::uint32_t> running_users() const;

  // How long the usual contender holds its current grant; a choice. Either no time, so that its
  // release races with everything else, or long enough for all other work to settle and for
  // timeouts, leases and renewals to run out: 600 ms, 4 seconds or a minute.
  // Misuse before the contender's first request: no search chooses anything there.
  [[nodiscard]] Duration holding_time();

  // Reports the result of an acquire to the usual contender's counts. A lock that it holds without
  // the oracles knowing would not be judged: that is "misuse".
  void tried(const Result<HeldLock>& held);
  // The same, and judges a failure (L1): without a fault, the deadline of `patience` is the only
  // cause that counts, unless somebody else was in the way (kConflict) of an acquire that does not
  // wait.
  void tried(const Result<HeldLock>& held, const Context& patience);
  // The same for blocking code, which has no HeldLock to show.
  void tried_blocking(bool acquired) {
    ++attempts_;
    if (acquired) ++grants_;
  }
  [[nodiscard]] std::uint32_t attempts() const { return attempts_; }
  [[nodiscard]] std::uint32_t grants() const { return grants_; }
  // The error of the first acquire that has failed without a cause.
  [[nodiscard]] const std::optional<Error>& groundless_failure() const { return groundless_; }

  // Runs the contender's work as a task of its process.
  void run(Task<void> task) { client_.process().tasks().spawn(std::move(task), finished_); }
  // Whether that work is done.
  [[nodiscard]] bool finished() const { return finished_; }
  [[nodiscard]] bool has_drawn_early() const { return has_drawn_early_; }

 private:
  enum class UserState : std::uint8_t { kNone, kRuns, kEnded };

  ContenderClient client_;
  judge::LockOracles& oracles_;
  judge::SharedResource& resource_;
  Bodies& bodies_;
  std::uint32_t attempts_ = 0;
  std::uint32_t grants_ = 0;
  std::optional<Error> groundless_;
  bool impatient_ = false;
  bool isolated_ = false;
  bool finished_ = false;
  bool has_drawn_early_ = false;  // holding_time() before the first step.
  std::vector<std::shared_ptr<const void>> kept_;
  std::vector<UserState> users_;  // By number - 1.
};

using Contenders = std::deque<Contender, internal::PoolAllocator<Contender>>;

}  // namespace lockstep::lab
