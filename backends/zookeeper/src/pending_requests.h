#pragma once

#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>

#include "lockstep/operation.h"
#include "lockstep/request.h"
#include "message.h"

namespace lockstep::zookeeper {

// A request that the C client has taken and not answered.
class PendingRequest {
 public:
  // Takes over the request's watch.
  PendingRequest(Request& request, internal::Completion* waiting, TimePoint sent_at)
      : op(request.op),
        watch_type(request.watch_type),
        path(request.path),
        completion(waiting),
        watch(std::move(request.watch)),
        sent(sent_at) {}

  OpCode op;
  WatchType watch_type;
  Path path;
  internal::Completion* completion;           // Null once abandoned.
  internal::Ref<internal::WatchState> watch;  // May be null.
  // Expected size of its answer: see ReplyWindow. 0 while it waits here.
  std::size_t expected_bytes = 0;
  bool in_background = false;  // remove_watches for an abandoned entry.
  bool alone = false;          // remove_watch: WatchRegistry::Place::alone, when it was sent.
  TimePoint sent;              // It was sent at this time or later.
};

// A session's requests in flight, in the order of sending. Replies come in that order, so the table
// is a queue. The C client may lose replies when it is closed, so this table, not the C client,
// knows which are still owed.
class PendingRequests {
 public:
  [[nodiscard]] bool empty() const noexcept { return requests_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  RequestId add(PendingRequest request);
  // True if all requests sent before it have been answered.
  [[nodiscard]] bool is_oldest(RequestId id) const noexcept { return id == first_id_; }
  // The request must be in the table.
  [[nodiscard]] PendingRequest& operator[](RequestId id) { return *requests_[id - first_id_]; }
  // Takes a request out of the table; nullopt if it is not there.
  [[nodiscard]] std::optional<PendingRequest> take(RequestId id);
  // The oldest; nullopt if there is none.
  [[nodiscard]] std::optional<PendingRequest> take_oldest();
  // Its completion is not wanted any more. Returns its id, or 0, which is no id, if it is not here.
  RequestId abandon(internal::Completion& completion) noexcept;

 private:
  void drop_taken() noexcept;

  std::deque<std::optional<PendingRequest>> requests_;  // Taken ones are empty, never the first.
  RequestId first_id_ = 1;
  std::size_t size_ = 0;
  std::unordered_map<internal::Completion*, RequestId> by_completion_;
};

}  // namespace lockstep::zookeeper
