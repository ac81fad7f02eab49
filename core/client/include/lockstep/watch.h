#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "lockstep/internal/frame_pool.h"
#include "lockstep/internal/wait.h"
#include "lockstep/path.h"
#include "lockstep/result.h"

namespace lockstep {

// ZooKeeper's node events, with their numbers on the wire.
enum class EventType : int { kCreated = 1, kDeleted = 2, kChanged = 3, kChild = 4 };

[[nodiscard]] std::string_view name(EventType type);

// The event of a one-shot watch: its type, and the znode's path.
class WatchEvent {
 public:
  WatchEvent(EventType type, Path path) : type_(type), path_(std::move(path)) {}
  [[nodiscard]] EventType type() const { return type_; }
  [[nodiscard]] const Path& path() const { return path_; }
  friend bool operator==(const WatchEvent&, const WatchEvent&) = default;

 private:
  EventType type_;
  Path path_;
};

class WatchWait;

namespace internal {

class WatchState;

// A session's table of registrations, which may need to know when only it holds one of them.
class WatchKeeper {
 public:
  // Only the table's own reference is left. Called from destructors: must not run other code.
  virtual void forgotten(WatchState& watch) noexcept = 0;

 protected:
  ~WatchKeeper() = default;
};

// One registration of a one-shot watch, shared by the Watch that the caller holds and the
// session's table. On the session's executor only.
class WatchState : public Pooled {
 public:
  void retain() noexcept { ++references_; }
  [[gnu::noinline]] void release() noexcept {
    if (--references_ == 0) return delete this;
    if (references_ == 1 && keeper_) keeper_->forgotten(*this);
  }
  // Sets the table to notify when the watch is forgotten; it outlives the registration. May be
  // null.
  void set_keeper(WatchKeeper* keeper) noexcept { keeper_ = keeper; }
  [[nodiscard]] WatchKeeper* keeper() const noexcept { return keeper_; }
  // Called when the watch fires or the session ends. The first call counts.
  void resolve(Result<WatchEvent> outcome);
  [[nodiscard]] const std::optional<Result<WatchEvent>>& outcome() const { return outcome_; }
  // Whether no Watch is left; the session may still expect the event.
  [[nodiscard]] bool forgotten() const noexcept { return references_ == 1; }

 private:
  friend class lockstep::WatchWait;
  std::optional<Result<WatchEvent>> outcome_;
  WatchWait* waiter_ = nullptr;
  WatchKeeper* keeper_ = nullptr;
  std::uint32_t references_ = 1;
};

}  // namespace internal

// A one-shot watch (ZooKeeper Programmer's Guide, "ZooKeeper Watches"): fires once, survives
// reconnects, ends with the session. Dropping it forgets it locally; the server keeps its entry
// until the znode changes, or until the backend removes it in the background. Session events never
// consume it. Belongs to its session's executor.
class Watch {
 public:
  Watch() noexcept = default;
  // Takes over one reference.
  Watch(Executor& executor, internal::WatchState* state) noexcept
      : executor_(&executor), state_(state) {}
  Watch(Watch&& other) noexcept
      : executor_(other.executor_), state_(std::exchange(other.state_, nullptr)) {}
  Watch& operator=(Watch&& other) noexcept {
    std::swap(executor_, other.executor_);
    std::swap(state_, other.state_);
    return *this;
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() {
    if (state_) state_->release();
  }

  [[nodiscard]] bool has_fired() const { return state_ && state_->outcome().has_value(); }
  // Waits for the event. Errors: kSessionExpired, kAuthFailed, kClosing when the session ends
  // first, kNoWatcher when the watch is removed, kTimedOut, kCancelled. One waiter at a time; this
  // Watch must outlive the wait. Resumes on the session's executor.
  [[nodiscard]] WatchWait fired(Context context = {}) const;

 private:
  friend class Session;
  Executor* executor_ = nullptr;
  internal::WatchState* state_ = nullptr;
};

class [[nodiscard]] WatchWait final : public internal::Wait {
 public:
  WatchWait(Executor& executor, internal::WatchState& state, Context context);
  ~WatchWait() override;
  [[nodiscard]] Result<WatchEvent> await_resume() const {
    if (over_) return failure(*over_);
    return *state_.outcome_;
  }
  [[nodiscard]] std::optional<Error> failed() const override;
  [[nodiscard]] Error error() const { return *failed(); }

 private:
  friend class internal::WatchState;
  void give_up(Error error) override;

  internal::WatchState& state_;
  std::optional<Error> over_;  // Set if the context has ended first.
};

inline WatchWait Watch::fired(Context context) const {
  return WatchWait(*executor_, *state_, std::move(context));
}

}  // namespace lockstep
