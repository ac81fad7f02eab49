#include "lockstep/search/coverage.h"

#include <algorithm>

#include "lockstep/search/state_hash.h"

namespace lockstep::search {

namespace {

// The most unsorted hashes, in addition to as many as are sorted.
constexpr std::size_t kUnsorted = 4096;

// Collects "name count" for what was reached, and the names of what was not.
class NamedCounts {
 public:
  void add(std::string_view name, std::uint64_t count) {
    std::string& into = count > 0 ? reached_ : missed_;
    if (!into.empty()) into += ", ";
    into += name;
    if (count > 0) into += ' ' + std::to_string(count);
  }
  [[nodiscard]] std::string text(std::string_view title) const {
    std::string text(title);
    text += reached_.empty() ? " none" : ' ' + reached_;
    if (!missed_.empty()) text += "; never " + missed_;
    return text + '\n';
  }

 private:
  std::string reached_;
  std::string missed_;
};

}  // namespace

void DistinctHashes::add(std::uint64_t hash) {
  hashes_.push_back(hash);
  if (hashes_.size() - sorted_ > kUnsorted + sorted_) settle();
}

void DistinctHashes::add_all(const DistinctHashes& other) {
  hashes_.insert(hashes_.end(), other.hashes_.begin(), other.hashes_.end());
  settle();
}

std::size_t DistinctHashes::size() const {
  settle();
  return hashes_.size();
}

void DistinctHashes::settle() const {
  std::ranges::sort(hashes_);
  hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
  sorted_ = hashes_.size();
}

void Coverage::saw(const fakezk::Event& event) {
  if (event.kind == fakezk::Event::Kind::kFault) {
    ++faults_[static_cast<std::size_t>(event.fault)];
  } else {
    ++events_[static_cast<std::size_t>(event.kind)];
  }
}

void Coverage::add(const Coverage& other) {
  traces_.add_all(other.traces_);
  states_.add_all(other.states_);
  for (std::size_t i = 0; i < kEventKinds; ++i) events_[i] += other.events_[i];
  for (std::size_t i = 0; i < fakezk::kFaultKinds; ++i) faults_[i] += other.faults_[i];
}

std::string Coverage::text() const {
  NamedCounts events;
  NamedCounts faults;
  for (std::size_t i = 0; i < kEventKinds; ++i) {
    const auto kind = static_cast<fakezk::Event::Kind>(i);
    if (kind != fakezk::Event::Kind::kFault) events.add(name(kind), events_[i]);
  }
  for (std::size_t i = 0; i < fakezk::kFaultKinds; ++i) {
    faults.add(name(static_cast<fakezk::FaultKind>(i)), faults_[i]);
  }
  return "Reached: " + std::to_string(traces()) + " different traces, " + std::to_string(states()) +
         " different states.\n" + events.text("  events:") + faults.text("  faults:");
}

std::string_view name(fakezk::Event::Kind kind) {
  switch (kind) {
    case fakezk::Event::Kind::kDeliver: return "deliver";
    case fakezk::Event::Kind::kApply: return "apply";
    case fakezk::Event::Kind::kCloseSession: return "close-session";
    case fakezk::Event::Kind::kReap: return "reap";
    case fakezk::Event::Kind::kStray: return "stray";
    case fakezk::Event::Kind::kReplicate: return "replicate";
    case fakezk::Event::Kind::kTimer: return "timer";
    case fakezk::Event::Kind::kWake: return "wake";
    case fakezk::Event::Kind::kGoOn: return "go-on";
    case fakezk::Event::Kind::kFault: return "fault";
  }
  return "unknown event";
}

void CoverageTracer::settled() { coverage_.saw_state(state_hash(world_)); }

}  // namespace lockstep::search
