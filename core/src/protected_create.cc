#include "lockstep/protected_create.h"

#include "lockstep/guaranteed_remove.h"
#include "lockstep/sequence.h"

namespace lockstep {

namespace {

// Looks for the znode of a create whose reply was lost. kNoNode if the create was never applied.
Task<Result<Created>> find_by_guid(Session& session, Path parent, Text guid, Context context) {
  co_await ok(session.connected(context));
  // The server we talk to now may not have seen the create yet.
  co_await ok(session.sync(parent, context));
  const Children children = co_await ok(session.get_children(parent, context));
  for (const std::string_view name : children) {
    if (!name.starts_with(guid.view())) continue;
    const Path found = parent / name;
    const Stat stat = co_await ok(session.exists(found, context));
    if (stat.ephemeral_owner == session.id()) co_return Created(found, stat);
  }
  co_return failure(Error::kNoNode);
}

Task<Result<Created>> create_or_find(Session& session, Path parent, Text guid, std::string mark,
                                     Data data, Context context) {
  const Path prefix = parent / Text(guid.view(), mark).view();
  for (;;) {
    Result<Created> created =
        co_await session.create(prefix, data, CreateMode::kEphemeralSequential, context);
    while (!created && outcome_unknown(created.error())) {
      created = co_await find_by_guid(session, parent, guid, context);
      if (!created && created.error() == Error::kNoNode) break;
    }
    if (created || created.error() != Error::kNoNode) co_return std::move(created);
    // The parent is missing, or the create was lost on its way: both are mended by starting again.
    co_await ok(ensure_parent(session, parent, context));
  }
}

// Deletes, in the background, what a create may have left behind, unless it is told that the
// caller has got it. A guard, because a coroutine may also be destroyed while it waits.
class Orphan {
 public:
  Orphan(Session& session, Path parent, Text guid)
      : session_(session), parent_(std::move(parent)), guid_(std::move(guid)) {}
  Orphan(const Orphan&) = delete;
  Orphan& operator=(const Orphan&) = delete;
  ~Orphan() {
    if (!adopted_ && !is_over(session_.state())) {
      remove_guaranteed_by_guid(session_, std::move(parent_), std::string(guid_.view()));
    }
  }
  void adopt() { adopted_ = true; }

 private:
  Session& session_;
  Path parent_;
  Text guid_;
  bool adopted_ = false;
};

}  // namespace

Task<Result<void>> ensure_parent(Session& session, Path parent, Context context) {
  for (;;) {
    const Result<Created> created =
        co_await session.create(parent, Data(), CreateMode::kContainer, context);
    if (created || created.error() == Error::kNodeExists) co_return Result<void>();
    if (outcome_unknown(created.error())) {
      co_await ok(session.connected(context));
    } else if (created.error() == Error::kNoNode) {
      co_await ok(ensure_parent(session, parent.parent(), context));
    } else {
      co_return failure(created.error());
    }
  }
}

Task<Result<Created>> protected_create(Session& session, Path parent, std::string mark, Data data,
                                       Context context) {
  const Guid unique(session.random());
  const Text guid("_c_", unique.view());
  Orphan orphan(session, parent, guid);
  Created created =
      co_await ok(create_or_find(session, parent, guid, mark, std::move(data), context));
  const std::optional<std::int32_t> number = sequence_number(created.path.name(), mark);
  if (!number || !keeps_order(*number)) co_return failure(Error::kNodeExists);
  orphan.adopt();
  co_return std::move(created);
}

}  // namespace lockstep
