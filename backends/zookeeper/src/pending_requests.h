#pragma once

#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>

#include "lockstep/operation.h"
#include "lockstep/request.h"
#include "message.h"

namespace lockstep::zookeeper {

// A request that the C client has taken but not answered.
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
  // Expected size of the answer: see ReplyWindow. 0 while the request waits here.
  std::size_t expected_bytes = 0;
  bool in_background = false;  // A remove_watches for an abandoned entry.
  bool alone = false;          // For remove_watch: WatchRegistry::Place::alone when it was sent.
  TimePoint sent;              // It was not sent before this time.
};

// A session's requests in flight, in the order of sending. Replies come in that order, so the table
// is a queue. The C client may lose replies when it is closed, so only this table knows which
// replies are still due.
class PendingRequests {
 public:
  [[nodiscard]] bool empty() const noexcept { return requests_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  // An exception leaves the table as it was.
  RequestId add(PendingRequest request);
  // Whether all requests sent before it have been answered.
  [[nodiscard]] bool is_oldest(RequestId id) const noexcept { return id == first_id_; }
  // The request must be in the table.
  [[nodiscard]] PendingRequest& operator[](RequestId id) { return *requests_[id - first_id_]; }
  // Null if the table does not have it.
  [[nodiscard]] const PendingRequest* find(RequestId id) const noexcept;
  // Takes a request out of the table; nullopt if the table does not have it.
  [[nodiscard]] std::optional<PendingRequest> take(RequestId id);
  // The oldest; nullopt if there is none.
  [[nodiscard]] std::optional<PendingRequest> take_oldest();
  // Forgets a completion that is no longer wanted. Returns the id of its request, or 0 (no id) if
  // it has none here.
  RequestId abandon(internal::Completion& completion) noexcept;

 private:
  void drop_taken() noexcept;

  // Taken ones are empty; the front is never empty.
  std::deque<std::optional<PendingRequest>> requests_;
  RequestId first_id_ = 1;
  std::size_t size_ = 0;
  std::unordered_map<internal::Completion*, RequestId> by_completion_;
};

}  // namespace lockstep::zookeeper
