#pragma once

#include <expected>
#include <optional>
#include <type_traits>
#include <utility>

#include "lockstep/internal/wait.h"
#include "lockstep/request.h"
#include "lockstep/result.h"
#include "lockstep/transaction.h"
#include "lockstep/watch.h"

namespace lockstep {

class Session;

// A created znode: the path it got (a sequential one ends in its number) and its Stat.
class Created {
 public:
  Created(Path created_path, const Stat& created_stat)
      : path(std::move(created_path)), stat(created_stat) {}
  Path path;
  Stat stat;
};

// A znode's data and Stat, of one instant.
class DataAndStat {
 public:
  DataAndStat(Data read_data, const Stat& read_stat)
      : data(std::move(read_data)), stat(read_stat) {}
  Data data;
  Stat stat;
};

// A znode's ACL and Stat, of one instant.
class AclAndStat {
 public:
  AclAndStat(Acl read_acl, const Stat& read_stat) : acl(std::move(read_acl)), stat(read_stat) {}
  Acl acl;
  Stat stat;
};

// The answer to a read, and the watch that the read set.
template <class T>
class Watched {
 public:
  Watched(T read, Watch left) : value(std::move(read)), watch(std::move(left)) {}
  T value;
  Watch watch;
};

namespace internal {

// A backend delivers the reply of one request here: exactly once, on the session's executor, unless
// it was abandoned before.
class Completion {
 public:
  virtual void complete(Reply& reply) = 0;

 protected:
  ~Completion() = default;
};

// A request in flight, whatever its result type.
class OperationBase : public Wait, public Completion {
 public:
  ~OperationBase() override {
    if (!done()) [[unlikely]] {
      abandon();
    }
  }

 protected:
  OperationBase(Session& session, OpCode op, Context&& context);
  // Sends the request, which it takes over, unless the context has ended already. For the
  // constructor: the reply may come before this returns.
  void send(Request&& request);
  // Makes the watch of a read, which the request owns too.
  [[nodiscard]] inline Watch watch_of(Request& request) const;
  // Stores the operation's result, from its reply or from a Reply with the error that ends it.
  virtual void keep(Reply& reply) = 0;

 private:
  // The reply is there: keeps it, and wakes the coroutine that waits.
  void complete(Reply& reply) final;
  void give_up(Error error) final;
  void abandon() noexcept;  // Drops the reply.
  void end_with(Error error);

  Session& session_;
  OpCode op_;
};

[[nodiscard]] constexpr Error code_of(Error error) { return error; }
[[nodiscard]] constexpr Error code_of(const MultiError& error) { return error.error; }

// The base of operations without a watch: most of them.
struct NoWatch {};

// How a Reply becomes the value of an operation.
template <class T>
struct FromReply;

}  // namespace internal

// A request of a session, made when this object exists: several may be started before the first is
// awaited, and ZooKeeper answers them in that order. It is sent at once, unless the client has to
// keep it back for now: without a connection, or behind other requests. Awaiting it gives
// Result<T>; a multi that fails also says with which of its operations. Dropping it, or the end of
// its Context, withdraws a request that the client still keeps back; of any other it abandons the
// reply only. To send without waiting, await it in Session::in_background(). Resumes on the
// session's executor. Never moved; awaited once.
template <class T>
class [[nodiscard(
    "its outcome is dropped, and so is the request if it still waits to be sent: co_await it")]]
Operation final : public internal::OperationBase {
  using FromReply = internal::FromReply<T>;
  using Left = typename FromReply::Left;  // Watch, or NoWatch.
  using Outcome = decltype(FromReply::take(std::declval<Reply&>(), std::declval<Left&>()));

 public:
  // Takes over the request.
  Operation(Session& session, Request&& request, Context&& context)
      : OperationBase(session, request.op, std::move(context)) {
    if constexpr (std::is_same_v<Left, Watch>) left_ = watch_of(request);
    send(std::move(request));
  }

  [[nodiscard(
      "an error goes unnoticed: look at it, or write static_cast<void>(co_await ...)")]] Outcome
  await_resume() {
    return std::move(outcome_);
  }
  [[nodiscard]] std::optional<Error> failed() const override {
    if (outcome_) return std::nullopt;
    return error();
  }
  [[nodiscard]] Error error() const { return internal::code_of(outcome_.error()); }

 private:
  void keep(Reply& reply) override { outcome_ = FromReply::take(reply, left_); }

  [[no_unique_address]] Left left_;
  Outcome outcome_{std::unexpect, Error::kSystemError};
};

namespace internal {

template <>
struct FromReply<void> {
  using Left = NoWatch;
  static Result<void> take(Reply& reply, NoWatch) {
    if (reply.is_error()) return failure(reply.error);
    return {};
  }
};
template <>
struct FromReply<Created> {
  using Left = NoWatch;
  static Result<Created> take(Reply& reply, NoWatch) {
    if (reply.is_error()) return failure(reply.error);
    return Result<Created>(std::in_place, std::move(reply.path), reply.stat());
  }
};
template <>
struct FromReply<Stat> {
  using Left = NoWatch;
  static Result<Stat> take(Reply& reply, NoWatch) {
    if (reply.is_error()) return failure(reply.error);
    return reply.stat();
  }
};
template <>
struct FromReply<DataAndStat> {
  using Left = NoWatch;
  static Result<DataAndStat> take(Reply& reply, NoWatch) {
    if (reply.is_error()) return failure(reply.error);
    return Result<DataAndStat>(std::in_place, std::move(reply.data), reply.stat());
  }
};
template <>
struct FromReply<Children> {
  using Left = NoWatch;
  static Result<Children> take(Reply& reply, NoWatch) {
    if (reply.is_error()) return failure(reply.error);
    return std::move(reply.children);
  }
};
template <>
struct FromReply<AclAndStat> {
  using Left = NoWatch;
  static Result<AclAndStat> take(Reply& reply, NoWatch) {
    if (reply.is_error()) return failure(reply.error);
    return AclAndStat(reply.take_details().acl, reply.stat());
  }
};
template <>
struct FromReply<MultiResults> {
  using Left = NoWatch;
  static std::expected<MultiResults, MultiError> take(Reply& reply, NoWatch) {
    if (!reply.is_error()) return reply.take_details().results;
    std::optional<std::size_t> op;
    if (reply.failed_op() >= 0) op = static_cast<std::size_t>(reply.failed_op());
    return std::unexpected(MultiError(reply.error, op));
  }
};
// exists leaves a watch also on a znode that is not there.
template <>
struct FromReply<Watched<std::optional<Stat>>> {
  using Left = Watch;
  static Result<Watched<std::optional<Stat>>> take(Reply& reply, Watch& watch) {
    std::optional<Stat> stat;
    if (!reply.is_error()) {
      stat = reply.stat();
    } else if (reply.error != Error::kNoNode) {
      return failure(reply.error);
    }
    return Watched<std::optional<Stat>>(stat, std::move(watch));
  }
};
template <class T>
struct FromReply<Watched<T>> {
  using Left = Watch;
  static Result<Watched<T>> take(Reply& reply, Watch& watch) {
    Result<T> value = FromReply<T>::take(reply, NoWatch());
    if (!value) return failure(value.error());
    return Result<Watched<T>>(std::in_place, std::move(*value), std::move(watch));
  }
};

}  // namespace internal
}  // namespace lockstep
