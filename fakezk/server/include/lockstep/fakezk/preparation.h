#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string_view>

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

  // From now on for the leader that has this tree.
  void serve(const ZnodeTree& committed, PathTable& paths, bool ttl_enabled) {
    tree_ = &committed;
    paths_ = &paths;
    ttl_enabled_ = ttl_enabled;
  }
  // Begins anew, on what has been committed so far.
  void begin(const Asker& asker) {
    asker_ = asker;
    first_ = history_.size();
    has_changes_ = false;
    path_ = PathTable::kRoot;
  }

  // Each adds to the history what the operation does, and looks at what the ones before it did. An
  // error adds nothing. `path` is the number of the request's.
  [[nodiscard]] std::expected<void, Error> prepare(const Request& request, PathId path);
  [[nodiscard]] std::expected<void, Error> create(const Request& request, PathId path);
  [[nodiscard]] std::expected<void, Error> remove(const Request& request, PathId path);
  [[nodiscard]] std::expected<void, Error> set_data(const Request& request, PathId path);
  [[nodiscard]] std::expected<void, Error> set_acl(const Request& request, PathId path);
  [[nodiscard]] std::expected<void, Error> check(const Request& request, PathId path);
  // The servers' own: a container or a znode with a time to live that nobody needs any more.
  [[nodiscard]] std::expected<void, Error> reap(PathId id);
  // The end of a session deletes this, whatever it has become (the leader knows what is there).
  void remove_ephemeral(PathId id);

  // The znode that the last operation was about.
  [[nodiscard]] PathId path() const { return path_; }
  // Takes back what has been added since begin().
  void forget_changes();

 private:
  // A znode as it will be when everything prepared so far has been applied (ChangeRecord). Most
  // often that is as it is; if not, it is written down in `record`.
  [[nodiscard]] inline const ZnodeFacts& look(PathId id, ZnodeFacts& record) const;
  void foresee(PathId id, ZnodeFacts& record) const;
  void foresee(const Change& change, PathId id, ZnodeFacts& record) const;
  [[nodiscard]] bool allowed(const ZnodeFacts& znode, std::int32_t permission) const {
    return acls_.allows(znode.acl, permission, asker_.identities);
  }
  // To the znode that the operation is about, or to another one.
  Change& change(Change::Kind kind, SessionId owner) { return change(kind, path_, owner); }
  Change& change(Change::Kind kind, PathId path, SessionId owner) {
    has_changes_ = true;
    return history_.emplace_back(kind, path, asker_.zxid, asker_.session, owner);
  }
  // The ACL of that name is as the servers keep it; false if it is not valid.
  [[nodiscard]] bool accept(const Acl& asked, AclId& acl);
  // The path without its last component; none if there is no slash or a NUL.
  static constexpr PathId kNoPath = static_cast<PathId>(-1);
  [[nodiscard]] PathId parent_of(PathId id) {
    return paths_->valid(id) ? paths_->parent(id) : parent_of_malformed(paths_->text(id).view());
  }
  [[nodiscard]] PathId parent_of_malformed(std::string_view path);

  AclTable& acls_;
  Unspecified& unspecified_;
  History& history_;
  std::size_t first_ = 0;  // What has been prepared begins there.
  bool has_changes_ = false;
  const ZnodeTree* tree_ = nullptr;
  PathTable* paths_ = nullptr;
  Asker asker_{};
  bool ttl_enabled_ = false;
  PathId path_ = PathTable::kRoot;
  ZnodeFacts record_;         // Of the znode that the operation is about.
  ZnodeFacts parent_record_;  // And of its parent.
};

}  // namespace lockstep::fakezk
