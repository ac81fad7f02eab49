#pragma once

#include <cstdint>
#include <utility>

#include "lockstep/ok.h"
#include "lockstep/session.h"

namespace lockstep {

// True if the answer leaves open what has come of the request.
template <class T>
[[nodiscard]] bool outcome_unknown(const Result<T>& answer) {
  return !answer && outcome_unknown(answer.error());
}
// True if the answer is an error after which the request may be made again.
template <class T>
[[nodiscard]] bool is_transient(const Result<T>& answer) {
  return !answer && is_transient(answer.error());
}

// Waits between two attempts, for a loop that makes a request until its answer is not transient:
// until the session is connected again; or, if a server that is too busy has refused the request,
// for a while, the longer the more often it did so in a row.
class Retry {
 public:
  explicit Retry(Session& session) : session_(session) {}
  Retry(const Retry&) = delete;
  Retry& operator=(const Retry&) = delete;
  ~Retry() = default;

  // After an answer with a transient error; any other is the result. Errors: those of
  // Session::connected(). Resumes on the session's executor. Retry and session outlive the task.
  Task<Result<void>> after(Error error, Context context);

  // At first about 20 ms, at most about a second; between half and all of that, drawn from the
  // session's Random, so that contenders that were refused together do not come back together.
  static constexpr Duration kFirstPause = std::chrono::milliseconds(20);
  static constexpr Duration kLongestPause = std::chrono::seconds(1);
  // After that many refusals before this one. Draws once.
  [[nodiscard]] static Duration pause(Random& random, std::uint32_t refusals);

 private:
  Session& session_;
  std::uint32_t refusals_ = 0;
};

// Makes a read again that was answered with the transient `error`: as often as it takes. For reads
// that a coroutine makes itself at first, which takes no second one. Errors: those of the read, and
// those of Session::connected(). Resumes on the session's executor; the session outlives it.
template <class T>
Task<Result<T>> read_again(Session& session, Operation<T> (Session::*read)(Path, Context),
                           Path path, Error error, Context context) {
  Retry retry(session);
  for (;;) {
    co_await ok(retry.after(error, context));
    Result<T> answer = co_await (session.*read)(path, context);
    if (!is_transient(answer)) co_return std::move(answer);
    error = answer.error();
  }
}

// A read that rides out connection loss and throttling: `retried(session, &Session::get_children,
// path, context)` repeats the read until it is answered. Errors: those of the read, and those of
// Session::connected(). Resumes on the session's executor; the session outlives it.
template <class T>
Task<Result<T>> retried(Session& session, Operation<T> (Session::*read)(Path, Context), Path path,
                        Context context) {
  Result<T> answer = co_await (session.*read)(path, context);
  if (is_transient(answer)) {
    answer = co_await read_again(session, read, path, answer.error(), context);
  }
  co_return std::move(answer);
}

// Waits until it is settled which of this session's requests were applied, after one whose outcome
// is unknown: a server that the session has reconnected to may not have seen the last of them yet.
// Errors: those of Session::connected().
Task<Result<void>> settled(Session& session, Path path, Context context);

}  // namespace lockstep
