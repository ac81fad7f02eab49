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

// Who a connection has shown to be, as one scheme sees it (ZooKeeper's Id). Besides, every
// connection of the simulated world comes from the loopback address, and need not show it.
struct Identity {
  std::string scheme;
  std::string id;

  friend bool operator==(const Identity&, const Identity&) = default;
};

// All that one connection has shown; most often that is nothing. Cheap to copy.
class Identities {
 public:
  [[nodiscard]] std::span<const Identity> list() const {
    if (!shown_) return {};
    return *shown_;
  }
  void add(Identity identity);
  void clear() { shown_ = {}; }

 private:
  internal::Shared<std::vector<Identity>> shown_;  // None: nothing.
};

// What a client that says `credential` is known as; none if the server rejects it
// (ServerAuthenticationProvider.handleAuthentication).
[[nodiscard]] std::optional<Identity> authenticate(std::string_view scheme, const Data& credential);

// The number of an ACL that the servers have accepted.
using AclId = std::uint32_t;

// The ACLs of one ensemble, each kept once (ZooKeeper's ReferenceCountedACLCache), and what they
// allow. Cheap to copy: an ACL that nobody has used before is rare.
class AclTable {
 public:
  static constexpr AclId kOpen = 0;
  static constexpr AclId kReadOnly = 1;

  AclTable();
  void reset();
  // To what it once was; most often that has not changed.
  void reset_to(const AclTable& earlier) {
    if (acls_ != earlier.acls_) *this = earlier;
  }

  // The ACL as the server keeps it: without duplicates, "auth" replaced by the identities of the
  // connection that asks. None if it is not valid (PrepRequestProcessor.fixupACL).
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
  // As get_acl shows it: the digests are hidden from those who may not change the ACL.
  [[nodiscard]] Acl shown(AclId id, std::span<const Identity> identities) const;

 private:
  [[nodiscard]] std::optional<AclId> accept_list(const Acl& asked,
                                                 std::span<const Identity> identities,
                                                 Unspecified& unspecified);
  [[nodiscard]] bool check(AclId id, std::int32_t permissions,
                           std::span<const Identity> identities) const;
  AclId keep(std::vector<AclEntry> entries);

  using List = internal::Shared<std::vector<Acl>>;
  List fresh_;  // What every server begins with.
  List acls_;
};

}  // namespace lockstep::fakezk
