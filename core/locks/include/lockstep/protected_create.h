#pragma once

#include <array>
#include <string>
#include <string_view>

#include "lockstep/ok.h"
#include "lockstep/random.h"
#include "lockstep/session.h"

namespace lockstep {

// Creates `parent` and its missing ancestors as containers, the session's chroot included. Errors:
// as Session::create; kNoNode if what it has created is deleted by others again and again, more
// often than there are levels. Connection losses are ridden out. Resumes on the session's executor.
Task<Result<void>> ensure_parent(Session& session, Path parent, Context context, Acl acl = {});

// Takes a place in a queue: creates "<parent>/_c_<guid><mark><number>", ephemeral and sequential,
// exactly once, whatever happens to the connection. The GUID in the name tells our znode from
// everybody else's when the reply to a create is lost (Curator: "withProtection"; ZooKeeper's
// recipes, "Locks", note on recoverable errors). Only a znode that belongs to this very session is
// adopted. A missing parent is created as a container.
// Errors: as Session::create; kNodeExists if the numbers under `parent` have come to their end,
// where they keep no order (keeps_order()): the parent must be removed once it is empty. If it ends
// with an error, or is abandoned, after a create may have been applied, the znode is deleted in the
// background. Resumes on the session's executor; the session outlives the task.
Task<Result<Created>> protected_create(Session& session, Path parent, std::string mark, Data data,
                                       Context context);
// The same, of what outlives the task: a recipe that awaits it has all of that in its frame.
// The ACL is the znode's, and that of what is created above it.
Task<Result<Created>> take_place(Session& session, const Path& parent, std::string_view mark,
                                 const Data& data, const Acl& acl, const Context& context);

// The same attempt by attempt, for a recipe that makes the first one itself: most often there is no
// other, and a task that makes only one costs more than it.
//
//   Placing placing(session, parent, mark, data);
//   Result<Created> ours = co_await placing.attempt(context);
//   if (!placing.settled(ours)) co_await placing.go_on(ours, context);
//
// If this goes before it has come to a znode of ours, what may have been created is deleted in the
// background. All that it is given outlives it.
class Placing {
 public:
  // Draws the GUID. The ACL is the znode's, and that of what is created above it.
  Placing(Session& session, const Path& parent, std::string_view mark, const Data& data,
          Acl acl = {});
  Placing(const Placing&) = delete;
  Placing& operator=(const Placing&) = delete;
  ~Placing() {
    if (!ours_) remove_orphan();
  }

  [[nodiscard]] Operation<Created> attempt(const Context& context) const;
  // Whether that is what it comes to: our znode, which is the caller's from here on, or an error
  // that no further attempt mends.
  [[nodiscard]] bool settled(Result<Created>& created);
  // Further attempts, after one that has settled nothing, until one does. `created` is the first
  // one's answer, then the last one's.
  [[nodiscard]] Task<void> go_on(Result<Created>& created, const Context& context);

 private:
  static constexpr std::string_view kBeforeGuid = "/_c_";

  // With the "_c_" in front of it: no other znode's name begins like that.
  [[nodiscard]] std::string_view guid() const { return {name_.data() + 1, name_.size() - 1}; }
  void remove_orphan() const;

  Session& session_;
  const Path& parent_;
  std::string_view mark_;
  const Data& data_;
  Acl acl_;
  bool ours_ = false;
  std::array<char, kBeforeGuid.size() + Guid::kLength> name_;  // "/_c_<guid>"
};

}  // namespace lockstep
