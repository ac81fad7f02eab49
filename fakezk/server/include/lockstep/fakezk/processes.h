#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lockstep/fakezk/process.h"
#include "lockstep/fakezk/watch_table.h"

namespace lockstep::fakezk {

// Names the processes in a report.
class ProcessNames {
 public:
  // "A".
  [[nodiscard]] virtual std::string process_name(std::uint32_t process) const = 0;

 protected:
  ~ProcessNames() = default;
};

// The processes of a world, the links that belong to each, and the one that the current step has
// set going. A reset keeps their memory.
class Processes {
 public:
  static constexpr std::uint32_t kNoProcess = static_cast<std::uint32_t>(-1);

  Processes(World& world, WorkLoop& work, const WorldTime& time) : host_{world, work, time} {}

  // Removes all processes, their names and the blocker. Call end_tasks() first.
  void reset();
  // The positions of their random streams, and which of them each link belongs to.
  struct Checkpoint {
    std::vector<std::uint64_t> random;
    std::vector<std::uint32_t> of_link;
  };
  [[nodiscard]] Checkpoint checkpoint() const;
  void reset_to(const Checkpoint& checkpoint);
  // Nothing runs, waits or sleeps, and every clock is exact.
  [[nodiscard]] bool at_rest() const;
  // Destroys the tasks of all processes, including those that a reset has removed.
  void end_tasks();

  Process& add();
  void add_link(const Process& process) { of_link_.push_back(process.index()); }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] Process& operator[](std::uint32_t index) { return *processes_[index]; }
  [[nodiscard]] const Process& operator[](std::uint32_t index) const { return *processes_[index]; }
  // For loops; in the order of their indices.
  [[nodiscard]] std::span<const std::unique_ptr<Process>> all() const {
    return {processes_.data(), size_};
  }
  [[nodiscard]] std::uint32_t of_link(LinkIndex link) const { return of_link_[link]; }
  // Calls act(link) for each link of a process.
  template <class Act>
  void each_link_of(const Process& process, Act act) const {
    for (LinkIndex link = 0; link < of_link_.size(); ++link) {
      if (of_link_[link] == process.index()) act(link);
    }
  }

  [[nodiscard]] std::uint32_t stalled() const { return host_.stalled; }
  [[nodiscard]] bool stalled(LinkIndex link) const {
    return host_.stalled > 0 && processes_[of_link_[link]]->stalled();
  }
  // Whether a stalled process has to wake before that time.
  [[nodiscard]] bool any_wakes_before(TimePoint time) const;

  // Without names, processes are called by their numbers.
  void set_names(const ProcessNames* names) { names_ = names; }
  [[nodiscard]] std::string name(std::uint32_t process) const {
    return names_ ? names_->process_name(process) : "process " + std::to_string(process);
  }
  void set_blocker(Blocker* blocker) { host_.blocker = blocker; }

  // The process that the current step has set going, or kNoProcess.
  [[nodiscard]] std::uint32_t acting() const { return acting_; }
  void set_acting(std::uint32_t process) { acting_ = process; }

 private:
  void reset_all();

  ProcessHost host_;
  std::vector<std::unique_ptr<Process>> processes_;  // The first size_ count.
  std::uint32_t size_ = 0;
  std::vector<std::uint32_t> of_link_;
  const ProcessNames* names_ = nullptr;
  std::uint32_t acting_ = kNoProcess;
};

}  // namespace lockstep::fakezk
