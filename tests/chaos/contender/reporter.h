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

// The contender's end of the link to the driver. Thread-safe. Ends the process if the driver has
// gone.
class Reporter final : public LockObserver {
 public:
  explicit Reporter(int link, Flaw flaw = Flaw::kNone) : link_(link), flaw_(flaw) {}

  void report(Event event);
  // Reports an action of a worker with a grant, which the lock and the token identify.
  void report(Kind kind, int worker, const std::string& lock, Zxid token, Share share);
  // Writes to the resource of the lock `on` and waits for the answer; false if the resource refuses
  // the token.
  bool write(int worker, const std::string& on, Zxid token);

  void served(int worker);

  // Acquires in progress, as the recipes report them.
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
