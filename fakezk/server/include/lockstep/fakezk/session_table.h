#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "lockstep/clock.h"
#include "lockstep/error.h"
#include "lockstep/fakezk/footprint.h"
#include "lockstep/fakezk/path_table.h"
#include "lockstep/fakezk/server_options.h"
#include "lockstep/fakezk/txn.h"
#include "lockstep/internal/timer_queue.h"

namespace lockstep::fakezk {

// The sessions, as the leader knows them (ZooKeeper's SessionTracker), and their expiry in three
// stages: this table decides it, at a bucket of the leader's clock; a transaction of its own
// deletes the ephemerals; the client learns of it at its next handshake.
class SessionTable {
 public:
  enum class Phase : std::uint8_t { kOpen, kClosing, kClosed };

  struct Facts {
    SessionId id = 0;
    std::uint64_t password = 0;
    Duration timeout{};
    LinkIndex link = kNoLink;  // the connection that owns it
    TimePoint greeted{};       // when the leader was notified of its last handshake
    Phase phase = Phase::kOpen;
    // The error with which a connected client notices the end of its connection.
    Error noticed_as = Error::kConnectionLoss;
  };
  class Session : public Facts {
   public:
    std::vector<PathId> ephemerals;

    // When it ends if the leader hears nothing of it; none if it is not silent.
    [[nodiscard]] std::optional<TimePoint> silent_until() const {
      return silent_ ? std::optional(expiry_.due) : std::nullopt;
    }

   private:
    void facts_are(const Facts& facts) { static_cast<Facts&>(*this) = facts; }

    friend class SessionTable;
    class Expiry final : public Timer {
     public:
      void run() override { table->expire_bucket(due); }
      SessionTable* table = nullptr;
    };
    Expiry expiry_;
    bool silent_ = false;
  };

  // Sets `work_found` when there is a session to close.
  SessionTable(internal::TimerQueue& timers, const ServerOptions& options, bool& work_found)
      : timers_(timers), options_(options), work_found_(work_found) {}
  SessionTable(const SessionTable&) = delete;
  SessionTable& operator=(const SessionTable&) = delete;
  void reset();
  // The sessions in a state to be restored later: none of them silent or closing.
  struct Kept {
    Facts facts;
    std::vector<PathId> ephemerals;
  };
  using Checkpoint = std::vector<Kept>;
  [[nodiscard]] Checkpoint checkpoint() const;
  void reset_to(const Checkpoint& checkpoint);
  // Sets the recorder of accesses; null: none.
  void record_into(FootprintRecorder* recorder) { recorder_ = recorder; }

  SessionIndex open();
  [[nodiscard]] SessionIndex size() const { return size_; }
  [[nodiscard]] Session& operator[](SessionIndex index) {
    if (recorder_) recorder_->writes(ObjectKind::kSession, index);
    return *sessions_[index];
  }
  [[nodiscard]] const Session& operator[](SessionIndex index) const {
    if (recorder_) recorder_->reads(ObjectKind::kSession, index);
    return *sessions_[index];
  }
  // kNoSession if no session ever had that id.
  [[nodiscard]] SessionIndex find(SessionId id) const {
    if (id < options_.first_session) return kNoSession;
    const SessionId offset = id - options_.first_session;
    if (offset >= static_cast<SessionId>(size_)) return kNoSession;
    return static_cast<SessionIndex>(offset);
  }
  [[nodiscard]] bool alive(SessionIndex index) const {
    if (recorder_) recorder_->reads(ObjectKind::kSession, index);
    return index < size_ && sessions_[index]->phase == Phase::kOpen;
  }

  // From now on the leader hears nothing of the session, or hears of it again.
  void begin_silence(SessionIndex index, TimePoint now);
  void end_silence(SessionIndex index);
  // When a session that is silent since `silence` expires: together with all others of its bucket,
  // up to a tick after its timeout (ExpiryQueue.roundToNextInterval).
  [[nodiscard]] TimePoint expiry_time(SessionIndex index, TimePoint silence) const;

  void decide_end(SessionIndex index, Error noticed_as);
  // Sessions whose end is decided and not yet committed, in no defined order.
  [[nodiscard]] std::span<const SessionIndex> closing() const { return closing_; }
  void closed(SessionIndex index);
  // A new leader knows committed transactions only (SessionTrackerImpl's constructor): decisions of
  // the old one that were not committed are void, and these sessions live.
  void forget_decisions();

 private:
  [[nodiscard]] std::uint64_t password_of(SessionId id) const;
  void expire_bucket(TimePoint due);
  void record_silence(SessionIndex index);

  internal::TimerQueue& timers_;
  const ServerOptions& options_;
  bool& work_found_;
  std::vector<std::unique_ptr<Session>> sessions_;  // Reused after a reset, with their memory.
  SessionIndex size_ = 0;
  std::vector<SessionIndex> closing_;
  FootprintRecorder* recorder_ = nullptr;
};

}  // namespace lockstep::fakezk
