#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "lockstep/acl.h"
#include "lockstep/children.h"
#include "lockstep/context.h"
#include "lockstep/create_mode.h"
#include "lockstep/data.h"
#include "lockstep/executor.h"
#include "lockstep/fencing.h"
#include "lockstep/internal/kept_contact.h"
#include "lockstep/internal/wait.h"
#include "lockstep/operation.h"
#include "lockstep/path.h"
#include "lockstep/random.h"
#include "lockstep/request.h"
#include "lockstep/result.h"
#include "lockstep/session_options.h"
#include "lockstep/stat.h"
#include "lockstep/task_set.h"
#include "lockstep/transaction.h"
#include "lockstep/watch.h"

namespace lockstep {

// The states of a session's one life. Only kConnecting, kConnected and kSuspended may be left.
enum class SessionState : std::uint8_t {
  kConnecting,  // Never connected yet.
  kConnected,
  kSuspended,  // The connection is lost; the session may live or may be expired already.
  kExpired,    // The server said so, or the client gave it up (RetryPolicy, or for want of memory).
  kAuthFailed,
  kClosed,  // By us.
};

[[nodiscard]] std::string_view name(SessionState state);
[[nodiscard]] constexpr bool is_over(SessionState state) { return state >= SessionState::kExpired; }

// Hears every change of a session's state, on the session's executor, before any operation that
// fails because of it resolves. It may register and drop listeners, but must not wait. An exception
// goes to Executor::escaped; the others hear of the change all the same.
class SessionListener {
 public:
  SessionListener() = default;
  SessionListener(const SessionListener&) = delete;
  SessionListener& operator=(const SessionListener&) = delete;
  // The session is in that state from now on.
  virtual void session_changed(SessionState state) = 0;
  // Session::contact() has changed, as long as a holder keeps the contact.
  virtual void contact_changed(Contact) {}

 protected:
  ~SessionListener() = default;

 private:
  friend class Session;
  SessionListener* next_ = nullptr;
  SessionListener* previous_ = nullptr;
};

class Connected;
class SessionObserver;

// START HERE: the seam. One ZooKeeper session: it is opened by a backend, may lose its connection
// and get it back, and dies once. Recipes see this class and nothing else of ZooKeeper.
//
// Requests of one session are applied and answered in the order in which they were made, and a
// watch event comes before any reply that shows what it reports (ZooKeeper Programmer's Guide,
// "Consistency Guarantees"). Every operation resolves exactly once:
//   kConnectionLoss, kOperationTimeout   it may or may not have been applied (outcome_unknown)
//   kSessionExpired, kAuthFailed, kClosing, kInvalidState   the session is over (session_is_over)
//   kTimedOut, kCancelled   the Context ended first; a request that was sent may still be applied
//   kBadArguments   a malformed path, refused by the client or by the server
//   kWatchLimit   a read that leaves a watch, of a session that has too many bytes of them already:
//                 refused by the client, because their paths must fit into one packet at a
//                 reconnect
//   kNoAuth   the znode's ACL (for create and remove its parent's) does not allow it
//   kPacketTooLarge   it is longer than packet_limit(), and was not sent
//   kThrottledOp   the server had too much to do, and has not executed it
// and the errors named at each operation.
//
// Everything happens on executor(); calls from elsewhere are misuse. A session outlives its
// operations, watches, listeners and grants.
class Session {
 public:
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  virtual ~Session();

