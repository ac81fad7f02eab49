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

// Where a replica sends the events of its watches.
class EventSink {
 public:
  // `acl` is the znode's: who may not read it hears nothing of it.
  virtual void send_event(LinkIndex link, PathId path, EventType type, AclId acl) = 0;

 protected:
  ~EventSink() = default;
};

// One server's own copy of the tree and the watches of the connections it serves (ZooKeeper's
// DataTree). It applies what the leader has committed, and reads.
class Replica {
 public:
  Replica(std::shared_ptr<PathTable> paths, const AclTable& acls, EventSink& sink,
          Unspecified& unspecified);

  void reset(std::shared_ptr<PathTable> paths);

  // Makes a change, with its watch events.
  void apply(const Change& change, std::int64_t time_ms);
  // What the change that was made last has come to, as one operation of a multi.
  [[nodiscard]] OpResult result_of(const Change& change) const;

  // Fills in a reply that is empty.
  // `path` is the number of the request's.
  void read(const Request& request, PathId path, LinkIndex link,
            std::span<const Identity> identities, Reply& reply);
  void set_watches(LinkIndex link, const WatchedPaths& watched);
  // The connection has ended: its watches go. Or all have.
  void forget(LinkIndex link);
  void forget_all();

  // Who listens to what is touched, null: nobody.
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
  bool lagging = false;      // Applies what the leader commits when it is told to, not at once.
  bool unreachable = false;  // Cut off from the leader.

 private:
  // Whether the connection had such watches on a path.
  bool look_for_watches(const Request& request, PathId path, LinkIndex link);
  // Whether anybody may hear of it. Most changes set off nothing.
  [[nodiscard]] bool is_watched(const Change& change) const;
  void notify(const Change& change, AclId acl);
  void notify(WatchTable& table, PathId path, EventType type, AclId acl);
  void notify_deleted(PathId path, AclId acl);
  void record_watches(const WatchTable& table, LinkIndex link);

  std::shared_ptr<PathTable> paths_;
  const AclTable& acls_;
  EventSink& sink_;
  Unspecified& unspecified_;
  ZnodeTree tree_;
  WatchTable data_watches_;
  WatchTable child_watches_;
  FootprintRecorder* recorder_ = nullptr;
};

}  // namespace lockstep::fakezk
