#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string_view>

#include "lockstep/fakezk/access.h"
#include "lockstep/fakezk/foreseen.h"
#include "lockstep/fakezk/history.h"
#include "lockstep/fakezk/znode_tree.h"
#include "lockstep/request.h"

namespace lockstep::fakezk {

// The leader's preparation of a write, before any replica applies it: appends its changes to the
// history, or finds the first error in ZooKeeper's order of checks
// (PrepRequestProcessor.pRequest2Txn).
class Preparation {
 public:
  // The requesting session, and the time of the request.
  struct Asker {
    SessionId session;
    std::span<const Identity> identities;
    Zxid zxid;
  };

  Preparation(AclTable& acls, Unspecified& unspecified, History& history)
      : acls_(acls), unspecified_(unspecified), history_(history) {}

  // From now on prepares for the leader with this tree.
  void serve(const ZnodeTree& committed, PathTable& paths, bool ttl_enabled) {
    tree_ = &committed;
    paths_ = &paths;
    ttl_enabled_ = ttl_enabled;
  }
  // Starts a new preparation, on top of the committed state.
  void begin(const Asker& asker) {
    asker_ = asker;
    first_ = history_.size();
    first_acl_ = acls_.size();
    has_changes_ = false;
    foreseen_.clear();
    foreseen_until_ = first_;
    path_ = PathTable::kRoot;
  }

  // Each adds the changes of one operation to the history, and takes those of earlier ones into
  // account. An error adds nothing. `path` or `asked` is the number of the request's path.
  [[nodiscard]] std::expected<void, Error> prepare(const Request& request, PathId path);
  [[nodiscard]] std::expected<void, Error> create(const Request& request, PathId asked);
  [[nodiscard]] std::expected<void, Error> remove(const Request& request, PathId path);
  [[nodiscard]] std::expected<void, Error> set_data(const Request& request, PathId path);
  [[nodiscard]] std::expected<void, Error> set_acl(const Request& request, PathId path);
  [[nodiscard]] std::expected<void, Error> check(const Request& request, PathId path);
  // The servers' own deletion of an unused container or an expired znode with a time to live.
  [[nodiscard]] std::expected<void, Error> reap(PathId id);
  // Deletes an ephemeral at the end of its session, in whatever state (the leader knows that it
  // exists).
  void remove_ephemeral(PathId id);

  // The znode of the last operation.
  [[nodiscard]] PathId path() const { return path_; }
  // Removes the changes added since begin().
  void forget_changes();

 private:
  // A znode after all changes prepared so far (ChangeRecord). Valid until the next look after a
  // change.
  [[nodiscard]] inline const ZnodeFacts& look(PathId id);
  [[nodiscard]] const ZnodeFacts& look_ahead(PathId id, const ZnodeFacts& committed);
  [[nodiscard]] const ZnodeFacts& committed(PathId id) const;
  // Applies a change of the same multi to what is foreseen.
  void foresee(const Change& change);
  [[nodiscard]] bool allowed(const ZnodeFacts& znode, std::int32_t permission) const {
    return acls_.allows(znode.acl, permission, asker_.identities);
  }
  // Adds a change of the operation's own znode, or of another one.
  Change& change(Change::Kind kind, SessionId owner) { return change(kind, path_, owner); }
  Change& change(Change::Kind kind, PathId path, SessionId owner) {
    has_changes_ = true;
    return history_.emplace_back(kind, path, asker_.zxid, asker_.session, owner);
  }
  // The path without its last component; none if there is no slash or a NUL.
  static constexpr PathId kNoPath = static_cast<PathId>(-1);
  [[nodiscard]] PathId parent_of(PathId id) {
    return paths_->valid(id) ? paths_->parent(id) : parent_of_malformed(paths_->text(id).view());
  }
  [[nodiscard]] PathId parent_of_malformed(std::string_view path);

  AclTable& acls_;
  Unspecified& unspecified_;
  History& history_;
  std::size_t first_ = 0;      // The first prepared change.
  std::size_t first_acl_ = 0;  // The first ACL that only these changes have.
  bool has_changes_ = false;
  const ZnodeTree* tree_ = nullptr;
  PathTable* paths_ = nullptr;
  Asker asker_{};
  bool ttl_enabled_ = false;
  PathId path_ = PathTable::kRoot;
  Foreseen foreseen_;
  std::size_t foreseen_until_ = 0;  // The first change that it does not have.
};

}  // namespace lockstep::fakezk