  // Creates a znode. `creation` is a CreateMode, or one with an ACL or a time to live. Without an
  // ACL the znode gets default_acl(), in a multi too. Errors: kNodeExists, kNoNode (parent),
  // kNoChildrenForEphemerals, kInvalidAcl; kUnimplemented if the server offers no time to live.
  Operation<Created> create(Path path, Data data, Creation creation, Context context = {});
  // Deletes a znode if its version matches (-1: any). Errors: kNoNode, kBadVersion, kNotEmpty.
  Operation<void> remove(Path path, std::int32_t version = -1, Context context = {});
  // Errors: kNoNode.
  Operation<Stat> exists(Path path, Context context = {});
  // Always leaves a watch: if the znode is not there, one for its creation.
  Operation<Watched<std::optional<Stat>>> exists_watched(Path path, Context context = {});
  // Errors: kNoNode.
  Operation<DataAndStat> get_data(Path path, Context context = {});
  // On kNoNode no watch is left.
  Operation<Watched<DataAndStat>> get_data_watched(Path path, Context context = {});
  // Errors: kNoNode, kBadVersion.
  Operation<Stat> set_data(Path path, Data data, std::int32_t version = -1, Context context = {});
  // Errors: kNoNode.
  Operation<Children> get_children(Path path, Context context = {});
  Operation<Watched<Children>> get_children_watched(Path path, Context context = {});
  // A digest in an ACL is shown as "user:x" to those who may not change it. Errors: kNoNode.
  Operation<AclAndStat> get_acl(Path path, Context context = {});
  // Needs the ACL's version (Stat::aversion; -1: any). Errors: kInvalidAcl, kNoNode, kBadVersion.
  Operation<void> set_acl(Path path, Acl acl, std::int32_t version = -1, Context context = {});
  // Applies all operations or none. Errors: that of the operation that failed, with its index.
  Operation<MultiResults> multi(Transaction transaction, Context context = {});
  // Takes back one watch of this session, which resolves with kNoWatcher. The server is asked
  // whether the session watches that znode, and keeps its entry: a late event is ignored. Errors:
  // kNoWatcher if the watch has fired, or neither side knows of it.
  Operation<void> remove_watch(const Watch& watch, Context context = {});
  // Takes back all watches of a type that this session has left on a znode, here and at the server;
  // they resolve with kNoWatcher. Errors: kNoWatcher if the server knows of none.
  Operation<void> remove_watches(Path path, WatchType type = WatchType::kAny, Context context = {});
  // Authenticates this session's connections, this one and later ones: with the scheme "digest" as
  // "user:password". If the server rejects it, the session ends with kAuthFailed.
  Operation<void> add_auth(std::string_view scheme, Data credential, Context context = {});
  // Afterwards this session's reads show everything that was committed when sync was sent.
  Operation<void> sync(Path path, Context context = {});
  // Ends the session: its ephemerals go, everything pending fails with kClosing.
  Operation<void> close(Context context = {});

  // Waits until the session is connected (at once if it is), or its life is over: kSessionExpired,
  // kAuthFailed, kClosing.
  [[nodiscard]] Connected connected(Context context = {});

  [[nodiscard]] SessionState state() const noexcept { return state_; }
  // The error that operations of a session in this state fail with; only if is_over(state()).
  [[nodiscard]] Error end_error() const;
  // A listener hears of changes from now on, and outlives its registration.
  void add_listener(SessionListener& listener) noexcept;
  void remove_listener(SessionListener& listener) noexcept;
  // The observer hears of every request from now on; null: there is none.
  void set_observer(SessionObserver* observer) noexcept { observer_ = observer; }
  [[nodiscard]] SessionObserver* observer() const noexcept { return observer_; }

  // See SessionOptions.
  [[nodiscard]] const Acl& default_acl() const noexcept { return default_acl_; }
  [[nodiscard]] std::size_t packet_limit() const noexcept { return packet_limit_; }
  // The fencing token of a grant whose znode was created by that transaction: see fencing_token().
  [[nodiscard]] Zxid fencing_token(Zxid czxid) const {
    return lockstep::fencing_token(fencing_epoch_, czxid);
  }

  // The path of this session's znode on the server: with its chroot, if it has one. Needed for
  // znodes above the chroot (Request::outside_chroot), and shown to people.
  [[nodiscard]] Path on_server(const Path& path) const {
    return chroot_.is_null() ? path : in_chroot(path);
  }

  // 0 until first connected.
  [[nodiscard]] virtual SessionId id() const = 0;
  // As negotiated with the server; zero until first connected.
  [[nodiscard]] virtual Duration timeout() const = 0;
  // The last instant at which the server was heard on this session.
  [[nodiscard]] virtual TimePoint last_contact() const = 0;

  // The server cannot expire the session before then, as long as clocks drift by less than one part
  // in ContactProof::kDriftParts and the process runs; none before the first connection, or if the
  // backend tells of no contact. Fresh for as long as a holder keeps the contact.
  [[nodiscard]] std::optional<TimePoint> valid_until() const {
    return contact_.proof().valid_until();
  }
  // The contact as listeners heard it last; and whether its proof is over by now, while a
  // ContactKeeper lives.
  [[nodiscard]] Contact contact() const { return contact_.contact(); }
  [[nodiscard]] bool contact_is_over() const { return contact_.is_over(); }

  [[nodiscard]] Executor& executor() const noexcept { return executor_; }
  [[nodiscard]] Random& random() const noexcept { return random_; }

  // Runs a task that has no waiter, such as a cleanup, until it ends or the session is destroyed.
  // It starts at once. Its exception goes to Executor::escaped. It must not destroy the session.
  void in_background(Task<void> task);
  // For start(), in callback.h: neither throws. `callback` may destroy the session.
  void in_background(Task<void> task, std::unique_ptr<internal::Callback> callback) {
    background_.spawn(std::move(task), std::move(callback));
  }
  [[nodiscard]] const TaskSet& background() const noexcept { return background_; }

