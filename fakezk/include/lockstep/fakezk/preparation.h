#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>

#include "lockstep/fakezk/access.h"
#include "lockstep/fakezk/history.h"
#include "lockstep/fakezk/znode_tree.h"
#include "lockstep/request.h"

namespace lockstep::fakezk {

// What the leader makes of a write before anybody applies it: the changes, at the end of the
// history, or the first thing that is wrong, in ZooKeeper's order of looking
// (PrepRequestProcessor.pRequest2Txn).
class Preparation {
 public:
  // Who asks, and when it happens.
  struct Asker {
    SessionId session;
    std::span<const Identity> identities;
    Zxid zxid;
  };

  Preparation(AclTable& acls, Unspecified& unspecified, History& history)
      : acls_(acls), unspecified_(unspecified), history_(history) {}

  // Begins anew, on what has been committed so far.
  void begin(const ZnodeTree& committed, PathTable& paths, const Asker& asker, bool ttl_enabled) {
    tree_ = &committed;
    paths_ = &paths;
    asker_ = asker;
    ttl_enabled_ = ttl_enabled;
    first_ = history_.size();
    path_ = PathTable::kRoot;
  }

  // Each adds to the history what the operation does, and looks at what the ones before it did. An
  // error adds nothing.
  [[nodiscard]] std::expected<void, Error> prepare(const Request& request);
  [[nodiscard]] std::expected<void, Error> create(const Request& request);
  [[nodiscard]] std::expected<void, Error> remove(const Request& request);
  [[nodiscard]] std::expected<void, Error> set_data(const Request& request);
  [[nodiscard]] std::expected<void, Error> set_acl(const Request& request);
  [[nodiscard]] std::expected<void, Error> check(const Request& request);
  // The servers' own: a container or a znode with a time to live that nobody needs any more.
  [[nodiscard]] std::expected<void, Error> reap(PathId id);
  // The end of a session deletes this, whatever it has become (the leader knows what is there).
  void remove_ephemeral(PathId id);

  // The znode that the last operation was about.
  [[nodiscard]] PathId path() const { return path_; }
  // Takes back what has been added since begin().
  void forget_changes();

 private:
  // A znode as it will be when everything prepared so far has been applied (ChangeRecord).
  struct Record {
    PathId path;
    bool exists = false;
    Lifetime lifetime = Lifetime::kPersistent;
    AclId acl = AclTable::kOpen;
    std::int32_t version = 0;
    std::int32_t aversion = 0;
    std::int32_t children_created = 0;
    std::int32_t children = 0;
    SessionId owner = 0;
  };

  [[nodiscard]] inline Record look(PathId id) const;
  [[nodiscard]] inline Record committed(PathId id) const;
  [[nodiscard]] Record foreseen(Record record) const;
  void foresee(const Change& change, Record& record) const;
  [[nodiscard]] bool allowed(const Record& record, std::int32_t permission) const {
    return acls_.allows(record.acl, permission, asker_.identities);
  }
  Change& change(Change::Kind kind, PathId path, SessionId owner);
  Change& change(Change::Kind kind, const Record& record) {
    return change(kind, record.path, record.owner);
  }
  // `path` without its last component; none if there is no slash or a NUL.
  [[nodiscard]] std::optional<PathId> parent_of(const Path& znode);

  AclTable& acls_;
  Unspecified& unspecified_;
  History& history_;
  std::size_t first_ = 0;  // What has been prepared begins there.
  const ZnodeTree* tree_ = nullptr;
  PathTable* paths_ = nullptr;
  Asker asker_{};
  bool ttl_enabled_ = false;
  PathId path_ = PathTable::kRoot;
};

}  // namespace lockstep::fakezk
