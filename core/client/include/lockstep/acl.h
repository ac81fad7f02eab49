#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/internal/shared.h"

namespace lockstep {

// What an ACL entry allows, with ZooKeeper's own bits (ZOO_PERM_*): to be combined with `|`.
namespace permission {
inline constexpr std::int32_t kRead = 1;    // get_data, get_children, check, get_acl
inline constexpr std::int32_t kWrite = 2;   // set_data
inline constexpr std::int32_t kCreate = 4;  // create a child
inline constexpr std::int32_t kDelete = 8;  // remove a child
inline constexpr std::int32_t kAdmin = 16;  // set_acl, get_acl
inline constexpr std::int32_t kAll = 31;
}  // namespace permission

// Who may do what. The schemes of a plain server: "world" with the id "anyone"; "auth" with any id
// (everybody the creator is authenticated as); "digest" with "user:base64(sha1(user:password))";
// "ip" with an address, or an address and a number of bits ("10.0.0.0/8").
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
// ACLs"). Immutable, cheap to copy, thread-safe to share. Not validated here: a list that the
// server does not take is answered with kInvalidAcl.
class Acl {
 public:
  // Says nothing: a create uses its session's default (SessionOptions::default_acl), which is
  // open() unless its client was told another one. Anything else takes it for open().
  Acl() noexcept = default;
  explicit Acl(std::vector<AclEntry> entries) : entries_(std::move(entries)) {}

  // Everybody may do everything (ZOO_OPEN_ACL_UNSAFE).
  [[nodiscard]] static Acl open();
  // Everybody may read, nobody may do anything else (ZOO_READ_ACL_UNSAFE).
  [[nodiscard]] static Acl read_only();
  // Whoever is authenticated as its creator may do everything (ZOO_CREATOR_ALL_ACL).
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
