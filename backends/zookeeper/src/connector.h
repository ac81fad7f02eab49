#pragma once

#include <zookeeper/zookeeper.h>

#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "address.h"
#include "address_rotation.h"
#include "backoff.h"
#include "c_handle.h"
#include "descriptor.h"
#include "failure_log.h"
#include "gate.h"
#include "lockstep/clock.h"
#include "lockstep/random.h"
#include "lockstep/zookeeper/options.h"
#include "log_slot.h"
#include "lookup.h"
#include "os_random.h"
#include "probe.h"
#include "probe_race.h"
#include "server_list.h"

namespace lockstep::zookeeper {

// Finds servers for one handle of the C client, from its opening to its closing, so that the C
// client itself neither resolves names nor chooses servers. Without a server the C client waits at
// the gate; it is released to one address at a time, one that has just answered a probe. A single
// address is not probed first: there is no choice.
//
// An established connection is never touched.
class Connector {
 public:
  // Called on the thread of run().
  class Listener {
   public:
    // Servers were tried, and none could be reached.
    virtual void attempt_failed() = 0;
    // RetryPolicy gives up. This is the last call.
    virtual void given_up() = 0;

   protected:
    ~Listener() = default;
  };

  Connector(const Options& options, FailureLog& failures, Listener& listener);
  Connector(const Connector&) = delete;
  Connector& operator=(const Connector&) = delete;

  // Opens a handle and finds servers for it until stop(). Returns the handle, which has left the
  // gate; null if none was opened. Blocks, so it has its own thread.
  [[nodiscard]] zhandle_t* run(void* context);
  // After run(), on the same thread, once the handle is closed: ends the session if it is not over.
  // Waits for its last server, a moment at most.
  void end_session();
  // The same: waits for a resolver that has not returned yet.
  void finish_lookup() { lookup_.finish(); }

  // From any thread, and without blocking:
  //
  // The C client is connected.
  void connected(const Credentials& session, Duration session_timeout);
  // Takes effect the next time there is no connection, or now if there is none.
  void set_servers(std::vector<Server> servers);
  void stop();
  // While the caller holds this lock, the C client is not released to a server: if it loses its
  // connection, it waits, and cannot learn what has become of its session.
  [[nodiscard]] std::unique_lock<std::mutex> keep_from_leaving() {
    return std::unique_lock(leaving_);
  }
  // Records why there is no connection.
  void note(std::string_view subject, std::string_view reason);

  // The reply to the mark of release() has arrived; everything that the C client reports from now
  // on happened after it was released. On the C client's completion thread, which keeps events and
  // replies in order.
  void release_confirmed();
  // The handshake of the connection that is reported now was not sent before this time.
  [[nodiscard]] TimePoint handshake_not_before();

 private:
  class News {
   public:
    bool connected = false;
    Gate::Guest session;
    Duration session_timeout{};
    std::optional<std::vector<Server>> servers;
  };

  [[nodiscard]] bool open(void* context);
  [[nodiscard]] std::optional<std::string> try_to_open();
  void take_news();
  void heard_connected(const News& news);
  void arrive();
  void miss_guest();
  void seek();
  void start_round();
  void ask_for_addresses();
  void take_addresses();
  void gather_addresses();
  [[nodiscard]] bool waits_for_addresses() const;
  [[nodiscard]] TimePoint ask_until() const;
  void fail_round();
  void release(const std::optional<Address>& target);
  void leave_a_mark();
  void diagnose();
  void give_up_if_due();
  [[nodiscard]] std::optional<TimePoint> give_up_time() const;
  [[nodiscard]] Duration budget() const;
  [[nodiscard]] Duration patience() const { return timeout_ / 3; }
  [[nodiscard]] Probe::Depth depth() const;
  [[nodiscard]] TimePoint next_step() const;
  void wait();
  void wait_until(TimePoint until, std::vector<pollfd> descriptors);
  void wake() const;

  const Options options_;
  FailureLog& failures_;
  Listener& listener_;
  LogSlot log_;
  Descriptor wake_;
  std::atomic<bool> can_wake_ = false;  // wake_ is made; then it does not change any more.
  std::atomic<bool> stopping_ = false;

  std::mutex leaving_;
  std::mutex mutex_;
  News news_;
  std::deque<TimePoint> released_at_;  // The front: the last one that the C client has confirmed.

  // From here on, only the thread of run() uses the members.
  OsRandom random_;
  Backoff backoff_;
  Gate gate_;
  Gate::Guest guest_;
  CHandleParts parts_;
  zhandle_t* handle_ = nullptr;
  void* context_ = nullptr;
  Duration timeout_;
  TimePoint now_;

  std::vector<Server> servers_;
  std::map<std::string, std::vector<std::string>> known_;  // The latest addresses of every name.
  std::vector<Address> addresses_;
  bool ask_again_ = true;  // The names are to be resolved as soon as no lookup is running.
  TimePoint asked_at_;
  Lookup lookup_;

  bool in_round_ = false;
  bool handed_over_ = false;  // To a target, in this round.
  AddressRotation rotation_;
  std::optional<ProbeRace> race_;
  std::optional<TimePoint> pause_until_;
  TimePoint parked_at_;

  std::optional<Address> target_;  // The address to which the C client was released.
  bool reached_ = false;           // The C client has been connected since.
  std::optional<Address> diagnosed_;
  std::optional<Probe> diagnosis_;
  std::optional<TimePoint> diagnose_at_;
  bool came_back_ = false;  // The C client has returned from the target without a connection.

  std::optional<TimePoint> arrive_by_;  // Until the C client has come to the gate once.
  bool opened_ = false;
  std::optional<TimePoint> lost_at_;
  int failed_rounds_ = 0;
  bool given_up_ = false;
};

}  // namespace lockstep::zookeeper
