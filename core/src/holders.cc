#include "lockstep/internal/holders.h"

#include <algorithm>
#include <system_error>

#include "lockstep/error_code.h"

namespace lockstep::internal {

Holders::Entry* Holders::find(LockOwner owner) {
  const auto found = std::ranges::find(entries_, owner, &Entry::owner);
  return found == entries_.end() ? nullptr : &*found;
}

Holders::Entry& Holders::holding(LockOwner owner) {
  if (Entry* const entry = find(owner)) return *entry;
  throw std::system_error(std::make_error_code(std::errc::operation_not_permitted),
                          "lockstep: the caller does not hold this lock");
}

Holders::Entry& Holders::holding(LockOwner owner, Share share) {
  Entry& entry = holding(owner);
  if (entry.grant.held.share() == share) return entry;
  throw std::system_error(std::make_error_code(std::errc::operation_not_permitted),
                          "lockstep: the caller does not hold this lock in that way");
}

void Holders::add(LockOwner owner, ClientGrant grant) {
  entries_.emplace_back(owner, std::move(grant));
}

ClientGrant Holders::take(Entry& entry) {
  const auto place = std::ranges::find(entries_, &entry, [](const Entry& each) { return &each; });
  ClientGrant grant = std::move(place->grant);
  entries_.erase(place);
  return grant;
}

Result<void> Holders::enter_again(Entry& entry) {
  if (const std::optional<Error> cause = entry.grant.held.cause()) return failure(*cause);
  ++entry.depth;
  return {};
}

Task<ReleaseOutcome> give_back(ClientGrant grant) {
  const TimePoint now = grant.session->executor().now();
  const Context patience(now + grant.session->timeout());
  const ReleaseOutcome outcome = co_await grant.held.release(patience);
  co_return outcome;
}

void throw_error(Error error, const char* what) { throw std::system_error(error, what); }

void throw_would_deadlock(const char* what) {
  throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur), what);
}

}  // namespace lockstep::internal
