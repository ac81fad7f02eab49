#pragma once

#include <cstdint>
#include <exception>
#include <string_view>
#include <utility>

#include "lockstep/executor.h"
#include "lockstep/internal/run_queue.h"
#include "lockstep/internal/trampoline.h"

namespace lockstep::fakezk {

class World;

// The work that the processes of a world have posted: runs it, keeps the first exception that
// escapes from it, and stops work that has no end.
class WorkLoop {
 public:
  explicit WorkLoop(const World& world) : world_(world) {}
  WorkLoop(const WorkLoop&) = delete;
  WorkLoop& operator=(const WorkLoop&) = delete;

  void post(Runnable& work) { posted_.push(work); }
  void withdraw(Runnable& work) noexcept { posted_.erase(work); }
  [[nodiscard]] bool empty() const { return posted_.empty(); }
  // Drops the posted work without running it.
  void clear();
  // Runs what is posted, and what this work posts.
  [[gnu::always_inline]] void run_posted();
  // Runs one piece of work now.
  [[gnu::always_inline]] void run(Runnable& work);

  // The first exception that has escaped; null if there is none.
  [[nodiscard]] std::exception_ptr& escaped() { return escaped_; }
  [[nodiscard]] const std::exception_ptr& escaped() const { return escaped_; }
  void keep_exception(std::exception_ptr exception) noexcept {
    if (!escaped_) escaped_ = std::move(exception);
  }

  // Pieces of work, timers of one instant, or coroutines in a row that may run between two steps.
  void set_most(std::uint32_t most) { most_ = most; }
  [[nodiscard]] std::uint32_t most() const { return most_; }
  // Reports work beyond that limit: an Endless escapes. `what` names the kind of work.
  void report_endless(std::string_view what) noexcept;
  [[nodiscard]] internal::ChainLimit& chains() { return chains_; }

 private:
  // A member, because the undefined behaviour sanitizer checks an object with virtual functions at
  // each use.
  class Chains final : public internal::ChainLimit {
   public:
    explicit Chains(WorkLoop& loop) : loop_(loop) {}
    bool may_go_on(std::uint64_t in_a_row) noexcept override;

   private:
    WorkLoop& loop_;
  };

  const World& world_;
  Chains chains_{*this};
  internal::RunQueue posted_;
  std::exception_ptr escaped_;
  std::uint32_t most_ = 0;
};

// Inlined: a call would take a third of the time that it takes to hand over a piece of work.
inline void WorkLoop::run(Runnable& work) {
  try {
    work.run();
  } catch (...) {
    keep_exception(std::current_exception());
  }
}

inline void WorkLoop::run_posted() {
  internal::ready_waits = 0;
  std::uint32_t pieces = 0;
  while (Runnable* const work = posted_.pop()) {
    run(*work);
    if (++pieces == most_) return report_endless("pieces of work have run");
  }
}

}  // namespace lockstep::fakezk
