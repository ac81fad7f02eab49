#include "lockstep/lab/job_threads.h"

#include <utility>

#include "lockstep/internal/check.h"

namespace lockstep::lab {

// NOLINTNEXTLINE(bugprone-throw-keyword-missing): a vector of exceptions throws none.
JobThreads::JobThreads(std::uint32_t jobs) : thrown_(jobs) {
  for (std::uint32_t job = 1; job < jobs; ++job) {
    threads_.emplace_back([this, job](const std::stop_token& stop) { serve(stop, job); });
  }
}

void JobThreads::each(std::uint32_t count, const std::function<void(std::uint32_t)>& work) {
  internal::check(count <= thrown_.size(), "a job has a thread");
  {
    const std::lock_guard lock(mutex_);
    ++round_;
    count_ = count;
    work_ = &work;
    busy_ = static_cast<std::uint32_t>(threads_.size());
  }
  begun_.notify_all();
  if (count > 0) perform(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
  std::exception_ptr first;
  for (std::exception_ptr& thrown : thrown_) {
    const std::exception_ptr one = std::exchange(thrown, nullptr);
    if (!first) first = one;
  }
  if (first) std::rethrow_exception(first);
}

void JobThreads::serve(const std::stop_token& stop, std::uint32_t job) {
  std::uint64_t served = 0;
  std::unique_lock lock(mutex_);
  while (begun_.wait(lock, stop, [&] { return round_ != served; })) {
    served = round_;
    const bool mine = job < count_;
    lock.unlock();
    if (mine) perform(job);
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

void JobThreads::perform(std::uint32_t job) {
  try {
    (*work_)(job);
  } catch (...) {
    thrown_[job] = std::current_exception();
  }
}

}  // namespace lockstep::lab
