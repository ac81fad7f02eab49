#include "lockstep/internal/kept_contact.h"

#include <algorithm>
#include <new>

#include "lockstep/session.h"
#include "lockstep/session_observer.h"

namespace lockstep::internal {

namespace {

// The proof is renewed after 1 / kRenewalParts of the session timeout, and the contact becomes
// doubtful in the last 1 / kFadingParts of it.
constexpr int kRenewalParts = 6;
constexpr int kFadingParts = 4;

}  // namespace

KeptContact::~KeptContact() { stop(); }

void KeptContact::opened(TimePoint sent, Duration session_timeout) {
  proof_.opened(sent, session_timeout);
  if (kept() || told_ != Contact::kSure) tell();
}

// A lost connection stops the renewal, and a reconnect resumes it.
void KeptContact::session_changed() {
  if (lockstep::is_over(session_.state())) return stop();
  if (kept()) restart();
}

void KeptContact::keep() {
  if (keepers_++ > 0) return;
  begin();
  restart();
}

void KeptContact::release() {
  if (--keepers_ > 0 || always_) return;
  stop();
}

// No listener has to be notified yet.
void KeptContact::begin() {
  if (proof_.session_timeout() == Duration::zero()) return;
  if (judge() != Contact::kSure && session_.contact_is_implied()) imply();
  told_ = judge();
}

// Acts as if syncs had been answered regularly, the last one just now. The leader knows every
// request that is older than a quarter of the session timeout.
void KeptContact::imply() {
  const TimePoint now = session_.executor().now();
  proof_.opened(now - proof_.session_timeout() / kFadingParts, proof_.session_timeout());
  proof_.answered(now);
}

Contact KeptContact::judge() const {
  const TimePoint now = session_.executor().now();
  if (now >= end()) return Contact::kOver;
  return now >= end() - proof_.session_timeout() / kFadingParts ? Contact::kFading : Contact::kSure;
}

bool KeptContact::is_over() const {
  return proof_.session_timeout() > Duration::zero() && judge() == Contact::kOver;
}

void KeptContact::tell() {
  const Contact contact = judge();
  if (contact == told_) return;
  told_ = contact;
  session_.tell_contact(contact);
}

// A listener may give up the contact and thereby stop this timer.
void KeptContact::run() {
  renew();
  tell();
  if (kept()) restart();
}

void KeptContact::renew() {
  const std::optional<TimePoint> next = next_sync();
  const TimePoint now = session_.executor().now();
  if (!next || *next > now) return;
  synced_ = now;
  if (session_.sync_is_implied()) return answered(now, true);
  syncing_ = true;
  if (session_.observer()) session_.observer()->requested(OpCode::kSync);
  try {
    session_.submit(Request(OpCode::kSync, Path("/")), *this);
  } catch (const std::bad_alloc&) {  // The next sync is due in half a period.
    syncing_ = false;
  }
}

// The session has already counted this answer.
void KeptContact::complete(Reply& reply) {
  syncing_ = false;
  if (session_.observer()) {
    const auto error = reply.is_error() ? std::optional(reply.error) : std::nullopt;
    session_.observer()->answered(OpCode::kSync, error);
  }
  if (kept() && !lockstep::is_over(session_.state())) restart();
}

void KeptContact::restart() {
  stop();
  if (proof_.session_timeout() == Duration::zero()) return;
  const std::optional<TimePoint> sync = next_sync();
  const std::optional<TimePoint> change = next_change();
  if (!sync && !change) return;
  const TimePoint next = sync && change ? std::min(*sync, *change) : sync ? *sync : *change;
  session_.executor().start_timer(*this, std::max(next, session_.executor().now()));
}

void KeptContact::stop() {
  if (position != kIdle) session_.executor().stop_timer(*this);
}

// While the contact is in doubt, the next sync is due as soon as it can prove something.
std::optional<TimePoint> KeptContact::next_sync() const {
  if (syncing_ || session_.state() != SessionState::kConnected) return std::nullopt;
  const Duration period = proof_.session_timeout() / kRenewalParts;
  TimePoint next = proof_.newest() + period;
  if (told_ != Contact::kSure) next = std::min(next, proof_.provable_from().value_or(next));
  return std::max(next, synced_ + period / 2);
}

std::optional<TimePoint> KeptContact::next_change() const {
  if (!kept() || told_ == Contact::kOver) return std::nullopt;
  if (told_ == Contact::kFading) return end();
  return end() - proof_.session_timeout() / kFadingParts;
}

}  // namespace lockstep::internal
