#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include "lockstep/async_event.h"
#include "lockstep/held_lock.h"
#include "lockstep/internal/cleanup.h"
#include "lockstep/internal/frame_pool.h"
#include "lockstep/internal/grant_guard.h"

namespace lockstep {

class Retry;

// The part of a HeldLock that does not move: it listens to the session. Its owners are the HeldLock
// and the tasks of its releases, so that a release goes on without the HeldLock.
class HeldLock::Grant final : public SessionListener,
                              public internal::Pooled,
                              public internal::Counted,
                              public Guard::Listener {
 public:
  // If an exception ends it, such as std::bad_alloc, the grant is dropped, and its maker deletes
  // the znode.
  Grant(Session& session, GrantRecord&& record, LockObserver* observer, GrantOptions&& options);
  Grant(const Grant&) = delete;
  Grant& operator=(const Grant&) = delete;
  ~Grant();

  // The end of the grant that this one continues; null if there is none.
  internal::Ref<internal::Cleanup> hand_over;
  // The end of a writer that did not get to upgrade this grant; null if there is none.
  internal::Ref<internal::Cleanup> writer_left;

  [[nodiscard]] const GrantRecord& record() const { return record_; }
  [[nodiscard]] bool has_a_name_of_its_own() const { return options_.own_data.is_null(); }
  [[nodiscard]] LockState state() const;
  [[nodiscard]] std::optional<Error> cause() const { return cause_; }
  [[nodiscard]] std::stop_token lost_token();
  [[nodiscard]] std::stop_token suspect_token();
  [[nodiscard]] std::stop_token revoked_token();
  [[nodiscard]] std::optional<TimePoint> valid_until();
  void handed_on(std::uint32_t holder) const {
    if (observer_) observer_->handed_on(record_, holder);
  }
  // `kept`: this grant, for as long as the task exists.
  Task<ReleaseOutcome> release(Context context, internal::Ref<Grant> kept);
  Task<Result<void>> release_version(std::int32_t version, internal::Ref<Grant> kept);

 private:
  struct NotListening {};
  Grant(NotListening, Session& session, GrantRecord&& record, LockObserver* observer,
        GrantOptions&& options);

  class Grace final : public Timer {
   public:
    explicit Grace(Grant& grant) : grant_(grant) {}
    void run() override { grant_.end_grace(); }

   private:
    Grant& grant_;
  };

  void session_changed(SessionState state) override;
  void contact_changed(Contact contact) override;
  void znode_gone() override;
  void asked_to_revoke() override;
  void start_grace(Duration grace);
  void end_grace();

  // Marks the only release that sends requests; a guard, because a release may be destroyed.
  class Releasing {
   public:
    explicit Releasing(Grant& grant) : grant_(grant) { grant_.no_release_.reset(); }
    Releasing(const Releasing&) = delete;
    Releasing& operator=(const Releasing&) = delete;
    ~Releasing() { grant_.no_release_.set(); }

   private:
    Grant& grant_;
  };

  [[nodiscard]] bool doubtful() const;
  void begin_in_doubt();
  // Updates the state: held or suspect.
  void update_suspicion();
  // The grant must not be used after a call of these, unless the caller owns it: a notified
  // listener may destroy it.
  void lose(Error cause);
  void lose_and_remove(Error cause);
  ReleaseOutcome lost_at_release(Error cause);
  void stop_listening();
  [[nodiscard]] bool alive() const {
    return state_ == LockState::kHeld || state_ == LockState::kSuspect;
  }
  Guard& guard();
  Operation<void> remove(const Context& context);
  Task<Result<void>> remove_again(const Context& context);
  Task<Result<void>> remove_later(Retry& retry, Error error, const Context& context);
  ReleaseOutcome end_release(const Result<void>& removed, bool retrying);
  void remove_in_background();

  Session& session_;
  GrantRecord record_;
  LockObserver* observer_;
  LockState state_ = LockState::kHeld;
  std::int32_t version_ = -1;  // What a release deletes: this version of the znode's data; -1: any.
  bool made_ = false;          // The constructor has returned.
  bool listening_ = true;
  std::optional<ContactKeeper> contact_keeper_;
  std::optional<Error> cause_;
  std::optional<ReleaseOutcome> outcome_;
  AsyncEvent no_release_;  // Set while none is under way.
  std::optional<std::stop_source> lost_;
  std::optional<std::stop_source> suspect_;  // of the current suspicion, or of the next one
  std::optional<std::stop_source> revoked_;
  GrantOptions options_;
  std::unique_ptr<Grace> grace_;
  std::unique_ptr<Guard> guard_;
};

}  // namespace lockstep
