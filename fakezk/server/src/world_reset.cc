// Resets a world to its beginning, or to a checkpoint.
#include "lockstep/fakezk/world.h"

namespace lockstep::fakezk {

namespace {

// With more interned paths than this a reset starts a new table: a program that keeps inventing
// names must not fill the memory.
constexpr std::size_t kPathsKept = 1 << 16;

// Footprints name znodes by the numbers of their paths, which must not change during a recording.
bool outgrown(const PathTable& paths, const FootprintRecorder* recorder) {
  return paths.size() > kPathsKept && !recorder;
}

}  // namespace

void World::reset() {
  begin_again();
  processes_.reset();
  network_.reset();
  if (outgrown(*paths_, recorder_)) paths_ = std::make_shared<PathTable>();
  server_.reset(paths_);
  time_.reset_to(TimePoint{});
}

// The first part of every reset, before the processes are reset.
void World::begin_again() {
  end_tasks();
  if (recorder_) recorder_->begin();
  timers_.clear();
  choices_.end_step();
  agenda_.reset();
  threads_.reset();
  faults_.reset();
  rest_watcher_ = nullptr;
  work_.escaped() = nullptr;
  work_.set_most(kMostWork);
  begin_trace();
}

bool World::at_rest() const {
  if (!work_.empty() || !timers_.empty() || !processes_.at_rest()) return false;
  if (faults_.injected() > 0 || agenda_.is_fair() || !server_.at_rest()) return false;
  for (LinkIndex link = 0; link < network_.size(); ++link) {
    if (!network_.at(link).idle() || network_.at(link).held()) return false;
  }
  return true;
}

std::optional<World::Checkpoint> World::checkpoint() const {
  if (!at_rest()) return std::nullopt;
  return Checkpoint{.paths = paths_,
                    .network = network_.checkpoint(),
                    .servers = server_.checkpoint(),
                    .processes = processes_.checkpoint(),
                    .current = agenda_.current(),
                    .now = now()};
}

bool World::reset_to(const Checkpoint& checkpoint) {
  if (checkpoint.paths != paths_ || outgrown(*paths_, recorder_)) return false;
  begin_again();
  processes_.reset_to(checkpoint.processes);
  network_.reset_to(checkpoint.network);
  server_.reset_to(checkpoint.servers);
  agenda_.set_current(checkpoint.current);
  time_.reset_to(checkpoint.now);
  return true;
}

}  // namespace lockstep::fakezk
