#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/acl.h"
#include "lockstep/data.h"
#include "lockstep/fakezk/unspecified.h"
#include "lockstep/internal/shared.h"

namespace lockstep::fakezk {

// An identity that a connection has shown, in one scheme (ZooKeeper's Id). Every connection of the
// simulated world also comes from the loopback address, which is not listed.
struct Identity {
  std::string scheme;
  std::string id;

  friend bool operator==(const Identity&, const Identity&) = default;
};

// All identities of one connection; mostly none. Cheap to copy.
class Identities {
 public:
  [[nodiscard]] std::span<const Identity> list() const {
    if (!shown_) return {};
    return *shown_;
  }
  void add(Identity identity);
  void clear() { shown_ = {}; }

 private:
  internal::Shared<std::vector<Identity>> shown_;  // null: none
};

// The identity of a client with this `credential`; none if the server rejects it
// (ServerAuthenticationProvider.handleAuthentication).
[[nodiscard]] std::optional<Identity> authenticate(std::string_view scheme, const Data& credential);

// The number of an ACL that the servers have accepted.
using AclId = std::uint32_t;

// The ACLs of one ensemble, each kept once (ZooKeeper's ReferenceCountedACLCache), and their
// permissions. Cheap to copy, because new ACLs are rare.
class AclTable {
 public:
  static constexpr AclId kOpen = 0;
  static constexpr AclId kReadOnly = 1;

  AclTable();
  void reset();
  // Goes back to an earlier state; mostly nothing has changed since.
  void reset_to(const AclTable& earlier) {
    if (acls_ != earlier.acls_) *this = earlier;
  }

  // The ACL as the server stores it: without duplicates, "auth" replaced by the identities of the
  // requesting connection. None if it is invalid (PrepRequestProcessor.fixupACL).
  [[nodiscard]] std::optional<AclId> accept(const Acl& asked, std::span<const Identity> identities,
                                            Unspecified& unspecified) {
    return asked.is_open() ? std::optional(kOpen) : accept_list(asked, identities, unspecified);
  }
  [[nodiscard]] const Acl& acl(AclId id) const { return (*acls_)[id]; }
  // True if any of these permissions is granted to a connection with these identities.
  [[nodiscard]] bool allows(AclId id, std::int32_t permissions,
                            std::span<const Identity> identities) const {
    return id == kOpen || check(id, permissions, identities);
  }
  [[nodiscard]] bool allows(AclId id, std::int32_t permissions, const Identities& shown) const {
    return id == kOpen || check(id, permissions, shown.list());
  }
  // The ACL as get_acl shows it: connections that may not change the ACL get masked digests.
  [[nodiscard]] Acl shown(AclId id, std::span<const Identity> identities) const;

 private:
  [[nodiscard]] std::optional<AclId> accept_list(const Acl& asked,
                                                 std::span<const Identity> identities,
                                                 Unspecified& unspecified);
  [[nodiscard]] bool check(AclId id, std::int32_t permissions,
                           std::span<const Identity> identities) const;
  AclId keep(std::vector<AclEntry> entries);

  using List = internal::Shared<std::vector<Acl>>;
  List fresh_;  // The ACLs of every new server.
  List acls_;
};

}  // namespace lockstep::fakezk
