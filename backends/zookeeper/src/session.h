#pragma once

#include <deque>
#include <optional>

#include "handle.h"
#include "inbox.h"
#include "lockstep/internal/watch_registry.h"
#include "lockstep/session.h"
#include "lockstep/zookeeper/options.h"
#include "lockstep/zookeeper/runtime.h"
#include "pending_requests.h"
#include "reply_window.h"

namespace lockstep::zookeeper {

// A session on a real ensemble. It is over as soon as close() is called or the server reports its
// end; at that moment all pending requests and watches fail, and later reports of the C client are
// ignored. On the runtime's thread only.
class Session final : public lockstep::Session,
                      private Inbox::Receiver,
                      private internal::WatchRegistry::Owner {
 public:
  // Starts opening. The options are valid.
  Session(Runtime& runtime, const Options& options);
  // Blocks until the C client's threads have ended.
  ~Session() override;

  [[nodiscard]] SessionId id() const override;
  [[nodiscard]] Duration timeout() const override { return session_timeout_; }
  [[nodiscard]] TimePoint last_contact() const override { return last_contact_; }

  [[nodiscard]] const std::optional<Credentials>& credentials() const { return credentials_; }
  // Whether the client has ended it: no server was found (RetryPolicy), or memory was used up.
  [[nodiscard]] bool given_up() const { return given_up_; }
  // Why there is no connection; empty if there is one.
  [[nodiscard]] std::string last_failure() const { return handle_.last_failure(); }
  void set_servers(std::vector<Server> servers) { handle_.set_servers(std::move(servers)); }
  // Ends the session like close(), but no caller waits.
  void end_by_owner() { end(SessionState::kClosed, true); }
  // Whether watches whose paths take this many more bytes would fit even if all reserved room is
  // used. (Paths that are already watched then count twice: the larger sum decides.)
  [[nodiscard]] bool has_room_for(std::size_t watch_bytes) const;
  // Reserves room until give_room_back() or the end of the session.
  void set_room_aside(std::size_t watch_bytes) noexcept { room_set_aside_ += watch_bytes; }
  void give_room_back(std::size_t watch_bytes) noexcept { room_set_aside_ -= watch_bytes; }
  // No request is in flight, nothing is watched, and no background work runs. Ignores ephemerals.
  [[nodiscard]] bool is_idle() const;
  // True once the C client has ended: then the destructor does not block.
  [[nodiscard]] bool handle_closed() const { return handle_closed_; }

 private:
  void submit(Request&& request, internal::Completion& completion) override;
  void abandon(internal::Completion& completion) noexcept override;
  // A request that the C client must not see yet.
  class Waiting {
   public:
    Waiting(RequestId request_id, Request to_send) : id(request_id), request(std::move(to_send)) {}
    RequestId id;
    Request request;
  };

  // Removes abandoned watches, after the code that dropped them has returned.
  class Sweep final : public Runnable {
   public:
    explicit Sweep(Session& session) : session_(session) {}
    void run() override { session_.remove_abandoned(); }

   private:
    Session& session_;
  };

  void send_first(const AuthInfo& info);
  // Whether the read's watch would no longer fit into the packet that sets all watches again.
  [[nodiscard]] bool exceeds_watch_limit(const Request& request) const;
  // Takes over the request's watch. An exception changes nothing else.
  RequestId add_pending(Request& request, internal::Completion* completion);
  [[nodiscard]] bool can_be_sent(OpCode op, RequestId id) const;
  [[nodiscard]] bool is_fresh() const;
  // False: between two connections the C client does not take such a request, which has to wait.
  [[nodiscard]] bool send(const Request& request, RequestId id);
  // Forgets a request that the C client has not seen, without an answer.
  void withdraw(RequestId id) noexcept;
  void send_waiting();
  void fail_waiting();
  RequestId ask_server();
  // Sends a request that the server answers after the credentials in flight.
  void ask_after_credentials();
  void begin_close(internal::Completion& completion);

  void receive(Message& message) override;
  void give_up_without_memory();
  void on(ReplyMessage& message);
  void on(WatchMessage& event);
  void on(ConnectedMessage& connected);
  void on(SuspendedMessage&) { change_state(SessionState::kSuspended); }
  void on(ExpiredMessage&) { end(SessionState::kExpired); }
  void on(AttemptFailedMessage&);
  void on(GivenUpMessage&);
  void on(AuthFailedMessage&) { end(SessionState::kAuthFailed); }
  void on(ClosedMessage&);

  void suspend_after(Error error);
  // Registers the watch of an answered read if the C client registers it.
  void register_watch(const PendingRequest& read, int rc);
  void on_watches_reply(const PendingRequest& request, ReplyMessage& reply);
  // Ends a request with its reply, or with the C client's refusal.
  void tell_listeners(const ReplyMessage& reply);
  void answer(const PendingRequest& request, ReplyMessage& reply);
  [[nodiscard]] int send_remove_watch(const Request& request, RequestId id);
  void abandoned() noexcept override {
    if (!sweep_.queued) runtime_.post(sweep_);
  }
  void remove_abandoned();
  [[nodiscard]] bool may_remove_abandoned() const;
  // `at_server`: the server does not know of the end.
  void end(SessionState state, bool at_server = false);
  void fail_everything(Error error);
  Runtime& runtime_;
  Inbox inbox_;
  PendingRequests pending_;
  ReplyWindow window_;
  // The youngest of pending_, in the order of sending. Those up to fail_waiting_to_ fail once all
  // earlier requests have been answered.
  std::deque<Waiting> waiting_;
  RequestId fail_waiting_to_ = 0;
  bool has_credential_ = false;
  bool authenticating_ = false;  // The server has yet to answer a credential.
  RequestId after_credentials_ = 0;
  const std::size_t watch_limit_;
  std::size_t room_set_aside_ = 0;
  internal::WatchRegistry watches_{*this};
  std::size_t removals_ = 0;  // In flight, for abandoned watches.
  Sweep sweep_{*this};
  internal::Completion* closing_ = nullptr;
  bool handle_closed_ = false;
  bool given_up_ = false;

  std::optional<Credentials> credentials_;
  Duration session_timeout_{};
  TimePoint last_contact_{};

  Handle handle_;  // Last: it pushes into the inbox.
};

}  // namespace lockstep::zookeeper
