#pragma once

#include <utility>

#include "lockstep/ok.h"
#include "lockstep/session.h"

namespace lockstep {

// True if the answer leaves open what has come of the request.
template <class T>
[[nodiscard]] bool outcome_unknown(const Result<T>& answer) {
  return !answer && outcome_unknown(answer.error());
}

// Makes a read again whose outcome is unknown: as often as it takes, each time once reconnected.
// For reads that a coroutine makes itself at first, which takes no second one. Errors: those of the
// read, and those of Session::connected(). Resumes on the session's executor; the session outlives
// it.
template <class T>
Task<Result<T>> read_again(Session& session, Operation<T> (Session::*read)(Path, Context),
                           Path path, Context context) {
  for (;;) {
    co_await ok(session.connected(context));
    Result<T> answer = co_await (session.*read)(path, context);
    if (!outcome_unknown(answer)) co_return std::move(answer);
  }
}

// A read that rides out connection loss: `retried(session, &Session::get_children, path, context)`
// repeats the read, once reconnected, until its outcome is known. Errors: those of the read, and
// those of Session::connected(). Resumes on the session's executor; the session outlives it.
template <class T>
Task<Result<T>> retried(Session& session, Operation<T> (Session::*read)(Path, Context), Path path,
                        Context context) {
  Result<T> answer = co_await (session.*read)(path, context);
  if (outcome_unknown(answer)) answer = co_await read_again(session, read, path, context);
  co_return std::move(answer);
}

// Waits until it is settled which of this session's requests were applied, after one whose outcome
// is unknown: a server that the session has reconnected to may not have seen the last of them yet.
// Errors: those of Session::connected().
inline Task<Result<void>> settled(Session& session, Path path, Context context) {
  for (;;) {
    co_await ok(session.connected(context));
    const Result<void> synced = co_await session.sync(path, context);
    if (!outcome_unknown(synced)) co_return synced;
  }
}

}  // namespace lockstep
