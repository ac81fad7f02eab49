#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "lockstep/internal/frame_pool.h"
#include "lockstep/internal/ref.h"
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

class WatchEntry;
class WatchRegistry;

// One one-shot watch. The Watch that the caller holds owns it, and so does a request in flight that
// may leave it or takes it back; the session's WatchRegistry does not. On the session's executor
// only.
class WatchState : public Pooled, public Counted {
 public:
  WatchState() noexcept = default;
  ~WatchState();  // Leaves the registry.
  // Called when the watch fires or the session ends. The first call counts.
  void resolve(Result<WatchEvent> outcome);
  [[nodiscard]] const std::optional<Result<WatchEvent>>& outcome() const { return outcome_; }

 private:
  friend class lockstep::WatchWait;
  friend class WatchEntry;
  friend class WatchRegistry;
  std::optional<Result<WatchEvent>> outcome_;
  WatchWait* waiter_ = nullptr;
  // The registry's: where the watch is registered, and its place in the order of registration.
  WatchEntry* entry_ = nullptr;
  WatchState* next_ = nullptr;
  WatchState* previous_ = nullptr;
  std::uint64_t number_ = 0;
};

}  // namespace internal

// A one-shot watch (ZooKeeper Programmer's Guide, "ZooKeeper Watches"): fires once, survives
// reconnects, ends with the session. Dropping it forgets it locally; the server keeps its entry
// until the znode changes, or until the backend removes it in the background. Session events never
// consume it. Belongs to its session's executor.
class Watch {
 public:
  Watch() noexcept = default;
  Watch(Executor& executor, internal::Ref<internal::WatchState> state) noexcept
      : executor_(&executor), state_(std::move(state)) {}
  Watch(Watch&& other) noexcept = default;
  Watch& operator=(Watch&& other) noexcept = default;

  [[nodiscard]] bool has_fired() const { return state_ && state_->outcome().has_value(); }
  // Waits for the event. Errors: kSessionExpired, kAuthFailed, kClosing when the session ends
  // first, kNoWatcher when the watch is removed, kTimedOut, kCancelled. One waiter at a time; this
  // Watch must outlive the wait. Resumes on the session's executor.
  [[nodiscard]] WatchWait fired(Context context = {}) const;

 private:
  friend class Session;
  Executor* executor_ = nullptr;
  internal::Ref<internal::WatchState> state_;
};

// A wait for the event of a watch: see Watch::fired().
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
