#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lockstep/acl.h"

// Users for tests with ACLs: the credentials they send, and their ids in ACLs.
namespace lockstep::conformance {

inline constexpr const char* kAnn = "ann:secret";
inline constexpr const char* kAnnId = "ann:7RJfAeIvrl4zdj6sS2fXrQHDvHM=";
inline constexpr const char* kBob = "bob:secret";
inline constexpr const char* kBobId = "bob:fyVmFCwVbTJYrznoSu1koqYEYF0=";

// An ACL with one entry. A function, because no initializer list may share an expression with a
// co_await.
inline Acl only(std::int32_t permissions, std::string scheme, std::string id) {
  std::vector<AclEntry> entries;
  entries.emplace_back(permissions, std::move(scheme), std::move(id));
  return Acl(std::move(entries));
}
inline Acl anyone(std::int32_t permissions) { return only(permissions, "world", "anyone"); }
inline Acl digest(std::int32_t permissions, std::string id) {
  return only(permissions, "digest", std::move(id));
}
// An ACL with the entries of both.
inline Acl both(const Acl& a, const Acl& b) {
  std::vector<AclEntry> entries(a.entries().begin(), a.entries().end());
  entries.insert(entries.end(), b.entries().begin(), b.entries().end());
  return Acl(std::move(entries));
}
// An ACL without entries.
inline Acl nobody() { return Acl(std::vector<AclEntry>()); }

}  // namespace lockstep::conformance
