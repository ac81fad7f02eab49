#include "acl_vector.h"

#include <span>
#include <string>
#include <utility>

namespace lockstep::zookeeper {

namespace {

// The C client also decodes into its structs, so their strings are not const; it only reads those
// of a request.
char* writable(const std::string& text) { return const_cast<char*>(text.c_str()); }

}  // namespace

AclVector::AclVector(const Acl& acl) {
  entries_.reserve(acl.entries().size());
  for (const AclEntry& entry : acl.entries()) {
    entries_.push_back({entry.permissions, {writable(entry.scheme), writable(entry.id)}});
  }
  vector_ = {static_cast<std::int32_t>(entries_.size()), entries_.data()};
}

Acl from_c(const ACL_vector& acl) {
  std::vector<AclEntry> entries;
  for (const ACL& entry : std::span(acl.data, static_cast<std::size_t>(acl.count))) {
    entries.emplace_back(entry.perms, entry.id.scheme, entry.id.id);
  }
  return Acl(std::move(entries));
}

}  // namespace lockstep::zookeeper
