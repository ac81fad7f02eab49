#include "lockstep/session.h"

#include "lockstep/internal/check.h"
#include "lockstep/internal/watch_registry.h"
#include "lockstep/session_observer.h"

namespace lockstep {

std::string_view name(SessionState state) {
  switch (state) {
    case SessionState::kConnecting: return "connecting";
    case SessionState::kConnected: return "connected";
    case SessionState::kSuspended: return "suspended";
    case SessionState::kExpired: return "expired";
    case SessionState::kAuthFailed: return "authentication failed";
    case SessionState::kClosed: return "closed";
  }
  return "unknown state";
}

Session::Session(Executor& executor, Random& random, const Path& chroot, SessionState state)
    : executor_(executor), random_(random), state_(state) {
  if (chroot.text().is_null() || chroot.view() == "/") return;
  chroot_ = chroot.text();
}

void Session::set_options(const SessionOptions& options) {
  default_acl_ = options.default_acl;
  packet_limit_ = options.packet_limit;
  fencing_epoch_ = options.fencing_epoch;
}

Session::~Session() {
  internal::check(background_.empty(), "end_background() belongs in the destructor");
}

Operation<Created> Session::create(Path path, Data data, Creation creation, Context context) {
  Request request(OpCode::kCreate, std::move(path));
  request.data = std::move(data);
  request.mode = creation.mode;
  if (!creation.acl.says_nothing() || creation.ttl.count() != 0) {
    request.set_details(RequestDetails(std::move(creation.acl), creation.ttl));
  }
  return {*this, std::move(request), std::move(context)};
}

Operation<void> Session::remove(Path path, std::int32_t version, Context context) {
  Request request(OpCode::kRemove, std::move(path));
  request.version = version;
  return {*this, std::move(request), std::move(context)};
}

Operation<Stat> Session::exists(Path path, Context context) {
  return {*this, Request(OpCode::kExists, std::move(path)), std::move(context)};
}

Operation<Watched<std::optional<Stat>>> Session::exists_watched(Path path, Context context) {
  return {*this, Request(OpCode::kExists, std::move(path)), std::move(context)};
}

Operation<DataAndStat> Session::get_data(Path path, Context context) {
  return {*this, Request(OpCode::kGetData, std::move(path)), std::move(context)};
}

Operation<Watched<DataAndStat>> Session::get_data_watched(Path path, Context context) {
  return {*this, Request(OpCode::kGetData, std::move(path)), std::move(context)};
}

Operation<Stat> Session::set_data(Path path, Data data, std::int32_t version, Context context) {
  Request request(OpCode::kSetData, std::move(path));
  request.data = std::move(data);
  request.version = version;
  return {*this, std::move(request), std::move(context)};
}

Operation<Children> Session::get_children(Path path, Context context) {
  return {*this, Request(OpCode::kGetChildren, std::move(path)), std::move(context)};
}

Operation<Watched<Children>> Session::get_children_watched(Path path, Context context) {
  return {*this, Request(OpCode::kGetChildren, std::move(path)), std::move(context)};
}

Operation<AclAndStat> Session::get_acl(Path path, Context context) {
  return {*this, Request(OpCode::kGetAcl, std::move(path)), std::move(context)};
}

Operation<void> Session::set_acl(Path path, Acl acl, std::int32_t version, Context context) {
  Request request(OpCode::kSetAcl, std::move(path));
  request.set_details(RequestDetails(std::move(acl)));
  request.version = version;
  return {*this, std::move(request), std::move(context)};
}

Operation<void> Session::remove_watch(const Watch& watch, Context context) {
  Request request(OpCode::kCheckWatches, Path());
  request.watch = watch.state_;
  return {*this, std::move(request), std::move(context)};
}

Operation<void> Session::remove_watches(Path path, WatchType type, Context context) {
  Request request(OpCode::kRemoveWatches, std::move(path));
  request.watch_type = type;
  return {*this, std::move(request), std::move(context)};
}

Operation<MultiResults> Session::multi(Transaction transaction, Context context) {
  Request request(OpCode::kMulti, Path());
  request.set_details(RequestDetails(std::move(transaction).take_ops()));
  return {*this, std::move(request), std::move(context)};
}

Operation<void> Session::add_auth(std::string_view scheme, Data credential, Context context) {
  Request request(OpCode::kAddAuth, Path());
  request.set_details(RequestDetails(Text(scheme)));
  request.data = std::move(credential);
  return {*this, std::move(request), std::move(context)};
}

Operation<void> Session::sync(Path path, Context context) {
  return {*this, Request(OpCode::kSync, std::move(path)), std::move(context)};
}

Operation<void> Session::close(Context context) {
  return {*this, Request(OpCode::kClose, Path()), std::move(context)};
}

// A malformed path stays as it is: the backend refuses it.
Path Session::in_chroot(const Path& path) const {
  if (!path.view().starts_with('/')) return path;
  if (path.view().size() == 1) return Path(chroot_);
  return Path(Text(chroot_.view(), path.view()));
}

Path Session::out_of_chroot(const Path& path) const {
  if (path.text() == chroot_) return Path();
  const std::size_t above = chroot_.view().size();
  const bool below = path.view().starts_with(chroot_.view()) && path.view()[above] == '/';
  if (!below) return path;  // The request bypassed the chroot.
  return Path(path.view().substr(above));
}

void Session::put_into_chroot(Request& request) const {
  if (request.outside_chroot) return;
  request.path = in_chroot(request.path);
  if (request.op != OpCode::kMulti) return;
  std::vector<Request> ops(request.ops());
  for (Request& op : ops) {
    if (!op.outside_chroot) op.path = in_chroot(op.path);
  }
  request.set_details(RequestDetails(std::move(ops)));
}

void Session::add_default_acl(Request& request) const {
  const auto complete = [this](Request& asked) {
    const bool open = asked.op == OpCode::kCreate && asked.acl().says_nothing();
    if (open) asked.set_details(RequestDetails(default_acl_, asked.ttl()));
  };
  if (request.op != OpCode::kMulti) return complete(request);
  std::vector<Request> ops(request.ops());
  for (Request& op : ops) complete(op);
  request.set_details(RequestDetails(std::move(ops)));
}

void Session::take_out_of_chroot(Reply& reply) const {
  const auto shorten = [this](Path& path) {
    if (!path.text().is_null()) path = out_of_chroot(path);
  };
  shorten(reply.path);
  if (reply.plain()) return;
  ReplyDetails details = reply.take_details();
  for (OpResult& result : details.results) shorten(result.path);
  reply.set_details(std::move(details));
}

void Session::fire(internal::WatchRegistry& watches, EventType type, const Path& path) {
  if (chroot_.is_null()) return watches.fire(type, path, path);
  watches.fire(type, path, out_of_chroot(path));
}

Error Session::end_error() const {
  internal::check(is_over(state_), "end_error() of a session that is not over");
  if (state_ == SessionState::kExpired) return Error::kSessionExpired;
  if (state_ == SessionState::kAuthFailed) return Error::kAuthFailed;
  return Error::kClosing;
}

void Session::add_listener(SessionListener& listener) noexcept {
  listener.previous_ = nullptr;
  listener.next_ = first_listener_;
  if (first_listener_) first_listener_->previous_ = &listener;
  first_listener_ = &listener;
}

void Session::remove_listener(SessionListener& listener) noexcept {
  if (next_to_tell_ == &listener) next_to_tell_ = listener.next_;
  if (listener.next_) listener.next_->previous_ = listener.previous_;
  if (listener.previous_) {
    listener.previous_->next_ = listener.next_;
  } else {
    first_listener_ = listener.next_;
  }
  listener.next_ = nullptr;
  listener.previous_ = nullptr;
}

void Session::change_state(SessionState state) {
  if (state == state_) return;
  internal::check(!is_over(state_), "a session dies once");
  state_ = state;
  contact_.session_changed();
  if (observer_) observer_->state_changed(*this, state);
  tell_listeners([state](SessionListener& listener) { listener.session_changed(state); });
}

void Session::tell_contact(Contact contact) {
  tell_listeners([contact](SessionListener& listener) { listener.contact_changed(contact); });
}

// A listener may remove itself or the next one, so `next_to_tell_` is a member.
template <class Tell>
void Session::tell_listeners(Tell tell) {
  for (next_to_tell_ = first_listener_; next_to_tell_;) {
    SessionListener& listener = *next_to_tell_;
    next_to_tell_ = listener.next_;
    try {
      tell(listener);
    } catch (...) {
      executor_.escaped(std::current_exception());
    }
  }
}

namespace {

Task<void> with_exceptions_told(Executor& executor, Task<void> task) {
  try {
    co_await std::move(task);
  } catch (...) {
    executor.escaped(std::current_exception());
  }
}

}  // namespace

void Session::in_background(Task<void> task) {
  background_.spawn(with_exceptions_told(executor_, std::move(task)));
}

Connected::Connected(Session& session, Context context)
    : Wait(session.executor(), std::move(context)), session_(session) {
  if (session.state() == SessionState::kConnected) {
    finish();
  } else if (is_over(session.state())) {
    result_ = failure(session.end_error());
    finish();
  } else if (const std::optional<Error> over = already_over()) {
    result_ = failure(*over);
    finish();
  } else {
    session.add_listener(*this);
  }
}

Connected::~Connected() {
  if (!done()) session_.remove_listener(*this);
}

std::optional<Error> Connected::failed() const {
  if (result_) return std::nullopt;
  return result_.error();
}

void Connected::session_changed(SessionState state) {
  if (state != SessionState::kConnected && !is_over(state)) return;
  if (is_over(state)) result_ = failure(session_.end_error());
  session_.remove_listener(*this);
  finish();
}

void Connected::give_up(Error error) {
  session_.remove_listener(*this);
  result_ = failure(error);
}

}  // namespace lockstep
