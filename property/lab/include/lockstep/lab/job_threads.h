#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "lockstep/search/hunt.h"

namespace lockstep::lab {

// Workers on threads that live as long as this object. Job 0 runs on the calling thread. If jobs
// throw, the exception of the lowest job number reaches the caller.
class JobThreads final : public search::Workers {
 public:
  // At most `jobs` jobs run at the same time.
  explicit JobThreads(std::uint32_t jobs);

  void each(std::uint32_t count, const std::function<void(std::uint32_t)>& work) override;

 private:
  void serve(const std::stop_token& stop, std::uint32_t job);
  void perform(std::uint32_t job);

  std::mutex mutex_;
  std::condition_variable_any begun_;
  std::condition_variable done_;
  std::uint64_t round_ = 0;  // Counts calls of each().
  std::uint32_t count_ = 0;
  std::uint32_t busy_ = 0;  // Threads that have not finished this round.
  const std::function<void(std::uint32_t)>* work_ = nullptr;
  std::vector<std::exception_ptr> thrown_;
  std::vector<std::jthread> threads_;  // Last member: they stop before the others are destroyed.
};

}  // namespace lockstep::lab
