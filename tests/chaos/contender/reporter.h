#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "chaos/wire.h"
#include "lockstep/lock_observer.h"

namespace lockstep::chaos {

// CLOCK_MONOTONIC in nanoseconds.
[[nodiscard]] std::int64_t monotonic_now();

// The contender's end of the link to the driver. From any thread. Ends the process if the driver
// has gone.
class Reporter final : public LockObserver {
 public:
  explicit Reporter(int link, Flaw flaw = Flaw::kNone) : link_(link), flaw_(flaw) {}

  void report(Event event);
  // Reports what a worker does with a grant, which its lock and its token name.
  void report(Kind kind, int worker, const std::string& lock, Zxid token, Share share);
  // Writes to what the lock protects; false if the resource refuses the token. Waits for the
  // answer.
  bool write(int worker, const std::string& lock, Zxid token);

  void served(int worker);

  // Acquires that have begun and not ended, of which the recipes have told.
  [[nodiscard]] std::int64_t under_way() const { return under_way_; }

  void acquire_begins(SessionId session, const Path& lock) override;
  void acquire_ends(SessionId session, const Path& lock) override;
  void place_reserved(SessionId session, const Path& lock, const Path& znode) override;
  void granted(const GrantRecord& grant) override;
  void gave_up(SessionId session, const Path& lock, Error error) override;
  void lost(const GrantRecord& grant, Error cause) override;
  void released(const GrantRecord& grant, ReleaseOutcome outcome) override;
  void dropped(const GrantRecord& grant) override;

 private:
  void send(const Event& event);

  const int link_;
  const Flaw flaw_;
  std::mutex mutex_;
  std::atomic<std::int64_t> under_way_ = 0;
};

}  // namespace lockstep::chaos
