#include "lockstep/leader_latch.h"

#include <stop_token>
#include <utility>

#include "lockstep/async_event.h"

namespace lockstep {

// A term of office. The listener is notified of its start and, once, of its end.
class LeaderLatch::Term {
 public:
  Term(LeaderLatch& latch, const ClientGrant& leadership)
      : latch_(latch), leadership_(leadership), over_(latch.candidacy_.executor()) {
    // First: the token takes memory, and without it the listener would not hear of the end.
    const std::stop_token lost = leadership_.held.lost_token();
    latch_.term_ = this;
    try {
      latch_.listener_.leads(leadership_);
    } catch (...) {
      latch_.term_ = nullptr;
      throw;
    }
    // Calls back immediately if the grant is already lost.
    lost_.emplace(lost, End{this});
  }
  Term(const Term&) = delete;
  Term& operator=(const Term&) = delete;
  ~Term() { end(); }

  void end() {
    if (over_.is_set()) return;
    over_.set();
    latch_.term_ = nullptr;
    latch_.listener_.leads_no_more(leadership_.held.cause());
  }
  [[nodiscard]] EventWait wait_for_end(Context context) { return over_.wait(std::move(context)); }

 private:
  struct End {
    Term* term;
    void operator()() const { term->end(); }
  };

  LeaderLatch& latch_;
  const ClientGrant& leadership_;
  AsyncEvent over_;
  std::optional<std::stop_callback<End>> lost_;
};

// Marks the latch while one task takes part.
class LeaderLatch::TakingPart {
 public:
  explicit TakingPart(bool& flag) : flag_(flag) { flag_ = true; }
  TakingPart(const TakingPart&) = delete;
  TakingPart& operator=(const TakingPart&) = delete;
  ~TakingPart() { flag_ = false; }

 private:
  bool& flag_;
};

namespace {

// A candidate queues up again if it has lost its place without giving it up, and can get a new one.
bool comes_back_after(Error error) {
  return error == Error::kSessionExpired || error == Error::kNoNode;
}

}  // namespace

Task<Result<void>> LeaderLatch::take_part(Context context) {
  if (takes_part_) co_return failure(Error::kConflict);
  const TakingPart taking_part(takes_part_);
  for (;;) {
    const Result<void> term = co_await queue_up_and_lead(context);
    if (!term && !comes_back_after(term.error())) co_return term;
  }
}

// 1. Queue up, on the client's current session. 2. Lead until that is lost, resigned, or the
// context ends.
Task<Result<void>> LeaderLatch::queue_up_and_lead(Context context) {
  ClientGrant leadership = co_await ok(candidacy_.acquire(context));
  Result<void> ended;
  if (!leadership.held.cause()) {  // It may have been lost since it was granted.
    Term term(*this, leadership);
    ended = co_await term.wait_for_end(context);
    // The listener is notified before the deletion of the znode lets the next candidate lead.
  }
  // 3. Release: a lost grant sends nothing. 4. Back to 1.
  static_cast<void>(co_await leadership.held.release(context));
  co_return ended;
}

void LeaderLatch::resign() {
  if (term_) term_->end();
}

}  // namespace lockstep
