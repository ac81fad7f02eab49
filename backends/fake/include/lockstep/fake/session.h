#pragma once

#include <cstdint>
#include <vector>

#include "lockstep/clock.h"
#include "lockstep/fakezk/mailbox.h"
#include "lockstep/fakezk/path_table.h"
#include "lockstep/fakezk/world.h"
#include "lockstep/internal/pool_allocator.h"
#include "lockstep/internal/watch_registry.h"
#include "lockstep/request.h"
#include "lockstep/session.h"

namespace lockstep::fake {

// A Session over the simulated world. It behaves as ZooKeeper's C client does: where it keeps
// watches, which of them it sets again after a reconnect, in which order callbacks come when a
// connection is lost. It reconnects at once and by itself; its pings are implied while it is
// connected. The destructor closes it, as the C client's handle does.
class FakeSession final : public Session, private fakezk::Endpoint {
 public:
  // Everything that another client needs to attach to a session (the C client's clientid_t).
  struct Credentials {
    SessionId session = 0;
    std::uint64_t password = 0;
  };

  // The state that a client keeps of a connected session.
  struct Snapshot {
    fakezk::LinkIndex link;
    SessionId session;
    std::uint64_t password;
    Duration requested_timeout;
    Duration negotiated_timeout;
    Zxid last_zxid_seen;
    TimePoint last_contact;
    TimePoint handshake_sent;
  };

  // Opens a new session, or attaches to an existing one. A null chroot, or "/", means none.
  FakeSession(fakezk::Process& process, Duration timeout, const Path& chroot = Path(Text()),
              const SessionOptions& options = {});
  FakeSession(fakezk::Process& process, Duration timeout, const Credentials& attach_to,
              const Path& chroot = Path(Text()), const SessionOptions& options = {});
  // Restores a session that was connected when its world's checkpoint was made.
  FakeSession(fakezk::Process& process, const Snapshot& snapshot,
              const SessionOptions& options = {});
  ~FakeSession() override;

  [[nodiscard]] SessionId id() const override { return id_; }
  [[nodiscard]] Duration timeout() const override { return negotiated_timeout_; }
  [[nodiscard]] TimePoint last_contact() const override { return last_contact_; }

  [[nodiscard]] Credentials credentials() const { return {id_, password_}; }
  // Allowed only on a connected session without a chroot, a watch, a request in flight, or a
  // credential other than those of its options; anything else is misuse.
  [[nodiscard]] Snapshot snapshot() const;
  // The index of this session's connections in the simulated network.
  [[nodiscard]] fakezk::LinkIndex link() const { return link_; }

  // The requests in flight, oldest first, and the watches: for a report of a deadlock.
  struct Waiting {
    std::vector<std::pair<OpCode, Path>> requests;
    std::vector<Path> watches;
  };
  [[nodiscard]] Waiting waiting() const;

 private:
  // A request without a reply yet.
  struct PendingRequest {
    internal::Completion* completion;           // Null once its waiter has gone.
    internal::Ref<internal::WatchState> watch;  // May be null.
    fakezk::PathId path;
    OpCode op;
    WatchType watch_type;
    TimePoint sent;
  };
  using PendingRequests = std::vector<PendingRequest, internal::PoolAllocator<PendingRequest>>;

  void submit(Request&& request, internal::Completion& completion) override;
  void abandon(internal::Completion& completion) noexcept override;
  [[nodiscard]] bool sync_is_implied() const override {
    return handshaken_ && world_.faults().answers_meanwhile(link_);
  }
  [[nodiscard]] bool contact_is_implied() const override {
    return handshaken_ && world_.faults().hears(link_);
  }
  void receive(fakezk::ServerMessage& message) override;
  [[nodiscard]] SessionId session_id() const override { return id_; }

  [[gnu::cold, gnu::noinline]] void refuse(internal::Completion& completion, MultiError why);
  [[gnu::cold, gnu::noinline]] void remember_auth(Request& request);
  // Applies the options of a new session.
  void take_options(const SessionOptions& options);
  void send(Request&& request, fakezk::PathId path);
  void send_unsent();
  void connect();
  void accepted(const fakezk::ServerMessage& message);
  void set_watches();
  inline void replied(fakezk::ServerMessage& message);
  void watch_event(const fakezk::ServerMessage& message);
  void connection_ended(Error error);
  void start_closing(internal::Completion& completion);
  void leave(bool connected);
  void end(SessionState state);
  void fail_pending(Error error);
  // Removes the oldest request that a reply to `op` may answer.
  [[nodiscard]] inline PendingRequest take_pending(OpCode op);
  inline PendingRequest take_pending(PendingRequests::iterator request);
  // Registers or removes the watches that the answered request concerns.
  void update_watches(const PendingRequest& answered, const Reply& reply);
  // A request to remove watches has succeeded.
  void drop_watches(const PendingRequest& answered, const Path& path);

  fakezk::Process& process_;
  fakezk::World& world_;
  Duration requested_timeout_;
  Duration negotiated_timeout_{};
  fakezk::LinkIndex link_;
  SessionId id_ = 0;
  std::uint64_t password_ = 0;
  Zxid last_zxid_seen_ = 0;
  TimePoint last_contact_{};
  TimePoint handshake_sent_{};
  bool handshaken_ = false;
  internal::Completion* closing_ = nullptr;
  internal::Completion* answered_ = nullptr;  // Its reply is being delivered.
  std::vector<Request> auths_;                // Sent again on every connection, the latest first.
  std::size_t auths_of_options_ = 0;  // How many of auths_, from the front, come from the options.
  std::size_t repeated_auths_ = 0;    // How many of those are unanswered on this connection.
  PendingRequests pending_;           // oldest first
  fakezk::Mailbox<fakezk::ClientMessage> unsent_;
  internal::WatchRegistry watches_;
};

}  // namespace lockstep::fake
