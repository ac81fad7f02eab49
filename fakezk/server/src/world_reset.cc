// Resets a world to its beginning, or to a checkpoint.
#include <algorithm>

#include "lockstep/fakezk/world.h"

namespace lockstep::fakezk {

namespace {

// With more interned paths than this a reset starts a new table: a hunt of a program that invents
// names without end must not fill the memory.
constexpr std::size_t kPathsKept = 1 << 16;

// Footprints name znodes by the numbers of their paths, which must not change during a recording.
bool outgrown(const PathTable& paths, const FootprintRecorder* recorder) {
  return paths.size() > kPathsKept && !recorder;
}

}  // namespace

void World::reset() {
  begin_again();
  network_.reset();
  if (outgrown(*paths_, recorder_)) paths_ = std::make_shared<PathTable>();
  server_.reset(paths_);
  process_count_ = 0;
  process_of_link_.clear();
  now_ = TimePoint{};
}

// The common part of every reset.
void World::begin_again() {
  end_tasks();
  if (recorder_) recorder_->begin();
  for (std::uint32_t process = 0; process < process_count_; ++process) processes_[process]->reset();
  timers_.clear();
  stalled_count_ = 0;
  healed_ = false;
  chooser_ = nullptr;
  restarter_ = nullptr;
  names_ = nullptr;
  rest_watcher_ = nullptr;
  blocker_ = nullptr;
  budget_.begin();
  current_ = 0;
  work_.escaped() = nullptr;
  work_.set_most(kMostWork);
  begin_trace();
}

bool World::at_rest() const {
  if (!work_.empty() || !timers_.empty() || stalled_count_ > 0) return false;
  if (budget_.used() > 0 || healed_ || !server_.at_rest()) return false;
  for (LinkIndex link = 0; link < network_.size(); ++link) {
    if (!network_.at(link).idle() || network_.at(link).held()) return false;
  }
  return std::all_of(processes_.begin(), processes_.begin() + process_count_,
                     [](const auto& process) { return process->at_rest(); });
}

std::optional<World::Checkpoint> World::checkpoint() const {
  if (!at_rest()) return std::nullopt;
  Checkpoint checkpoint(paths_, network_.checkpoint(), server_.checkpoint(), process_of_link_,
                        current_, now_);
  for (std::uint32_t process = 0; process < process_count_; ++process) {
    checkpoint.random.push_back(processes_[process]->random_.position());
  }
  return checkpoint;
}

bool World::reset_to(const Checkpoint& checkpoint) {
  if (checkpoint.paths != paths_ || outgrown(*paths_, recorder_)) return false;
  begin_again();
  network_.reset_to(checkpoint.network);
  server_.reset_to(checkpoint.servers);
  process_count_ = 0;
  for (const std::uint64_t position : checkpoint.random) {
    processes_[process_count_++]->random_.reseed(position);
  }
  process_of_link_ = checkpoint.process_of_link;
  current_ = checkpoint.current;
  now_ = checkpoint.now;
  return true;
}

}  // namespace lockstep::fakezk
