#pragma once

#include <utility>

#include "lockstep/data.h"
#include "lockstep/guaranteed_remove.h"
#include "lockstep/path.h"
#include "lockstep/session.h"

namespace lockstep::internal {

// A znode of ours that may exist and has no owner yet. It is deleted in the background if that does
// not change, for any reason: an error, an exception, a coroutine that is destroyed while it waits.
// The session outlives it.
class UnsettledZnode {
 public:
  // `own_data`: as GrantOptions::own_data.
  UnsettledZnode(Session& session, Path znode, Data own_data = Data())
      : session_(session), znode_(std::move(znode)), own_data_(std::move(own_data)) {}
  UnsettledZnode(const UnsettledZnode&) = delete;
  UnsettledZnode& operator=(const UnsettledZnode&) = delete;
  ~UnsettledZnode() {
    if (settled_ || is_over(session_.state())) return;
    remove_left(session_, std::move(znode_), std::move(own_data_));
  }
  // It has an owner, or does not exist.
  void settled() { settled_ = true; }

 private:
  Session& session_;
  Path znode_;
  Data own_data_;
  bool settled_ = false;
};

}  // namespace lockstep::internal
