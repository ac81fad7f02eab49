#include "pending_requests.h"

#include <utility>

namespace lockstep::zookeeper {

RequestId PendingRequests::add(PendingRequest request) {
  const RequestId id = first_id_ + requests_.size();
  internal::Completion* const completion = request.completion;
  if (completion) by_completion_.emplace(completion, id);
  try {
    requests_.emplace_back(std::move(request));
  } catch (...) {
    if (completion) by_completion_.erase(completion);
    throw;
  }
  ++size_;
  return id;
}

const PendingRequest* PendingRequests::find(RequestId id) const noexcept {
  if (id < first_id_ || id - first_id_ >= requests_.size()) return nullptr;
  const std::optional<PendingRequest>& request = requests_[id - first_id_];
  return request ? &*request : nullptr;
}

std::optional<PendingRequest> PendingRequests::take(RequestId id) {
  if (!find(id)) return std::nullopt;
  std::optional<PendingRequest> taken = std::exchange(requests_[id - first_id_], std::nullopt);
  --size_;
  if (taken->completion) by_completion_.erase(taken->completion);
  drop_taken();
  return taken;
}

std::optional<PendingRequest> PendingRequests::take_oldest() { return take(first_id_); }

RequestId PendingRequests::abandon(internal::Completion& completion) noexcept {
  const auto found = by_completion_.find(&completion);
  if (found == by_completion_.end()) return 0;
  const RequestId id = found->second;
  requests_[id - first_id_]->completion = nullptr;
  by_completion_.erase(found);
  return id;
}

void PendingRequests::drop_taken() noexcept {
  while (!requests_.empty() && !requests_.front()) {
    requests_.pop_front();
    ++first_id_;
  }
}

}  // namespace lockstep::zookeeper
