#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "lockstep/internal/language.h"

namespace lockstep::fakezk {

// A part of the world that two steps may both touch.
enum class ObjectKind : std::uint8_t {
  kZnode,         // A znode of one tree: existence, data, Stat, children, watches on it.
  kSession,       // The leader's record of a session, and the session's strays.
  kSessionTable,  // The assigned session ids.
  kLinkTable,     // The assigned places of connections.
  kLink,          // Whether a connection exists, and the messages lost with it.
  kInbox,         // The order of the messages to a client.
  kProcess,       // The memory of one process.
  kReplica,       // Whether a replica lags or is cut off, and how far it has applied the log.
  kLog,           // The order of the leader's log, as lagging replicas see it.
  kClock,         // Virtual time, the timers it has passed, and the clocks that follow it.
  kFaults,        // The number of faults left.
  kOracle,        // The memory of the judges.
  kUserMemory,    // Memory that a program's processes share outside of ZooKeeper.
};
inline constexpr std::size_t kObjectKinds = 13;

[[nodiscard]] std::string_view name(ObjectKind kind);

// The objects that one step has read and written. Two steps may be swapped if neither writes an
// object that the other touches: only zxids and the order of memory use would differ.
class Footprint {
 public:
  void clear() { *this = Footprint(); }
  void add(ObjectKind kind, std::uint32_t index, bool written);
  // The step touches the whole world.
  void add_everything() { everything_ = true; }

  [[nodiscard]] bool conflicts_with(const Footprint& other) const;

 private:
  // A step with more accesses counts as touching everything, to save memory.
  static constexpr std::size_t kMost = 30;
  static constexpr std::uint32_t kWritten = 1;

  std::uint64_t touched_mask_ = 0;  // One bit per object, shared by many: a quick first test.
  std::uint64_t written_mask_ = 0;
  std::uint32_t size_ = 0;
  bool everything_ = false;
  // Kind, index, kWritten. Only the first size_ are valid.
  std::array<std::uint32_t, kMost> accesses_;
};

// The messages between a client and its server, and the entries of the leader's log.
enum class QueueKind : std::uint8_t { kRequests, kInbox };

// Records, where the world's state is touched, what each step does: footprints are recorded, never
// declared. Also knows which earlier step sent the message that a step has taken from a queue.
class FootprintRecorder {
 public:
  static constexpr std::uint32_t kNoStep = static_cast<std::uint32_t>(-1);

  // Starts a new execution.
  void begin();
  // From now on accesses belong to step `number` and go into `into`.
  void begin_step(std::uint32_t number, Footprint& into);
  // The following accesses belong to no step.
  void pause() { current_ = nullptr; }
  // The step that sent the message taken by the current one, or kNoStep.
  [[nodiscard]] std::uint32_t sender() const { return sender_; }

  // Leaves one kind of object out of all footprints. An exhaustive search then overlooks schedules
  // in which only such objects matter: right for memory that contenders do not share; tests leave
  // out other kinds to show that the search needs them.
  void leave_out(ObjectKind kind) { left_out_[static_cast<std::size_t>(kind)] = true; }

  void reads(ObjectKind kind, std::uint32_t index = 0) { add(kind, index, false); }
  void writes(ObjectKind kind, std::uint32_t index = 0) { add(kind, index, true); }
  void touches_everything() {
    if (current_) current_->add_everything();
  }

  void queued(QueueKind queue, std::uint32_t link);
  void taken(QueueKind queue, std::uint32_t link);
  // The queue keeps only its oldest `kept` messages.
  void truncated(QueueKind queue, std::uint32_t link, std::size_t kept);

 private:
  using Senders = std::deque<std::uint32_t>;
  void add(ObjectKind kind, std::uint32_t index, bool written);
  Senders& senders(QueueKind queue, std::uint32_t link);

  Footprint* current_ = nullptr;
  std::uint32_t step_ = kNoStep;
  std::uint32_t sender_ = kNoStep;
  std::array<bool, kObjectKinds> left_out_{};
  std::vector<Senders> senders_;  // Two per link.
};

}  // namespace lockstep::fakezk
