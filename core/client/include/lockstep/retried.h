#pragma once

#include <cstdint>
#include <utility>

#include "lockstep/ok.h"
#include "lockstep/session.h"

namespace lockstep {

// True if the answer leaves the outcome of the request unknown.
template <class T>
[[nodiscard]] bool outcome_unknown(const Result<T>& answer) {
  return !answer && outcome_unknown(answer.error());
}
// True if the answer is an error after which the request may be repeated.
template <class T>
[[nodiscard]] bool is_transient(const Result<T>& answer) {
  return !answer && is_transient(answer.error());
}

// The wait between two attempts, for a loop that repeats a request until its answer is not
// transient: until the session is connected again, or, if a busy server has refused the request,
// for a pause that grows with the number of refusals in a row.
class Retry {
 public:
  explicit Retry(Session& session) : session_(session) {}
  Retry(const Retry&) = delete;
  Retry& operator=(const Retry&) = delete;
  ~Retry() = default;

  // Called after an answer with a transient error; any other error is returned. Errors: those of
  // Session::connected(). Resumes on the session's executor. Retry and session outlive the task.
  Task<Result<void>> after(Error error, Context context);

  // About 20 ms at first, about a second at most; between half and all of that, drawn from the
  // session's Random, so that contenders that were refused together do not return together.
  static constexpr Duration kFirstPause = std::chrono::milliseconds(20);
  static constexpr Duration kLongestPause = std::chrono::seconds(1);
  // The pause after `refusals` earlier refusals. Draws once.
  [[nodiscard]] static Duration pause(Random& random, std::uint32_t refusals);

 private:
  Session& session_;
  std::uint32_t refusals_ = 0;
};

// Repeats a read that was answered with the transient `error` until the answer is not transient.
// For a coroutine that makes its first attempt itself, to save a task. Errors: those of the read,
// and those of Session::connected(). Resumes on the session's executor; the session outlives it.
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

// A read that survives connection loss and throttling: `retried(session, &Session::get_children,
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

// A set_data that survives connection loss and throttling, with any version, for data whose
// repetition does no harm: after a lost reply it is sent again. Errors: those of set_data, and
// those of Session::connected(). Resumes on the session's executor; the session outlives it.
Task<Result<Stat>> set_data_retried(Session& session, Path path, Data data, Context context);

// After a request with an unknown outcome: waits until the server shows which requests of this
// session were applied. A server that the session has reconnected to may lag behind the last of
// them. Errors: those of Session::connected().
Task<Result<void>> settled(Session& session, Path path, Context context);

}  // namespace lockstep
