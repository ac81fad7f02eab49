#include "lockstep/protected_create.h"

#include <array>
#include <cstring>

#include "lockstep/guaranteed_remove.h"
#include "lockstep/retried.h"
#include "lockstep/sequence.h"

namespace lockstep {

namespace {

// Where a contender's znode is to stand, but for its number: "<parent>/_c_<guid><mark>".
class Prefix {
 public:
  Prefix(Random& random, const Path& parent, std::string_view mark)
      : path(with_guid(Guid(random), parent, mark)),
        guid(path.view().substr(path.view().size() - mark.size() - kGuidLength, kGuidLength)) {}

  Path path;
  std::string_view guid;  // With the "_c_" in front of it: no other znode's name begins like that.

 private:
  static constexpr std::string_view kBeforeGuid = "/_c_";
  static constexpr std::size_t kGuidLength = kBeforeGuid.size() - 1 + Guid::kLength;

  static Path with_guid(const Guid& unique, const Path& parent, std::string_view mark) {
    std::array<char, kBeforeGuid.size() + Guid::kLength> name;
    std::memcpy(name.data(), kBeforeGuid.data(), kBeforeGuid.size());
    std::memcpy(name.data() + kBeforeGuid.size(), unique.view().data(), Guid::kLength);
    const std::string_view above = parent.view() == "/" ? std::string_view() : parent.view();
    return Path(Text(above, {name.data(), name.size()}, mark));
  }
};

// The request itself, as a function that is no coroutine: no frame keeps what its arguments are
// made of.
Operation<Created> create(Session& session, const Path& path, const Data& data,
                          const Context& context) {
  return session.create(path, data, CreateMode::kEphemeralSequential, context);
}

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

// Deletes, in the background, what a create may have left behind, unless it is told that the
// caller has got it. A guard, because a coroutine may also be destroyed while it waits.
class Orphan {
 public:
  // Of what outlives it.
  Orphan(Session& session, const Path& parent, std::string_view guid)
      : session_(session), parent_(parent), guid_(guid) {}
  Orphan(const Orphan&) = delete;
  Orphan& operator=(const Orphan&) = delete;
  ~Orphan() {
    if (!adopted_ && !is_over(session_.state())) {
      remove_guaranteed_by_guid(session_, parent_, std::string(guid_));
    }
  }
  void adopt() { adopted_ = true; }

 private:
  Session& session_;
  const Path& parent_;
  std::string_view guid_;
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

Task<Result<Created>> take_place(Session& session, const Path& parent, std::string_view mark,
                                 const Data& data, const Context& context) {
  const Prefix prefix(session.random(), parent, mark);
  Orphan orphan(session, parent, prefix.guid);
  for (;;) {
    Result<Created> created = co_await create(session, prefix.path, data, context);
    while (outcome_unknown(created)) {
      created = co_await find_by_guid(session, parent, prefix.guid, context);
      if (!created && created.error() == Error::kNoNode) break;
    }
    if (created) {
      // The number is at the end of the path.
      const std::optional<std::int32_t> number = sequence_number(created->path.view(), mark);
      if (!number || !keeps_order(*number)) co_return failure(Error::kNodeExists);
      orphan.adopt();
      co_return std::move(created);
    }
    if (created.error() != Error::kNoNode) co_return std::move(created);
    // The parent is missing, or the create was lost on its way: both are mended by starting again.
    co_await ok(ensure_parent(session, parent, context));
  }
}

Task<Result<Created>> protected_create(Session& session, Path parent, std::string mark, Data data,
                                       Context context) {
  co_return co_await take_place(session, parent, mark, data, context);
}

}  // namespace lockstep
