#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

namespace lockstep::fakezk {

// A part of the world that two steps may both touch.
enum class ObjectKind : std::uint8_t {
  kZnode,         // A znode of one tree: existence, data, Stat, children, watches on it.
  kSession,       // What the leader knows of a session, and what strays it has left.
  kSessionTable,  // Which session ids have been given out.
  kLinkTable,     // Which places for connections have been given out.
  kLink,          // Whether a connection is there, and what is lost with it.
  kInbox,         // The order of what is sent to a client.
  kProcess,       // The memory of one process.
  kReplica,       // Whether a replica lags or is cut off, and how far it has come.
  kLog,           // The order of the leader's log, where a replica is behind.
  kClock,         // Virtual time, which timers it has passed, and whose clock goes with it.
  kFaults,        // How many faults are left.
  kOracle,        // What the judges remember.
  kUserMemory,    // What the processes of a program share behind ZooKeeper's back.
};
inline constexpr std::size_t kObjectKinds = 13;

[[nodiscard]] std::string_view name(ObjectKind kind);

// What one step has read and written. Two steps of which neither writes what the other touches can
// be swapped: nobody would notice, but for zxids and the order in which memory is used.
class Footprint {
 public:
  void clear() { *this = Footprint(); }
  void add(ObjectKind kind, std::uint32_t index, bool written);
  // It touches the whole world.
  void add_everything() { everything_ = true; }

  [[nodiscard]] bool conflicts_with(const Footprint& other) const;

 private:
  // More are not worth the memory: such a step counts as touching everything.
  static constexpr std::size_t kMost = 30;
  static constexpr std::uint32_t kWritten = 1;

  std::uint64_t touched_mask_ = 0;  // One bit per object, shared by many: a quick look first.
  std::uint64_t written_mask_ = 0;
  std::uint32_t size_ = 0;
  bool everything_ = false;
  std::array<std::uint32_t, kMost> accesses_;  // Kind, index, kWritten. The first size_ count.
};

// The messages between a client and its server, and the entries of the leader's log.
enum class QueueKind : std::uint8_t { kRequests, kInbox };

// Listens, where the world's state is touched, to what each step does: footprints are recorded,
// never declared. Also tells which earlier step sent what a step has taken from a queue.
class FootprintRecorder {
 public:
  static constexpr std::uint32_t kNoStep = static_cast<std::uint32_t>(-1);

  // A new execution.
  void begin();
  // From here on everything belongs to step `number`; what it does goes into `into`.
  void begin_step(std::uint32_t number, Footprint& into);
  // What follows belongs to no step.
  void pause() { current_ = nullptr; }
  // The step that sent what the current one has taken, or kNoStep.
  [[nodiscard]] std::uint32_t sender() const { return sender_; }

  // Leaves one kind of object out of all footprints. An exploration that relies on them then
  // overlooks schedules: this is how to measure what recording that kind is worth.
  void leave_out(ObjectKind kind) { left_out_[static_cast<std::size_t>(kind)] = true; }

  void reads(ObjectKind kind, std::uint32_t index = 0) { add(kind, index, false); }
  void writes(ObjectKind kind, std::uint32_t index = 0) { add(kind, index, true); }
  void touches_everything() {
    if (current_) current_->add_everything();
  }

  void queued(QueueKind queue, std::uint32_t link);
  void taken(QueueKind queue, std::uint32_t link);
  // Only the oldest `kept` are left.
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
