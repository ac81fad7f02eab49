#pragma once

#include <deque>
#include <optional>

#include "handle.h"
#include "inbox.h"
#include "lockstep/session.h"
#include "lockstep/zookeeper/options.h"
#include "lockstep/zookeeper/runtime.h"
#include "pending_requests.h"
#include "reply_window.h"
#include "watch_registry.h"

namespace lockstep::zookeeper {

// A session on a real ensemble. It is over as soon as close() is called or the server has said so;
// everything pending and every watch fails at that moment, and what the C client still reports is
// ignored. On the runtime's thread only.
class Session final : public lockstep::Session,
                      private Inbox::Receiver,
                      private WatchRegistry::Owner {
 public:
  // Starts opening. The options are well formed.
  Session(Runtime& runtime, const Options& options);
  // Blocks until the C client's threads have ended.
  ~Session() override;

  [[nodiscard]] SessionId id() const override;
  [[nodiscard]] Duration timeout() const override { return session_timeout_; }
  [[nodiscard]] TimePoint last_contact() const override { return last_contact_; }

  [[nodiscard]] const std::optional<Credentials>& credentials() const { return credentials_; }
  // It has ended because no server was found (RetryPolicy).
  [[nodiscard]] bool given_up() const { return given_up_; }
  // Why there is no connection; empty if there is one.
  [[nodiscard]] std::string last_failure() const { return handle_.last_failure(); }
  void set_servers(std::vector<Server> servers) { handle_.set_servers(std::move(servers)); }
  // Ends the session as close() does, with nobody waiting for it.
  void end_by_owner() { end(SessionState::kClosed); }
  // Whether watches whose paths take so many bytes more would not be refused, if all for whom room
  // is set aside take it. (What they watch already counts twice then: the larger sum decides.)
  [[nodiscard]] bool has_room_for(std::size_t watch_bytes) const;
  // For the session's life, or until it is given back.
  void set_room_aside(std::size_t watch_bytes) noexcept { room_set_aside_ += watch_bytes; }
  void give_room_back(std::size_t watch_bytes) noexcept { room_set_aside_ -= watch_bytes; }
  // Nothing is under way, watched, or going on in the background. Ephemerals do not show.
  [[nodiscard]] bool is_idle() const;
  // True once the C client has ended: the destructor will not block.
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

  // Takes watches back that nobody waits for any more, once what has dropped them has run.
  class Sweep final : public Runnable {
   public:
    explicit Sweep(Session& session) : session_(session) {}
    void run() override { session_.remove_abandoned(); }

   private:
    Session& session_;
  };

  void send_first(const AuthInfo& info);
  // A read whose watch would no longer fit into the packet that sets all watches again.
  [[nodiscard]] bool exceeds_watch_limit(const Request& request) const;
  RequestId add_pending(const Request& request, internal::Completion* completion);
  [[nodiscard]] bool can_be_sent(OpCode op, RequestId id) const;
  [[nodiscard]] bool is_fresh() const;
  void send(const Request& request, RequestId id);
  void send_waiting();
  void fail_waiting();
  RequestId ask_server();
  // Of what the server answers behind its answer to the credentials that are on their way.
  void ask_behind_credentials();
  void begin_close(internal::Completion& completion);

  void receive(Message& message) override;
  void on(ReplyMessage& message);
  void on(WatchMessage& event);
  void on(ConnectedMessage& connected);
  void on(SuspendedMessage&) { change_state(SessionState::kSuspended); }
  void on(ExpiredMessage&) { end(SessionState::kExpired); }
  void on(AttemptFailedMessage&);
  void on(GivenUpMessage&);
  void on(AuthFailedMessage&) { end(SessionState::kAuthFailed); }
  void on(ClosedMessage&);

  void on_auth_reply(const ReplyMessage& reply);
  void on_watches_reply(const PendingRequest& request, ReplyMessage& reply);
  // Ends a request for which there is a reply, or a refusal by the C client.
  void answer(const PendingRequest& request, ReplyMessage& reply);
  [[nodiscard]] int send_remove_watch(const Request& request, RequestId id);
  // Fills in what a request to take back one watch asks the server; false if there is no such
  // watch.
  [[nodiscard]] bool find_watch(Request& request) const;
  void abandoned() noexcept override {
    if (!sweep_.queued) runtime_.post(sweep_);
  }
  void remove_abandoned();
  [[nodiscard]] bool may_remove_abandoned() const;
  void end(SessionState state);
  void fail_everything(Error error);
  Runtime& runtime_;
  Inbox inbox_;
  PendingRequests pending_;
  ReplyWindow window_;
  std::deque<Waiting> waiting_;    // Pending too, the youngest of them; in the order of sending.
  RequestId fail_waiting_to_ = 0;  // As soon as what was sent before has been answered.
  bool has_credential_ = false;
  bool authenticating_ = false;  // The server's answer to a credential is on its way.
  RequestId behind_credentials_ = 0;
  const std::size_t watch_limit_;
  std::size_t room_set_aside_ = 0;
  WatchRegistry watches_{*this};
  std::size_t removals_ = 0;  // Of abandoned watches, under way.
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
