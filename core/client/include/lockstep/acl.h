#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/internal/shared.h"

namespace lockstep {

// The permissions of an ACL entry, with ZooKeeper's own bits (ZOO_PERM_*); combine them with `|`.
namespace permission {
inline constexpr std::int32_t kRead = 1;    // get_data, get_children, check, get_acl
inline constexpr std::int32_t kWrite = 2;   // set_data
inline constexpr std::int32_t kCreate = 4;  // create a child
inline constexpr std::int32_t kDelete = 8;  // remove a child
inline constexpr std::int32_t kAdmin = 16;  // set_acl, get_acl
inline constexpr std::int32_t kAll = 31;    // all of these
}  // namespace permission

// The permissions of one identity. The schemes of a plain server: "world" with the id "anyone";
// "auth" with any id (all identities of the creator); "digest" with
// "user:base64(sha1(user:password))"; "ip" with an address, or an address and a number of bits
// ("10.0.0.0/8").
class AclEntry {
 public:
  AclEntry(std::int32_t allowed, std::string scheme_name, std::string scheme_id)
      : permissions(allowed), scheme(std::move(scheme_name)), id(std::move(scheme_id)) {}

  std::int32_t permissions;
  std::string scheme;
  std::string id;

  friend bool operator==(const AclEntry&, const AclEntry&) = default;
};

// The access control list of a znode (ZooKeeper Programmer's Guide, "ZooKeeper access control using
// ACLs"). Immutable, cheap to copy, thread-safe to share. Not validated here: the server answers an
// invalid list with kInvalidAcl.
class Acl {
 public:
  // Unspecified: a create uses its session's default (SessionOptions::default_acl), which is open()
  // unless the client sets another one. In all other uses it means open().
  Acl() noexcept = default;
  explicit Acl(std::vector<AclEntry> entries) : entries_(std::move(entries)) {}

  // All clients have all permissions (ZOO_OPEN_ACL_UNSAFE).
  [[nodiscard]] static Acl open();
  // All clients may read, and have no other permission (ZOO_READ_ACL_UNSAFE).
  [[nodiscard]] static Acl read_only();
  // Clients with an identity of the creator have all permissions (ZOO_CREATOR_ALL_ACL).
  [[nodiscard]] static Acl creator_only();

  [[nodiscard]] bool says_nothing() const noexcept { return !entries_; }
  [[nodiscard]] bool is_open() const noexcept { return !entries_ || is_open_list(); }
  [[nodiscard]] std::span<const AclEntry> entries() const;

  friend bool operator==(const Acl& a, const Acl& b);

 private:
  [[nodiscard]] bool is_open_list() const noexcept;

  internal::Shared<std::vector<AclEntry>> entries_;
};

}  // namespace lockstep
