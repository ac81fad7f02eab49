#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "lockstep/acl.h"
#include "lockstep/children.h"
#include "lockstep/create_mode.h"
#include "lockstep/data.h"
#include "lockstep/error.h"
#include "lockstep/internal/ref.h"
#include "lockstep/internal/shared.h"
#include "lockstep/path.h"
#include "lockstep/stat.h"
#include "lockstep/watch.h"

namespace lockstep {

// The operations of the seam.
enum class OpCode : std::uint8_t {
  kCreate,
  kRemove,
  kExists,
  kGetData,
  kSetData,
  kGetChildren,
  kSync,
  kClose,  // Ends the session.
  kGetAcl,
  kSetAcl,
  kMulti,
  kCheck,    // Only inside a multi.
  kAddAuth,  // Sent ahead of the queue: it concerns the connection.
  kCheckWatches,
  kRemoveWatches,
};

[[nodiscard]] std::string_view name(OpCode op);
// Whether the request is about the watches of a connection, not about znodes.
[[nodiscard]] constexpr bool concerns_watches(OpCode op) {
  return op == OpCode::kCheckWatches || op == OpCode::kRemoveWatches;
}
[[nodiscard]] constexpr bool is_read(OpCode op) {
  return op == OpCode::kExists || op == OpCode::kGetData || op == OpCode::kGetChildren ||
         op == OpCode::kGetAcl || concerns_watches(op);
}
[[nodiscard]] constexpr bool is_write(OpCode op) {
  return !is_read(op) && op != OpCode::kSync && op != OpCode::kAddAuth;
}

// Whether the server forwards it to the leader, which orders it among all such requests.
[[nodiscard]] constexpr bool is_ordered(OpCode op) {
  return op == OpCode::kSync || (is_write(op) && op != OpCode::kClose);
}

// Types of watches on a znode: those of get_children, those of exists and get_data, or all, with
// their numbers on the wire (zookeeper.h, ZooWatcherType).
enum class WatchType : std::uint8_t { kChild = 1, kData = 2, kAny = 3 };

class RequestDetails;

// A request of a session's caller, as a backend or a decorator sees it.
class Request {
 public:
  Request(OpCode op_code, Path znode) : op(op_code), path(std::move(znode)) {}

  // Details of a few requests, shared by copies.
  [[nodiscard]] inline Acl acl() const;                        // create, set_acl
  [[nodiscard]] inline std::chrono::milliseconds ttl() const;  // create, in the modes that have one
  [[nodiscard]] inline Text scheme() const;                    // add_auth; its credential is data
  [[nodiscard]] inline const std::vector<Request>& ops() const;  // multi
  // Whether the request has none of these details.
  [[nodiscard]] bool plain() const { return !details_; }
  // Details that equal the defaults count as none, except in a multi.
  void set_details(RequestDetails details);

  OpCode op;
  CreateMode mode = CreateMode::kPersistent;
  WatchType watch_type = WatchType::kAny;  // remove_watches
  bool outside_chroot : 1 = false;         // The path is the server's, without the chroot.
  bool watched : 1 = false;                // A read asks the server for a watch.
  std::int32_t version = -1;
  Path path;
  Data data;
  // The client's side of that watch, which it registers if the reply allows it, or the watch that
  // remove_watch takes back. Not sent: a backend moves it out of the request.
  internal::Ref<internal::WatchState> watch;

 private:
  internal::Shared<RequestDetails> details_;
};

// The parts that few requests have: the ACL and the time to live of a create, the scheme of an
// add_auth, the operations of a multi.
class RequestDetails {
 public:
  RequestDetails() = default;
  explicit RequestDetails(Acl access, std::chrono::milliseconds time_to_live = {})
      : acl(std::move(access)), ttl(time_to_live) {}
  explicit RequestDetails(Text authentication) : scheme(std::move(authentication)) {}
  explicit RequestDetails(std::vector<Request> multi) : ops(std::move(multi)) {}

  Acl acl;
  std::chrono::milliseconds ttl{};
  Text scheme;
  std::vector<Request> ops;
};

inline Acl Request::acl() const { return plain() ? Acl() : details_->acl; }
inline std::chrono::milliseconds Request::ttl() const {
  return plain() ? std::chrono::milliseconds() : details_->ttl;
}
inline Text Request::scheme() const { return plain() ? Text() : details_->scheme; }
inline const std::vector<Request>& Request::ops() const { return details_->ops; }

// The result of one operation of a committed multi.
class OpResult {
 public:
  explicit OpResult(OpCode op_code) : op(op_code), path(Text()) {}

  OpCode op;
  Path path;  // create: the actual path
  Stat stat;  // set_data
};

// Details of a few replies.
class ReplyDetails : public internal::Pooled {
 public:
  ReplyDetails() = default;
  explicit ReplyDetails(Acl access) : acl(std::move(access)) {}
  // A multi whose operation `op` has failed.
  [[nodiscard]] static ReplyDetails failed_at(std::int32_t op) {
    ReplyDetails details;
    details.failed_op = op;
    return details;
  }

  Acl acl;                        // get_acl
  std::vector<OpResult> results;  // multi
  std::int32_t failed_op = -1;    // multi: the operation that the error is about, or -1
};

// A reply. Only the fields that the operation defines are set.
class Reply {
 public:
  Reply() : path(Text()) {}
  explicit Reply(Error failed) : error(failed), has_error(true), path(Text()) {}
  // Without an error.
  [[nodiscard]] static Reply ok() { return Reply(); }

  [[nodiscard]] bool is_error() const { return has_error; }
  // The Stat of a znode; all zero if the reply has none.
  [[nodiscard]] const Stat& stat() const {
    static constexpr Stat kNone;
    return stat_ ? *stat_ : kNone;
  }
  void set_stat(const Stat& znode) { stat_ = znode; }  // Gives the reply that Stat.
  // Whether the reply has no details.
  [[nodiscard]] bool plain() const { return !details_; }
  [[nodiscard]] const ReplyDetails& details() const;
  [[nodiscard]] std::int32_t failed_op() const { return plain() ? -1 : details_->failed_op; }
  [[nodiscard]] ReplyDetails take_details();  // Leaves them to the caller.
  void set_details(ReplyDetails details);     // Gives the reply these details.

  Error error = Error::kSystemError;
  bool has_error = false;
  Path path;
  Data data;
  Children children;

 private:
  std::optional<Stat> stat_;
  std::unique_ptr<ReplyDetails> details_;
};

}  // namespace lockstep
