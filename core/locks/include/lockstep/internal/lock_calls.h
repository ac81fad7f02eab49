#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <string>
#include <system_error>
#include <utility>

#include "lockstep/blocking/bounds.h"
#include "lockstep/blocking/lock_error.h"
#include "lockstep/blocking/run.h"
#include "lockstep/client.h"
#include "lockstep/internal/check.h"
#include "lockstep/lock_failure.h"
#include "lockstep/on_client.h"
#include "lockstep/path.h"
#include "lockstep/within.h"

namespace lockstep::internal {

// The result of an attempt to take a blocking lock.
class Attempt {
 public:
  Result<void> result;
  std::string last_failure;  // The client's reason for the error, if it knows one.
};

// The common functions of the blocking locks: waiting, and turning errors into exceptions. `what`
// is the name of the user's function.
class LockCalls {
 protected:
  LockCalls(const Path& lock, blocking::Bounds bounds) : lock_(lock.string()), bounds_(bounds) {}
  ~LockCalls() = default;

  [[nodiscard]] const blocking::Bounds& bounds() const noexcept { return bounds_; }

  // For the destructor: no caller may have a grant or be in a call, unless its simulated process is
  // dying. A forked child's copies of its parent's grants are leaked, because destroying them would
  // release them.
  template <class Grants>
  void end(Executor& executor, Grants& grants, const char* rule) const {
    if (executor.blocker().is_in_child()) {
      static auto& of_parent = *new std::list<Grants>;  // Never destroyed.
      of_parent.push_back(std::move(grants));
      return;
    }
    if (executor.blocker().is_dying()) return;
    check(grants.empty(), rule);
    check(calls_ == 0, "a blocking lock is destroyed while a call of it waits");
  }

  // Waits for the task that `make` creates for the caller, a LockOwner.
  template <class Make>
  auto call(Executor& executor, const char* what, Make make) const {
    const UnderWay counted(calls_);
    try {
      const LockOwner caller = executor.blocker().caller();
      return blocking::run(executor, [&make, caller] { return make(caller); });
    } catch (const std::system_error& error) {
      throw blocking::LockError(error, what, lock_);
    }
  }
  // On the executor: an acquire of `source`, with the reason if it fails.
  template <class Grant = ClientGrant, class Source, class Way>
  static Task<Result<Grant>> acquire(Source& source, Way way, Context context,
                                     std::string& last_failure) {
    Result<Grant> grant = co_await source.take(way, std::move(context));
    if (!grant && concerns_the_client(grant.error())) last_failure = source.client().last_failure();
    co_return std::move(grant);
  }

  // Throws unless the attempt has succeeded.
  void must_be_taken(const Attempt& attempt, const char* what) const;
  // Returns false if it had to wait for another contender and its turn has not come in time.
  [[nodiscard]] bool taken_in_time(const Attempt& attempt, const char* what) const;
  // The same for an attempt that does not wait.
  [[nodiscard]] bool taken_at_once(const Attempt& attempt, const char* what) const;
  [[noreturn]] void fail(Error error, const char* what) const;

 private:
  // A call that has not returned yet.
  class UnderWay {
   public:
    explicit UnderWay(std::atomic<std::uint32_t>& calls) : calls_(calls) { ++calls_; }
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;
    ~UnderWay() { --calls_; }

   private:
    std::atomic<std::uint32_t>& calls_;
  };

  [[noreturn]] void fail_for(const Attempt& attempt, const char* what) const;

  const std::string lock_;  // Its path.
  const blocking::Bounds bounds_;
  mutable std::atomic<std::uint32_t> calls_ = 0;
};

}  // namespace lockstep::internal
