#include "lockstep/fakezk/access.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "digest.h"
#include "ip_range.h"
#include "java_text.h"

namespace lockstep::fakezk {

namespace {

constexpr std::string_view kLoopback = "127.0.0.1";

// Java's split(":") gives two parts; it drops empty ones at the end.
bool is_digest(std::string_view id) {
  while (id.ends_with(':')) id.remove_suffix(1);
  return std::ranges::count(id, ':') == 1;
}

bool is_valid(const AclEntry& entry) {
  if (entry.scheme == "world") return entry.id == "anyone";
  if (entry.scheme == "digest") return is_digest(entry.id);
  return entry.scheme == "ip" && is_ip_range(entry.id);
}

bool matches(const AclEntry& entry, const Identity& identity) {
  return entry.scheme == identity.scheme && entry.id == identity.id;
}

// Keeps the first of equal entries (PrepRequestProcessor.removeDuplicates).
std::vector<AclEntry> without_duplicates(std::span<const AclEntry> entries) {
  std::vector<AclEntry> once;
  for (const AclEntry& entry : entries) {
    if (std::ranges::find(once, entry) == once.end()) once.push_back(entry);
  }
  return once;
}

// Only a digest counts as authentication; an address does not. ZooKeeper keeps a connection's
// identities in a hash set, so their order is open.
std::vector<Identity> authenticated(std::span<const Identity> identities,
                                    Unspecified& unspecified) {
  std::vector<Identity> found;
  std::ranges::copy_if(identities, std::back_inserter(found),
                       [](const Identity& identity) { return identity.scheme == "digest"; });
  unspecified.shuffle(found);
  return found;
}

// The length of the line terminator at `at`, as Java's regular expressions define it; 0 if there is
// none.
std::size_t line_terminator(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  for (const std::string_view terminator :
       {"\n", "\r", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"}) {
    if (rest.starts_with(terminator)) return terminator.size();
  }
  return 0;
}

// FinalRequestProcessor's replaceAll(":.*", ":x"), whose dot matches no line terminator.
std::string masked(std::string_view id) {
  std::string shown;
  for (std::size_t at = 0; at < id.size(); ++at) {
    shown += id[at];
    if (id[at] != ':') continue;
    shown += 'x';
    while (at + 1 < id.size() && line_terminator(id, at + 1) == 0) ++at;
  }
  return shown;
}

}  // namespace

std::optional<Identity> authenticate(std::string_view scheme, const Data& credential) {
  if (scheme == "ip") return Identity{"ip", std::string(kLoopback)};
  if (scheme != "digest" || credential.is_null()) return std::nullopt;
  const std::string secret = as_java_reads_it(credential.view());
  const std::string user = as_java_keeps_it(secret.substr(0, secret.find(':')));
  return Identity{"digest", user + ':' + sha1_base64(secret)};
}

void Identities::add(Identity identity) {
  if (std::ranges::find(list(), identity) != list().end()) return;
  std::vector<Identity> shown(list().begin(), list().end());
  shown.push_back(std::move(identity));
  shown_ = internal::Shared(std::move(shown));
}

AclTable::AclTable() {
  for (const Acl& acl : {Acl::open(), Acl::read_only()}) std::ignore = keep_list(acl);
  fresh_ = kept_;
}

std::expected<Acl, Error> AclTable::accept_list(const Acl& asked,
                                                std::span<const Identity> identities,
                                                Unspecified& unspecified) {
  constexpr std::unexpected kInvalid(Error::kInvalidAcl);
  if (asked.entries().empty()) return kInvalid;
  std::vector<AclEntry> kept;
  for (const AclEntry& entry : without_duplicates(asked.entries())) {
    if (entry.scheme == kUnexpectedScheme) return std::unexpected(Error::kMarshallingError);
    if (entry.scheme == "auth") {
      const std::vector<Identity> creator = authenticated(identities, unspecified);
      if (creator.empty()) return kInvalid;
      for (const Identity& identity : creator) {
        kept.emplace_back(entry.permissions, identity.scheme, identity.id);
      }
    } else if (is_valid(entry)) {
      kept.emplace_back(entry.permissions, entry.scheme, as_java_keeps_it(entry.id));
    } else {
      return kInvalid;
    }
  }
  return Acl(std::move(kept));
}

AclId AclTable::keep_list(const Acl& accepted) {
  const auto known = kept_->ids.find(accepted);
  if (known != kept_->ids.end()) return known->second;
  if (kept_.use_count() > 1) kept_ = std::make_shared<Kept>(*kept_);
  const auto id = static_cast<AclId>(size());
  kept_->acls.push_back(accepted);
  kept_->ids.emplace(accepted, id);
  return id;
}

void AclTable::forget_since(std::size_t first) {
  while (size() > first) {
    kept_->ids.erase(kept_->acls.back());
    kept_->acls.pop_back();
  }
}

bool AclTable::Before::operator()(const Acl& a, const Acl& b) const {
  const auto is_before = [](const AclEntry& x, const AclEntry& y) {
    return std::tie(x.scheme, x.id, x.permissions) < std::tie(y.scheme, y.id, y.permissions);
  };
  return std::ranges::lexicographical_compare(a.entries(), b.entries(), is_before);
}

bool AclTable::check(AclId id, std::int32_t permissions,
                     std::span<const Identity> identities) const {
  return std::ranges::any_of(acl(id).entries(), [&](const AclEntry& entry) {
    if ((entry.permissions & permissions) == 0) return false;
    if (entry.scheme == "world") return true;
    if (entry.scheme == "ip") return ip_in_range(kLoopback, entry.id);
    return std::ranges::any_of(
        identities, [&entry](const Identity& identity) { return matches(entry, identity); });
  });
}

Acl AclTable::shown(AclId id, std::span<const Identity> identities) const {
  if (allows(id, permission::kAdmin, identities)) return acl(id);
  std::vector<AclEntry> entries(acl(id).entries().begin(), acl(id).entries().end());
  for (AclEntry& entry : entries) {
    if (entry.scheme == "digest") entry.id = masked(entry.id);
  }
  return Acl(std::move(entries));
}

}  // namespace lockstep::fakezk