 protected:
  // With a chroot other than "/", all paths of this session are below that znode, which need not
  // exist (ZooKeeper Programmer's Guide, "ZooKeeper Sessions"): no client creates it, a recipe does
  // (ensure_parent). This class adds the chroot to the paths, not the C client, which would turn
  // some malformed paths into others.
  Session(Executor& executor, Random& random, const Path& chroot,
          SessionState state = SessionState::kConnecting);

  // For backends, before the session is used. The credentials are the backend's business.
  void set_options(const SessionOptions& options);

  // For backends and decorators. Takes over a request and sends it; the reply goes to `completion`,
  // once. A refusal by the client itself may complete before this returns.
  virtual void submit(Request&& request, internal::Completion& completion) = 0;
  // The completion must not be called any more. A request that has not been sent is withdrawn; any
  // other goes on.
  virtual void abandon(internal::Completion& completion) noexcept = 0;

  // Tells the listeners.
  void change_state(SessionState state);
  // Backends report contact with the server here, by the clock of executor(): a handshake that was
  // sent at `sent` or later has negotiated that timeout (before the state changes); a request that
  // was sent at `sent` has been answered (before it is completed). `ordered`: the leader has
  // ordered it (is_ordered()).
  void contact_opened(TimePoint sent, Duration session_timeout) {
    contact_.opened(sent, session_timeout);
  }
  void contact_answered(TimePoint sent, bool ordered) { contact_.answered(sent, ordered); }
  // Whether a sync that is sent now would be answered at once, and whether regular syncs up to now
  // would have been, so that none has to be sent. For a backend in which time can pass without
  // messages.
  [[nodiscard]] virtual bool sync_is_implied() const { return false; }
  [[nodiscard]] virtual bool contact_is_implied() const { return false; }
  // Keeps the proof fresh also when there is no grant.
  void keep_contact_always() { contact_.keep_always(); }
  // Fires the watches that an event concerns. The path is the server's.
  void fire(internal::WatchRegistry& watches, EventType type, const Path& path);
  // A backend's destructor calls this first: what runs in the background uses the backend.
  void end_background() noexcept {
    if (!background_.empty()) background_.clear();
  }

 private:
  friend class internal::OperationBase;
  friend class internal::KeptContact;
  friend class ContactKeeper;

  template <class Tell>
  void tell_listeners(Tell tell);
  void tell_contact(Contact contact);
  void put_into_chroot(Request& request) const;
  void add_default_acl(Request& request) const;
  void take_out_of_chroot(Reply& reply) const;
  [[nodiscard]] Path in_chroot(const Path& path) const;
  [[nodiscard]] Path out_of_chroot(const Path& path) const;

  Executor& executor_;
  Random& random_;
  SessionListener* first_listener_ = nullptr;
  SessionListener* next_to_tell_ = nullptr;
  SessionObserver* observer_ = nullptr;
  SessionState state_;
  std::int32_t fencing_epoch_ = 0;
  Text chroot_;  // Null: none.
  Acl default_acl_;
  std::size_t packet_limit_ = SessionOptions::kUsualPacketLimit;
  TaskSet background_;
  internal::KeptContact contact_{*this};
};

// While one of these lives, one `sync` in each sixth of the session timeout renews the proof of
// contact, however many there are, unless the leader has ordered other requests of this session;
// and listeners hear of changes. The first one finds a proof, because the real backend always keeps
// its contact, and the fake counts it as kept while the connection is sound. Only if this process
// has not run, or its server was out of reach, for as long as the session timeout, the contact is
// kOver until the server has answered again for a quarter of that time. The session must outlive
// it.
class [[nodiscard]] ContactKeeper {
 public:
  explicit ContactKeeper(Session& session) : contact_(session.contact_) { contact_.keep(); }
  ContactKeeper(const ContactKeeper&) = delete;
  ContactKeeper& operator=(const ContactKeeper&) = delete;
  ~ContactKeeper() { contact_.release(); }

 private:
  internal::KeptContact& contact_;
};

// The wait of Session::connected().
class [[nodiscard]] Connected final : public internal::Wait, private SessionListener {
 public:
  Connected(Session& session, Context context);
  ~Connected() override;
  [[nodiscard]] Result<void> await_resume() const { return result_; }
  [[nodiscard]] std::optional<Error> failed() const override;
  [[nodiscard]] Error error() const { return result_.error(); }

 private:
  void session_changed(SessionState state) override;
  void give_up(Error error) override;

  Session& session_;
  Result<void> result_;
};

inline Connected Session::connected(Context context) { return {*this, std::move(context)}; }

inline internal::OperationBase::OperationBase(Session& session, OpCode op, Context&& context)
    : Wait(session.executor(), std::move(context)), session_(session), op_(op) {}

inline Watch internal::OperationBase::watch_of(Request& request) const {
  request.watched = true;
  request.watch = Ref<WatchState>::make();
  return {session_.executor(), request.watch};
}

}  // namespace lockstep
