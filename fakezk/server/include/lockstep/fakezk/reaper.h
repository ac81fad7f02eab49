#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/clock.h"
#include "lockstep/fakezk/history.h"
#include "lockstep/fakezk/unspecified.h"
#include "lockstep/fakezk/znode_tree.h"
#include "lockstep/internal/timer_queue.h"

namespace lockstep::fakezk {

// Checks periodically for containers that have lost their last child and for znodes that have
// exceeded their time to live (ZooKeeper's ContainerManager). Separate transactions delete them
// later: until then a child may be created. It checks only while there may be candidates, so that
// an idle world comes to rest.
class Reaper {
 public:
  // An interval of zero means never. Sets `work_found` when there is a znode to delete.
  Reaper(internal::TimerQueue& timers, const ZnodeTree& tree, Unspecified& unspecified,
         Duration interval, bool& work_found)
      : timers_(timers),
        tree_(tree),
        unspecified_(unspecified),
        interval_(interval),
        work_found_(work_found) {
    check_.reaper = this;
  }
  Reaper(const Reaper&) = delete;
  Reaper& operator=(const Reaper&) = delete;
  void reset();
  // Whether no znode can ever become a candidate.
  [[nodiscard]] bool idle() const { return mortal_.empty() && found_.empty(); }

  // Called for each change that the leader has committed; for servers that reap.
  void follow(const Change& change, PathId parent, TimePoint now);

  // Candidates that are not deleted yet: paths, whatever clients put there in the meantime.
  [[nodiscard]] std::span<const PathId> found() const { return found_; }
  PathId take(std::size_t index);

 private:
  class Check final : public Timer {
   public:
    void run() override { reaper->look(due); }
    Reaper* reaper = nullptr;
    bool scheduled = false;
  };

  void schedule(TimePoint now);
  void look(TimePoint now);
  [[nodiscard]] bool may_go(PathId id) const;
  [[nodiscard]] bool mortal(PathId id) const { return id < is_mortal_.size() && is_mortal_[id]; }

  internal::TimerQueue& timers_;
  const ZnodeTree& tree_;
  Unspecified& unspecified_;
  Duration interval_;
  bool& work_found_;
  Check check_;
  std::vector<PathId> mortal_;   // Containers and znodes with a time to live, in order of creation.
  std::vector<bool> is_mortal_;  // By PathId: with many locks there are many containers.
  std::vector<PathId> found_;    // A list of paths (ContainerManager.checkContainers).
};

// The servers' wall clock, which Stats show, at a virtual time, which starts at
// 2020-01-01T00:00:00Z.
[[nodiscard]] inline std::int64_t wall_clock_ms(TimePoint now) {
  constexpr std::int64_t kEpochMs = 1577836800000;
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch());
  return kEpochMs + since.count();
}

}  // namespace lockstep::fakezk
