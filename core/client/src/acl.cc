#include "lockstep/acl.h"

#include <algorithm>

namespace lockstep {

namespace {

const AclEntry& everybody() {
  static const AclEntry entry(permission::kAll, "world", "anyone");
  return entry;
}

}  // namespace

Acl Acl::open() { return Acl({everybody()}); }
Acl Acl::read_only() { return Acl({AclEntry(permission::kRead, "world", "anyone")}); }
Acl Acl::creator_only() { return Acl({AclEntry(permission::kAll, "auth", "")}); }

std::span<const AclEntry> Acl::entries() const {
  return entries_ ? std::span<const AclEntry>(*entries_) : std::span(&everybody(), 1);
}

bool Acl::is_open_list() const noexcept {
  return entries_->size() == 1 && entries_->front() == everybody();
}

bool operator==(const Acl& a, const Acl& b) {
  return a.entries_ == b.entries_ || std::ranges::equal(a.entries(), b.entries());
}

}  // namespace lockstep
