#include "contact_wait.h"

#include "lockstep/ok.h"
#include "lockstep/sleep.h"

namespace lockstep::internal {

namespace {

// The proof takes a quarter of the session timeout: it is looked for so many times in a timeout.
constexpr int kLooks = 32;

// The session renews its proof as long as this lives.
class KeptSession {
 public:
  explicit KeptSession(Session& session) : session_(session) { session_.keep_contact(); }
  KeptSession(const KeptSession&) = delete;
  KeptSession& operator=(const KeptSession&) = delete;
  ~KeptSession() { session_.let_contact_go(); }

 private:
  Session& session_;
};

}  // namespace

Task<Result<void>> wait_for_contact(Session& session, LossPolicy loss, Context context) {
  const KeptSession kept(session);
  while (loses_at_once(session, loss)) {
    if (is_over(session.state())) co_return failure(session.end_error());
    co_await ok(sleep_for(session.executor(), session.timeout() / kLooks, context));
  }
  co_return Result<void>();
}

}  // namespace lockstep::internal
