#include "lockstep/take_place.h"

#include <algorithm>
#include <string>
#include <utility>

#include "lockstep/guaranteed_remove.h"
#include "lockstep/place.h"
#include "lockstep/random.h"
#include "lockstep/retried.h"
#include "lockstep/sequence.h"

namespace lockstep {

namespace {

// Looks for the znode of a create whose reply was lost, by the beginning of its name. kNoNode if
// the create was never applied.
Task<Result<Created>> find_by_guid(Session& session, Path parent, std::string begin,
                                   Context context) {
  co_await ok(session.connected(context));
  // The server we talk to now may not have seen the create yet.
  co_await ok(session.sync(parent, context));
  const Children children = co_await ok(session.get_children(parent, context));
  for (const std::string_view name : children) {
    if (!name.starts_with(begin)) continue;
    const Path found = parent / name;
    const Stat stat = co_await ok(session.exists(found, context));
    if (stat.ephemeral_owner == session.id()) co_return Created(found, stat);
  }
  co_return failure(Error::kNoNode);
}

// A cursor over a znode and its ancestors in the server's tree; it begins at the znode.
class Levels {
 public:
  explicit Levels(Path whole) : whole_(std::move(whole)), end_(whole_.view().size()) {
    const auto levels = std::ranges::count(whole_.view(), '/');
    ups_left_ = 4 * static_cast<std::uint32_t>(levels);
  }
  [[nodiscard]] Path current() const {
    return end_ == whole_.view().size() ? whole_ : Path(whole_.view().substr(0, end_));
  }
  // False at the znode.
  [[nodiscard]] bool go_down() {
    const bool below = end_ < whole_.view().size();
    if (below) end_ = std::min(whole_.view().find('/', end_ + 1), whole_.view().size());
    return below;
  }
  // False at the top, or after too many ups and downs.
  [[nodiscard]] bool go_up() {
    const std::size_t slash = whole_.view().substr(0, end_).rfind('/');
    const bool above = slash != std::string_view::npos && slash > 0 && ups_left_ > 0;
    if (above) end_ = slash;
    if (above) --ups_left_;
    return above;
  }

 private:
  Path whole_;
  std::size_t end_;
  std::uint32_t ups_left_;
};

// Not a coroutine, so that no frame keeps the request.
Operation<Created> create_container(Session& session, Path path, const Acl& acl,
                                    const Context& context) {
  Request request(OpCode::kCreate, std::move(path));
  if (!acl.says_nothing()) request.set_details(RequestDetails(acl));
  request.mode = CreateMode::kContainer;
  request.outside_chroot = true;
  return {session, std::move(request), Context(context)};
}

// The creates of one take_place(). Unless they end with a znode of ours, what they may have created
// is deleted in the background. The session and the paths outlive the object.
class Attempts {
 public:
  Attempts(Session& session, const Path& parent, std::string_view mark,
           internal::CleanupEnd end = internal::CleanupEnd())
      : session_(session),
        parent_(parent),
        mark_(mark),
        guid_(session.random()),
        end_(std::move(end)) {}
  Attempts(const Attempts&) = delete;
  Attempts& operator=(const Attempts&) = delete;
  ~Attempts() {
    if (sent_ && !ours_) remove_orphan();
  }

  // The beginning of the znode's name, which no other znode shares.
  [[nodiscard]] std::string name() const { return "_c_" + std::string(guid_.view()); }
  [[nodiscard]] Operation<Created> create(const Data& data, const Acl& acl,
                                          const Context& context) const {
    return session_.create(znode(), data, Creation(CreateMode::kEphemeralSequential, acl), context);
  }
  // Called after each create(): a context that has ended before sends nothing.
  void made(const Operation<Created>& create) { sent_ = sent_ || !create.done(); }
  // Whether no further attempt is needed: the znode is ours, and the caller's from here on, or the
  // error is final.
  [[nodiscard]] bool settle(Result<Created>& created) {
    if (!created) {
      lost_ = lost_ || (sent_ && may_be_applied(created.error()));
      sent_ = lost_;
      return created.error() != Error::kNoNode && !is_transient(created.error());
    }
    // The number is at the end of the path.
    const std::optional<std::int32_t> number = sequence_number(created->path.view(), mark_);
    ours_ = number && keeps_order(*number);
    if (!ours_) created = failure(Error::kNodeExists);
    return true;
  }

  // Goes with the znode.
  [[nodiscard]] internal::CleanupEnd end() { return std::move(end_); }

