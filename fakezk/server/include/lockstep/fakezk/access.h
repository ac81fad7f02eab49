#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/acl.h"
#include "lockstep/data.h"
#include "lockstep/error.h"
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

// The scheme of an entry that the servers do not expect, such as one with a null id in a scheme
// that they know: it costs the request a marshalling error. No Session sends one.
inline constexpr std::string_view kUnexpectedScheme("\0", 1);

// The ACLs of one ensemble, each kept once (ZooKeeper's ReferenceCountedACLCache), and their
// permissions. Copies share what they have until one of them keeps a new ACL.
class AclTable {
 public:
  static constexpr AclId kOpen = 0;
  static constexpr AclId kReadOnly = 1;

  AclTable();
  void reset() { kept_ = fresh_; }
  // Goes back to an earlier state; mostly nothing has changed since.
  void reset_to(const AclTable& earlier) {
    if (kept_ != earlier.kept_) *this = earlier;
  }

  // The ACL as the server stores it: without duplicates, "auth" replaced by the identities of the
  // requesting connection. kInvalidAcl or kMarshallingError if one of its entries is invalid or
  // unexpected (PrepRequestProcessor.fixupACL).
  [[nodiscard]] static std::expected<Acl, Error> accept(const Acl& asked,
                                                        std::span<const Identity> identities,
                                                        Unspecified& unspecified) {
    return asked.is_open() ? Acl() : accept_list(asked, identities, unspecified);
  }
  // Gives an accepted ACL its number. A write that fails keeps none.
  [[nodiscard]] AclId keep(const Acl& accepted) {
    return accepted.is_open() ? kOpen : keep_list(accepted);
  }
  // Forgets those that got this number or a later one, which nothing has.
  void forget_since(std::size_t first);
  [[nodiscard]] std::size_t size() const { return kept_->acls.size(); }
  [[nodiscard]] const Acl& acl(AclId id) const { return kept_->acls[id]; }
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
  [[nodiscard]] static std::expected<Acl, Error> accept_list(const Acl& asked,
                                                             std::span<const Identity> identities,
                                                             Unspecified& unspecified);
  [[nodiscard]] bool check(AclId id, std::int32_t permissions,
                           std::span<const Identity> identities) const;
  [[nodiscard]] AclId keep_list(const Acl& accepted);

  struct Before {
    bool operator()(const Acl& a, const Acl& b) const;
  };
  struct Kept {
    std::vector<Acl> acls;  // By AclId.
    std::map<Acl, AclId, Before> ids;
  };
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
  std::shared_ptr<Kept> fresh_;  // The ACLs of every new server.
};

}  // namespace lockstep::fakezk
