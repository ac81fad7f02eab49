#include "lockstep/internal/holders.h"

#include <algorithm>
#include <system_error>

namespace lockstep::internal {

Holders::Entry* Holders::find(LockOwner owner) {
  const auto found = std::ranges::find(entries_, owner, &Entry::owner);
  return found == entries_.end() ? nullptr : &*found;
}

Holders::Entry& Holders::holding(LockOwner owner) {
  if (Entry* const entry = find(owner)) return *entry;
  throw std::system_error(std::make_error_code(std::errc::operation_not_permitted),
                          "lockstep: the caller does not hold it");
}

Holders::Entry& Holders::holding(LockOwner owner, Share share) {
  Entry& entry = holding(owner);
  if (entry.grant.held.share() == share) return entry;
  throw std::system_error(std::make_error_code(std::errc::operation_not_permitted),
                          "lockstep: the caller does not hold it in that way");
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

Task<ReleaseOutcome> give_back(ClientGrant grant, Context context) {
  const ReleaseOutcome outcome = co_await grant.held.release(std::move(context));
  co_return outcome;
}

}  // namespace lockstep::internal
