#pragma once

#include <utility>

#include "lockstep/ok.h"
#include "lockstep/session.h"

namespace lockstep {

// A read that rides out connection loss: `retried(session, &Session::get_children, path, context)`
// repeats the read, once reconnected, until its outcome is known. Errors: those of the read, and
// those of Session::connected(). Resumes on the session's executor; the session outlives it.
template <class T>
Task<Result<T>> retried(Session& session, Operation<T> (Session::*read)(Path, Context), Path path,
                        Context context) {
  for (;;) {
    Result<T> answer = co_await (session.*read)(path, context);
    if (answer || !outcome_unknown(answer.error())) co_return std::move(answer);
    co_await ok(session.connected(context));
  }
}

// Waits until it is settled which of this session's requests were applied, after one whose outcome
// is unknown: a server that the session has reconnected to may not have seen the last of them yet.
// Errors: those of Session::connected().
inline Task<Result<void>> settled(Session& session, Path path, Context context) {
  for (;;) {
    co_await ok(session.connected(context));
    const Result<void> synced = co_await session.sync(path, context);
    if (synced || !outcome_unknown(synced.error())) co_return synced;
  }
}

}  // namespace lockstep
