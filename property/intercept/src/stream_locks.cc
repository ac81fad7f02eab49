#include "stream_locks.h"

#include <stdio.h>

#include <algorithm>
#include <iterator>

#include "calls.h"
#include "handled.h"
#include "real.h"

// The lock of a stream of libc. Its state is libc's, whose own functions take it too, but do not
// wait in the execution.

namespace lockstep::intercept {

StreamLocks::~StreamLocks() { std::ranges::for_each(held_, &StreamLocks::free); }

// The real function does not ask who has the lock.
void StreamLocks::free(const Held& held) {
  for (unsigned i = 0; i < held.depth; ++i) LOCKSTEP_REAL(funlockfile)(held.stream);
}

void StreamLocks::taken(FILE* stream, Thread& owner) {
  const auto known = std::ranges::find(held_, stream, &Held::stream);
  if (known != held_.end() && known->owner == &owner) {
    ++known->depth;
  } else {
    forget(stream);  // Code that is not under test has given it back.
    held_.push_back({stream, &owner, 1});
  }
}

void StreamLocks::given_back(FILE* stream) {
  const auto known = std::ranges::find(held_, stream, &Held::stream);
  if (known != held_.end() && --known->depth == 0) held_.erase(known);
}

void StreamLocks::forget(FILE* stream) {
  std::erase_if(held_, [&](const Held& held) { return held.stream == stream; });
}

std::vector<FILE*> StreamLocks::free_all_of(const Thread& root) {
  const auto others =
      std::ranges::partition(held_, [&](const Held& held) { return &held.owner->root() != &root; });
  std::vector<FILE*> streams;
  std::ranges::transform(others, std::back_inserter(streams), &Held::stream);
  std::ranges::for_each(others, &StreamLocks::free);
  held_.erase(others.begin(), others.end());
  return streams;
}

bool StreamLocks::has_been_tried(const FILE* stream) const {
  return std::ranges::find(tried_, stream) != tried_.end();
}

}  // namespace lockstep::intercept

using namespace lockstep::intercept;

extern "C" {

void flockfile(FILE* stream) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(flockfile)(stream));
  execution->point("flockfile");
  while (LOCKSTEP_REAL(ftrylockfile)(stream) != 0) execution->wait("flockfile", stream);
  execution->stream_locks().taken(stream, *execution->running());
  happens_after(stream);
}

int ftrylockfile(FILE* stream) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(ftrylockfile)(stream));
  execution->stream_locks().note_try(stream);
  execution->point("ftrylockfile");
  const int error = LOCKSTEP_REAL(ftrylockfile)(stream);
  if (error != 0) return error;
  execution->stream_locks().taken(stream, *execution->running());
  happens_after(stream);
  return 0;
}

void funlockfile(FILE* stream) noexcept {
  LOCKSTEP_INTERCEPT(execution, LOCKSTEP_REAL(funlockfile)(stream));
  StreamLocks& locks = execution->stream_locks();
  if (locks.has_been_tried(stream)) execution->point("funlockfile");
  happens_before(stream);
  LOCKSTEP_REAL(funlockfile)(stream);
  locks.given_back(stream);
  execution->wake_all(stream);
}

// A stream may be closed by the thread that has its lock. libc's function calls those of the
// stream's descriptor, which are code under test to this library.
int fclose(FILE* stream) {
  if (Execution* const execution = Execution::of_caller()) {
    const Execution::InRuntime inside_the_runtime;
    execution->stream_locks().forget(stream);
  }
  return LOCKSTEP_REAL(fclose)(stream);
}

}  // extern "C"

LOCKSTEP_LINKED(stream_locks)
