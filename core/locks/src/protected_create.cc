#include "lockstep/protected_create.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "lockstep/guaranteed_remove.h"
#include "lockstep/retried.h"
#include "lockstep/sequence.h"

namespace lockstep {

namespace {

// Looks for the znode of a create whose reply was lost. kNoNode if the create was never applied.
// The GUID's text outlives the task.
Task<Result<Created>> find_by_guid(Session& session, Path parent, std::string_view guid,
                                   Context context) {
  co_await ok(session.connected(context));
  // The server we talk to now may not have seen the create yet.
  co_await ok(session.sync(parent, context));
  const Children children = co_await ok(session.get_children(parent, context));
  for (const std::string_view name : children) {
    if (!name.starts_with(guid)) continue;
    const Path found = parent / name;
    const Stat stat = co_await ok(session.exists(found, context));
    if (stat.ephemeral_owner == session.id()) co_return Created(found, stat);
  }
  co_return failure(Error::kNoNode);
}

// The way from the top of the server's tree to a znode, and where on it one is: at first at its
// end.
class Levels {
 public:
  explicit Levels(Path whole) : whole_(std::move(whole)), end_(whole_.view().size()) {
    const auto levels = std::ranges::count(whole_.view(), '/');
    ups_left_ = 4 * static_cast<std::uint32_t>(levels);
  }
  [[nodiscard]] Path current() const {
    return end_ == whole_.view().size() ? whole_ : Path(whole_.view().substr(0, end_));
  }
  // False at the end.
  [[nodiscard]] bool go_down() {
    const bool below = end_ < whole_.view().size();
    if (below) end_ = std::min(whole_.view().find('/', end_ + 1), whole_.view().size());
    return below;
  }
  // False at the top; and when it has gone up and down too often.
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

// A function that is no coroutine: no frame keeps the request.
Operation<Created> create_container(Session& session, Path path, const Acl& acl,
                                    const Context& context) {
  Request request(OpCode::kCreate, std::move(path));
  if (!acl.says_nothing()) request.say(RequestDetails(acl));
  request.mode = CreateMode::kContainer;
  request.outside_chroot = true;
  return {session, std::move(request), Context(context)};
}

}  // namespace

// Goes up until a znode can be created, then down again. A level that was there may have gone when
// the one below it is created: it goes up once more, but not for ever.
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

Placing::Placing(Session& session, const Path& parent, std::string_view mark, const Data& data,
                 Acl acl)
    : session_(session), parent_(parent), mark_(mark), data_(data), acl_(std::move(acl)) {
  const Guid unique(session.random());
  std::memcpy(name_.data(), kBeforeGuid.data(), kBeforeGuid.size());
  std::memcpy(name_.data() + kBeforeGuid.size(), unique.view().data(), Guid::kLength);
}

Operation<Created> Placing::attempt(const Context& context) const {
  const std::string_view above = parent_.view() == "/" ? std::string_view() : parent_.view();
  const std::string_view name(name_.data(), name_.size());
  return session_.create(Path(Text(above, name, mark_)), data_,
                         Creation(CreateMode::kEphemeralSequential, acl_), context);
}

bool Placing::settled(Result<Created>& created) {
  if (!created) [[unlikely]] {
    return created.error() != Error::kNoNode && !is_transient(created.error());
  }
  // The number is at the end of the path.
  const std::optional<std::int32_t> number = sequence_number(created->path.view(), mark_);
  ours_ = number && keeps_order(*number);
  if (!ours_) [[unlikely]] {
    created = failure(Error::kNodeExists);
  }
  return true;
}

Task<void> Placing::go_on(Result<Created>& created, const Context& context) {
  Retry retry(session_);
  // Whether a create of ours may have been applied: it is looked for until that is known.
  bool lost = false;
  do {
    lost = lost || outcome_unknown(created);
    Result<void> ready;
    if (created.error() == Error::kThrottledOp) {
      ready = co_await retry.after(created.error(), context);
    } else if (!lost) {
      // The parent is missing, or the create was lost on its way: both are mended by starting
      // again.
      ready = co_await ensure_parent(session_, parent_, context, acl_);
    }
    if (!ready) {
      created = failure(ready.error());
      co_return;
    }
    if (lost) {
      created = co_await find_by_guid(session_, parent_, guid(), context);
      lost = is_transient(created);
    } else {
      created = co_await attempt(context);
    }
  } while (!settled(created));
}

void Placing::remove_orphan() const {
  if (is_over(session_.state())) return;
  remove_guaranteed_by_guid(session_, parent_, std::string(guid()));
}

Task<Result<Created>> take_place(Session& session, const Path& parent, std::string_view mark,
                                 const Data& data, const Acl& acl, const Context& context) {
  Placing placing(session, parent, mark, data, acl);
  Result<Created> created = co_await placing.attempt(context);
  if (!placing.settled(created)) co_await placing.go_on(created, context);
  co_return std::move(created);
}

Task<Result<Created>> protected_create(Session& session, Path parent, std::string mark, Data data,
                                       Context context) {
  const Acl acl;
  co_return co_await take_place(session, parent, mark, data, acl, context);
}

}  // namespace lockstep
