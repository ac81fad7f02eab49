#include "lockstep/fakezk/processes.h"

#include <algorithm>

namespace lockstep::fakezk {

void Processes::reset_all() {
  for (const auto& process : all()) process->reset();
  names_ = nullptr;
  host_.blocker = nullptr;
  acting_ = kNoProcess;
}

void Processes::reset() {
  reset_all();
  size_ = 0;
  of_link_.clear();
}

Processes::Checkpoint Processes::checkpoint() const {
  Checkpoint checkpoint{.random = {}, .of_link = of_link_};
  for (const auto& process : all()) checkpoint.random.push_back(process->random().position());
  return checkpoint;
}

void Processes::reset_to(const Checkpoint& checkpoint) {
  reset_all();
  size_ = 0;
  for (const std::uint64_t position : checkpoint.random) {
    processes_[size_++]->random().reseed(position);
  }
  of_link_ = checkpoint.of_link;
}

bool Processes::at_rest() const {
  return stalled() == 0 &&
         std::ranges::all_of(all(), [](const auto& process) { return process->at_rest(); });
}

void Processes::end_tasks() {
  for (const auto& process : processes_) process->tasks().clear();
}

Process& Processes::add() {
  const std::uint32_t index = size_++;
  if (index == processes_.size()) processes_.push_back(std::make_unique<Process>(host_, index));
  // The same stream in every execution: only the schedule varies.
  processes_[index]->random().reseed(mix(index + 1));
  return *processes_[index];
}

bool Processes::any_wakes_before(TimePoint time) const {
  return stalled() > 0 && std::ranges::any_of(all(), [time](const auto& process) {
           return process->wakes_before(time);
         });
}

}  // namespace lockstep::fakezk
