#include "lockstep/acl.h"

#include <algorithm>

namespace lockstep {

Acl Acl::read_only() { return Acl({AclEntry(permission::kRead, "world", "anyone")}); }
Acl Acl::creator_only() { return Acl({AclEntry(permission::kAll, "auth", "")}); }

std::span<const AclEntry> Acl::entries() const {
  static const AclEntry everybody(permission::kAll, "world", "anyone");
  return entries_ ? std::span<const AclEntry>(*entries_) : std::span(&everybody, 1);
}

bool operator==(const Acl& a, const Acl& b) {
  return a.entries_ == b.entries_ || std::ranges::equal(a.entries(), b.entries());
}

}  // namespace lockstep
