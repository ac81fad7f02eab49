#include "lockstep/fakezk/session_table.h"

namespace lockstep::fakezk {

// The password depends only on the id and the servers' secret, so that any server can check it
// (ZooKeeperServer.generatePasswd).
std::uint64_t SessionTable::password_of(SessionId id) const {
  return (static_cast<std::uint64_t>(id) ^ options_.password_secret) * 0x9e3779b97f4a7c15u;
}

void SessionTable::reset() {
  for (SessionIndex index = 0; index < size_; ++index) {
    Session& session = *sessions_[index];
    if (session.silent_) timers_.erase(session.expiry_);
    session.ephemerals.clear();
  }
  size_ = 0;
  closing_.clear();
}

SessionTable::Checkpoint SessionTable::checkpoint() const {
  Checkpoint checkpoint;
  for (SessionIndex index = 0; index < size_; ++index) {
    const Session& session = *sessions_[index];
    checkpoint.push_back({static_cast<const Facts&>(session), session.ephemerals});
  }
  return checkpoint;
}

void SessionTable::reset_to(const Checkpoint& checkpoint) {
  reset();
  for (const Kept& kept : checkpoint) {
    Session& known = *sessions_[size_++];
    known.facts_are(kept.facts);
    known.silent_ = false;
    if (!kept.ephemerals.empty()) known.ephemerals = kept.ephemerals;
  }
}

SessionIndex SessionTable::open() {
  const SessionIndex index = size_++;
  if (recorder_) {
    recorder_->writes(ObjectKind::kSessionTable);
    recorder_->writes(ObjectKind::kSession, index);
  }
  if (index == sessions_.size()) sessions_.push_back(std::make_unique<Session>());
  Session& fresh = *sessions_[index];
  fresh.id = options_.first_session + index;
  fresh.password = password_of(fresh.id);
  fresh.link = kNoLink;
  fresh.phase = Phase::kOpen;
  fresh.noticed_as = Error::kConnectionLoss;
  fresh.silent_ = false;
  fresh.expiry_.table = this;
  return index;
}

void SessionTable::begin_silence(SessionIndex index, TimePoint now) {
  if (recorder_) record_silence(index);
  Session& session = *sessions_[index];
  if (session.phase != Phase::kOpen || session.silent_) return;
  session.silent_ = true;
  timers_.push(session.expiry_, expiry_time(index, now));
}

// A silence begins now, so it depends on the clock.
void SessionTable::record_silence(SessionIndex index) {
  recorder_->writes(ObjectKind::kSession, index);
  recorder_->reads(ObjectKind::kClock);
}

void SessionTable::end_silence(SessionIndex index) {
  if (recorder_) {
    recorder_->writes(ObjectKind::kSession, index);
    recorder_->reads(ObjectKind::kClock);
  }
  sessions_[index]->silent_ = false;
  timers_.erase(sessions_[index]->expiry_);
}

TimePoint SessionTable::expiry_time(SessionIndex index, TimePoint silence) const {
  const Duration last = silence.time_since_epoch() + sessions_[index]->timeout;
  return TimePoint((last / options_.tick_time + 1) * options_.tick_time);
}

void SessionTable::decide_end(SessionIndex index, Error noticed_as) {
  if (recorder_) recorder_->writes(ObjectKind::kSession, index);
  Session& ending = *sessions_[index];
  if (ending.phase != Phase::kOpen) return;
  ending.phase = Phase::kClosing;
  ending.noticed_as = noticed_as;
  end_silence(index);
  closing_.push_back(index);
  work_found_ = true;
}

void SessionTable::closed(SessionIndex index) {
  if (recorder_) recorder_->writes(ObjectKind::kSession, index);
  std::erase(closing_, index);
  sessions_[index]->phase = Phase::kClosed;
  sessions_[index]->ephemerals.clear();
  end_silence(index);
}

void SessionTable::forget_decisions() {
  for (const SessionIndex index : closing_) {
    if (recorder_) recorder_->writes(ObjectKind::kSession, index);
    sessions_[index]->phase = Phase::kOpen;
    sessions_[index]->noticed_as = Error::kConnectionLoss;
  }
  closing_.clear();
}

// Touches only the sessions that end: the silence of the others depends on the clock, which has
// moved anyway. Opening a session commutes with this.
void SessionTable::expire_bucket(TimePoint due) {
  for (SessionIndex index = 0; index < size_; ++index) {
    const Session& session = *sessions_[index];
    // The timer that has just fired is no longer queued, but its session is still silent.
    if (session.silent_ && session.expiry_.due == due) decide_end(index, Error::kConnectionLoss);
  }
}

}  // namespace lockstep::fakezk
