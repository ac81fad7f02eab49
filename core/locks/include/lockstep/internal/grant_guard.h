#pragma once

#include <optional>

#include "lockstep/held_lock.h"
#include "lockstep/internal/frame_pool.h"
#include "lockstep/lock_observer.h"
#include "lockstep/session.h"
#include "lockstep/task_set.h"

namespace lockstep {

// Watches a grant for events that its session does not report. Its listener is notified of each
// event once, outside of any coroutine, and may destroy the guard then. Pooled, because every grant
// that had to wait has one.
class HeldLock::Guard : public internal::Pooled {
 public:
  class Listener {
   public:
    virtual void znode_gone() = 0;
    virtual void asked_to_revoke() = 0;

   protected:
    ~Listener() = default;
  };

  Guard(Session& session, const GrantRecord& record, Listener& listener);
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  ~Guard();

  void watch_znode();  // Idempotent.
  // The same, with a watch on the znode that has been set before.
  void go_on(Watch watch);

  [[nodiscard]] bool gone() const { return gone_.known; }

 private:
  class Notice final : public Runnable {
   public:
    Notice(Listener& to, void (Listener::*what)()) : listener(to), message(what) {}
    void run() override { (listener.*message)(); }

    Listener& listener;
    void (Listener::*message)();
    bool known = false;
  };

  static Task<void> keep_watch(Guard& self, std::optional<Watch> left);
  // Reports what the grant's znode shows; returns false if it is another znode of that name.
  [[nodiscard]] bool examine(const DataAndStat& own);
  void tell(Notice& notice);

  Session& session_;
  const GrantRecord& record_;
  Notice gone_;
  Notice revoke_;
  bool watching_ = false;
  TaskSet tasks_;
};

}  // namespace lockstep
