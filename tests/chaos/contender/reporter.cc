#include "chaos/contender/reporter.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <utility>

namespace lockstep::chaos {

namespace {

Event about(Kind kind, const GrantRecord& grant) {
  return {.kind = kind,
          .session = grant.session,
          .lock = grant.lock.string(),
          .znode = grant.znode.string(),
          .token = grant.token,
          .created = grant.created,
          .evidence = grant.evidence,
          .after = grant.after.string(),
          .shared = grant.share == Share::kShared,
          .continues = grant.continues.string()};
}

Event about(Kind kind, SessionId session, const Path& lock) {
  return {.kind = kind, .session = session, .lock = lock.string()};
}

}  // namespace

std::int64_t monotonic_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void Reporter::report(Event event) {
  const std::lock_guard lock(mutex_);
  event.at = monotonic_now();
  send(event);
}

void Reporter::report(Kind kind, int worker, const std::string& lock, Zxid token, Share share) {
  Event event{.kind = kind,
              .worker = worker,
              .lock = lock,
              .token = token,
              .shared = share == Share::kShared};
  report(std::move(event));
}

bool Reporter::write(int worker, const std::string& on, Zxid token) {
  Event event{.kind = Kind::kWrite, .worker = worker, .lock = on, .token = token};
  const std::lock_guard lock(mutex_);
  event.at = monotonic_now();
  send(event);
  char answer = 0;
  ssize_t size = -1;
  do {
    size = recv(link_, &answer, 1, 0);
  } while (size == -1 && errno == EINTR);
  if (size != 1) _exit(0);
  return answer == kAccepted;
}

void Reporter::served(int worker) {
  Event event{.kind = Kind::kServed, .worker = worker};
  report(std::move(event));
}

void Reporter::send(const Event& event) {
  const std::string text = text_of(event);
  ssize_t size = -1;
  do {
    size = ::send(link_, text.data(), text.size(), MSG_NOSIGNAL);
  } while (size == -1 && errno == EINTR);
  if (size == -1) _exit(0);
}

void Reporter::acquire_begins(SessionId session, const Path& lock) {
  ++under_way_;
  report(about(Kind::kBegan, session, lock));
}

void Reporter::acquire_ends(SessionId session, const Path& lock) {
  --under_way_;
  report(about(Kind::kEnded, session, lock));
}

void Reporter::place_reserved(SessionId session, const Path& lock, const Path& znode) {
  Event event = about(Kind::kPlace, session, lock);
  event.znode = znode.string();
  report(std::move(event));
}

void Reporter::gave_up(SessionId session, const Path& lock, Error error) {
  Event event = about(Kind::kGaveUp, session, lock);
  event.detail = static_cast<int>(error);
  report(std::move(event));
}

void Reporter::granted(const GrantRecord& grant) { report(about(Kind::kGranted, grant)); }

void Reporter::dropped(const GrantRecord& grant) { report(about(Kind::kDropped, grant)); }

void Reporter::lost(const GrantRecord& grant, Error cause) {
  Event event = about(Kind::kLost, grant);
  event.detail = static_cast<int>(cause);
  if (flaw_ == Flaw::kTellsLossTwice) report(event);
  report(std::move(event));
}

void Reporter::released(const GrantRecord& grant, ReleaseOutcome outcome) {
  if (flaw_ == Flaw::kHidesEnds) return;
  Event event = about(Kind::kReleased, grant);
  event.detail = static_cast<int>(outcome);
  report(std::move(event));
}

}  // namespace lockstep::chaos
