#include "lockstep/fakezk/footprint.h"

#include <algorithm>

#include "lockstep/fakezk/random_stream.h"

namespace lockstep::fakezk {

namespace {

constexpr std::uint32_t kIndexBits = 26;
constexpr std::uint32_t kQueues = 2;

std::uint64_t bit(std::uint32_t object) { return std::uint64_t{1} << (mix(object) % 64); }

}  // namespace

std::string_view name(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::kZnode: return "znode";
    case ObjectKind::kSession: return "session";
    case ObjectKind::kSessionTable: return "session table";
    case ObjectKind::kLinkTable: return "link table";
    case ObjectKind::kLink: return "link";
    case ObjectKind::kInbox: return "inbox";
    case ObjectKind::kProcess: return "process";
    case ObjectKind::kReplica: return "replica";
    case ObjectKind::kLog: return "log";
    case ObjectKind::kClock: return "clock";
    case ObjectKind::kFaults: return "faults";
    case ObjectKind::kOracle: return "oracle";
    case ObjectKind::kUserMemory: return "user memory";
  }
  return "unknown object";
}

void Footprint::add(ObjectKind kind, std::uint32_t index, bool written) {
  if (everything_) return;
  const std::uint32_t object = static_cast<std::uint32_t>(kind) << (kIndexBits + 1) |
                               (index & ((1u << kIndexBits) - 1)) << 1;
  touched_mask_ |= bit(object);
  if (written) written_mask_ |= bit(object);
  for (std::uint32_t i = 0; i < size_; ++i) {
    if ((accesses_[i] | kWritten) != (object | kWritten)) continue;
    if (written) accesses_[i] |= kWritten;
    return;
  }
  if (size_ == kMost) return add_everything();
  accesses_[size_++] = object | (written ? kWritten : 0);
}

bool Footprint::conflicts_with(const Footprint& other) const {
  if (everything_ || other.everything_) return true;
  if ((touched_mask_ & other.written_mask_) == 0 && (written_mask_ & other.touched_mask_) == 0) {
    return false;
  }
  for (std::uint32_t i = 0; i < size_; ++i) {
    for (std::uint32_t j = 0; j < other.size_; ++j) {
      const std::uint32_t mine = accesses_[i];
      const std::uint32_t its = other.accesses_[j];
      if ((mine | kWritten) == (its | kWritten) && ((mine | its) & kWritten) != 0) return true;
    }
  }
  return false;
}

void FootprintRecorder::begin() {
  current_ = nullptr;
  step_ = kNoStep;
  for (Senders& senders : senders_) senders.clear();
}

void FootprintRecorder::begin_step(std::uint32_t number, Footprint& into) {
  step_ = number;
  sender_ = kNoStep;
  current_ = &into;
}

void FootprintRecorder::add(ObjectKind kind, std::uint32_t index, bool written) {
  if (current_ && !left_out_[static_cast<std::size_t>(kind)]) current_->add(kind, index, written);
}

FootprintRecorder::Senders& FootprintRecorder::senders(QueueKind queue, std::uint32_t link) {
  const std::size_t place = std::size_t{link} * kQueues + static_cast<std::size_t>(queue);
  if (place >= senders_.size()) senders_.resize(place + 1);
  return senders_[place];
}

void FootprintRecorder::queued(QueueKind queue, std::uint32_t link) {
  senders(queue, link).push_back(step_);
}

void FootprintRecorder::taken(QueueKind queue, std::uint32_t link) {
  Senders& queued = senders(queue, link);
  if (queued.empty()) return;  // It was sent before the recording began.
  sender_ = queued.front();
  queued.pop_front();
}

void FootprintRecorder::truncated(QueueKind queue, std::uint32_t link, std::size_t kept) {
  Senders& queued = senders(queue, link);
  if (queued.size() > kept) queued.resize(kept);
}

}  // namespace lockstep::fakezk
