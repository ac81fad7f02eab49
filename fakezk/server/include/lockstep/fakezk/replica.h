#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "lockstep/fakezk/access.h"
#include "lockstep/fakezk/history.h"
#include "lockstep/fakezk/message.h"
#include "lockstep/fakezk/unspecified.h"
#include "lockstep/fakezk/watch_table.h"
#include "lockstep/fakezk/znode_tree.h"

namespace lockstep::fakezk {

// One server's copy of the tree, and the watches of its connections (ZooKeeper's DataTree). It
// applies transactions that the leader has committed, and answers reads.
class Replica {
 public:
  // A watch event, for the connection that has set the watch.
  struct Fired {
    LinkIndex link;
    PathId path;
    EventType type;
    AclId acl;  // The znode's; connections that may not read it get no event.
  };

  Replica(std::shared_ptr<PathTable> paths, const AclTable& acls, Unspecified& unspecified);

  void reset(std::shared_ptr<PathTable> paths);

  // Applies a change. The fired events are valid until the next call.
  std::span<const Fired> apply(const Change& change, std::int64_t time_ms) {
    if (is_watched(change)) return apply_watched(change, time_ms);
    tree_.apply(change, time_ms);
    return {};
  }
  // The result of the change that was applied last, as one operation of a multi.
  [[nodiscard]] OpResult result_of(const Change& change) const;

  // Fills in an empty reply. `path` is the number of the request's path.
  inline void read(const Request& request, PathId path, LinkIndex link,
                   const Identities& identities, Reply& reply);
  // The client that asks a query.
  struct Asker {
    LinkIndex link;
    SessionId session;
    const Identities& identities;
  };
  // Fills in an empty answer, or an error.
  void answer(const Query& query, const Asker& asker, QueryAnswer& answer, Reply& reply);
  // Sets watches again. The fired events are valid until the next call.
  std::span<const Fired> set_watches(LinkIndex link, const WatchedPaths& watched);
  // Removes the watches of a connection that has ended, or all watches.
  void forget(LinkIndex link);
  void forget_all();

  // Sets the recorder of accesses; null: none.
  void record_into(FootprintRecorder* recorder, std::uint32_t number) {
    recorder_ = recorder;
    tree_.record_into(recorder, number);
  }

  [[nodiscard]] ZnodeTree& tree() { return tree_; }
  [[nodiscard]] const ZnodeTree& tree() const { return tree_; }
  [[nodiscard]] const WatchTable& data_watches() const { return data_watches_; }
  [[nodiscard]] const WatchTable& child_watches() const { return child_watches_; }

  Zxid last_zxid = 0;
  std::size_t applied = 0;   // Entries of the leader's log.
  bool lagging = false;      // Applies the leader's transactions when told to, not at once.
  bool unreachable = false;  // Cut off from the leader.
  bool held = false;         // By hand: applies nothing until it is let go.

 private:
  // For a missing znode, or for requests about watches only.
  void read_without_znode(const Request& request, PathId path, LinkIndex link,
                          const Identities& identities, Reply& reply);
  inline void show(const Znode& znode, const Request& request, PathId path, LinkIndex link,
                   const Identities& identities, Reply& reply);
  // The znode at a path, as reads find it.
  [[nodiscard]] const Znode* known_as(PathId path) const;
  static void refuse(Reply& reply, Error error) {
    reply.error = error;
    reply.has_error = true;
  }
  // Whether the connection had such watches on a path, or an error.
  std::expected<bool, Error> look_for_watches(const Request& request, PathId path, LinkIndex link);
  // Whether a watch may fire. Most changes fire none.
  [[nodiscard]] bool is_watched(const Change& change) const {
    return data_watches_.any(change.path) || child_watches_.any(change.path) ||
           (child_watches_.any() && child_watches_.any(paths_->parent(change.path))) ||
           hears_everything();
  }
  std::span<const Fired> apply_watched(const Change& change, std::int64_t time_ms);
  void notify(const Change& change, AclId acl);
  void notify(WatchTable& table, PathId path, EventType type, AclId acl);
  void notify_deleted(PathId path, AclId acl);
  void record_watches(const WatchTable& table, LinkIndex link);
  // Whether every change depends on which watches exist.
  [[nodiscard]] bool hears_everything() const {
    return data_watches_.any_recursive() || child_watches_.any_recursive();
  }
  void add_lasting(PathId path, LinkIndex link, WatchMode mode);
  void list_ephemerals(const Query& query, const Asker& asker, std::vector<Path>& ephemerals);
  void read_all(const Query& query, const Asker& asker, QueryAnswer& answer, Reply& reply);
  void count_descendants(const Query& query, const Asker& asker, QueryAnswer& answer, Reply& reply);

  std::shared_ptr<PathTable> paths_;
  const AclTable& acls_;
  Unspecified& unspecified_;
  ZnodeTree tree_;
  WatchTable data_watches_;
  WatchTable child_watches_;
  std::vector<Fired> fired_;  // by the last call
  FootprintRecorder* recorder_ = nullptr;
};

// On every read's way: a call would cost about a third of the work.
[[gnu::always_inline]] inline void Replica::read(const Request& request, PathId path,
                                                 LinkIndex link, const Identities& identities,
                                                 Reply& reply) {
  const Znode* const znode = tree_.find(path);
  if (!znode || concerns_watches(request.op)) [[unlikely]] {
    return read_without_znode(request, path, link, identities, reply);
  }
  show(*znode, request, path, link, identities, reply);
}

[[gnu::always_inline]] inline void Replica::show(const Znode& znode, const Request& request,
                                                 PathId path, LinkIndex link,
                                                 const Identities& identities, Reply& reply) {
  // exists needs no permission; get_acl needs read or admin.
  const std::int32_t needed =
      request.op == OpCode::kGetAcl ? permission::kRead | permission::kAdmin : permission::kRead;
  if (request.op != OpCode::kExists && !acls_.allows(znode.acl, needed, identities)) {
    return refuse(reply, Error::kNoAuth);
  }
  if (request.op == OpCode::kGetChildren) {
    if (request.watched) child_watches_.add(path, link);
    reply.children = tree_.children(znode, unspecified_);
    return;
  }
  if (request.watched) data_watches_.add(path, link);
  reply.set_stat(tree_.stat(znode));
  if (request.op == OpCode::kGetData) reply.data = znode.data;
  if (request.op == OpCode::kGetAcl) {
    reply.set_details(ReplyDetails(acls_.shown(znode.acl, identities.list())));
  }
}

}  // namespace lockstep::fakezk