 private:
  // An empty path is malformed; with a name below it, it would mean the root.
  [[nodiscard]] Path znode() const {
    if (parent_.view().empty()) return parent_;
    const std::string_view above = parent_.view() == "/" ? std::string_view() : parent_.view();
    return Path(Text({above, "/_c_", guid_.view(), mark_}));
  }
  void remove_orphan() {
    if (is_over(session_.state())) return;
    remove_guaranteed_by_guid(session_, parent_, name(), std::move(end_));
  }

  Session& session_;
  const Path& parent_;
  std::string_view mark_;
  Guid guid_;
  bool ours_ = false;
  bool sent_ = false;  // A create may have been applied, or may be yet.
  bool lost_ = false;  // Its outcome has remained unknown.
  internal::CleanupEnd end_;
};

}  // namespace

// Goes up until a znode can be created, then down again. If an ancestor has gone when the level
// below it is created, it goes up once more, but not forever.
Task<Result<void>> ensure_parent(Session& session, Path parent, Context context, Acl acl) {
  Levels levels(session.on_server(parent));
  Retry retry(session);
  for (;;) {
    const Result<Created> created =
        co_await create_container(session, levels.current(), acl, context);
    if (created || created.error() == Error::kNodeExists) {
      if (!levels.go_down()) co_return Result<void>();
    } else if (is_transient(created.error())) {
      co_await ok(retry.after(created.error(), context));
    } else if (created.error() != Error::kNoNode || !levels.go_up()) {
      co_return failure(created.error());
    }
  }
}

namespace {

// The attempts after the first, whose unsettled result is `created`. All arguments outlive the
// task.
Task<Result<Created>> try_again(Attempts& attempts, Result<Created>& created, Session& session,
                                const Path& parent, const Data& data, const Acl& acl,
                                const Context& context) {
  Retry retry(session);
  // A create of ours may have been applied: look for its znode until that is known.
  bool lost = false;
  bool was_search = false;
  do {
    lost = lost || outcome_unknown(created);
    if (created.error() == Error::kThrottledOp) {
      co_await ok(retry.after(created.error(), context));
    } else if (!lost && !was_search) {
      // The parent is missing. Where it may be there, it is not created: that may be forbidden.
      co_await ok(ensure_parent(session, parent, context, acl));
    }
    was_search = lost;
    if (lost) {
      created = co_await find_by_guid(session, parent, attempts.name(), context);
      lost = is_transient(created);
    } else {
      Operation<Created> create = attempts.create(data, acl, context);
      attempts.made(create);
      created = co_await create;
    }
  } while (!attempts.settle(created));
  co_return std::move(created);
}

}  // namespace

Task<Result<Created>> take_place(Session& session, const Path& parent, std::string_view mark,
                                 const Data& data, const Acl& acl, const Context& context) {
  Attempts attempts(session, parent, mark);
  Operation<Created> first = attempts.create(data, acl, context);
  attempts.made(first);
  Result<Created> created = co_await first;
  if (!attempts.settle(created)) {
    created = co_await try_again(attempts, created, session, parent, data, acl, context);
  }
  co_return std::move(created);
}

void warn_of_numbers(LockObserver* observer, const Path& lock, const Path& znode) {
  if (!observer) return;
  // Whatever the mark is, the number stands at the end.
  const std::optional<std::int32_t> number = sequence_number(znode.view(), std::string_view());
  if (number && runs_out(*number)) observer->numbers_run_out(lock, *number);
}

Task<Result<Arrival>> take_place_and_list(Session& session, const Path& parent,
                                          std::string_view mark, const Data& data, const Acl& acl,
                                          const Context& context, internal::CleanupEnd end) {
  Attempts attempts(session, parent, mark, std::move(end));
  Operation<Created> first = attempts.create(data, acl, context);
  attempts.made(first);
  Operation<Children> list = session.get_children(parent, context);
  Result<Created> created = co_await first;
  const bool at_once = attempts.settle(created);
  if (!at_once) {
    created = co_await try_again(attempts, created, session, parent, data, acl, context);
  }
  if (!created) co_return failure(created.error());
  Place place(session, std::move(created->path), nullptr, attempts.end());
  std::optional<Result<Children>> listed;
  if (at_once) listed = co_await list;
  co_return Arrival(place.granted(), created->stat.czxid, std::move(listed), place.end());
}

}  // namespace lockstep
