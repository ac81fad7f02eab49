#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/acl.h"
#include "lockstep/data.h"

namespace lockstep {

// Who a client shows to be (ZooKeeper's addauth): with the scheme "digest", "user:password".
class AuthInfo {
 public:
  AuthInfo(std::string auth_scheme, Data auth_credential)
      : scheme(std::move(auth_scheme)), credential(std::move(auth_credential)) {}

  std::string scheme;
  Data credential;
};

// What every session of a client is told, on whichever backend, the first one and those that come
// after it.
class SessionOptions {
 public:
  SessionOptions() = default;

  // Sent on each connection before anything else, in this order. What a server rejects ends the
  // session with kAuthFailed.
  std::vector<AuthInfo> auth;

  // What znodes are created with if nothing else is said (Acl()): those of a recipe too, the
  // contenders, the locks above them and the chroot.
  //
  // ZooKeeper asks the ACL of the *parent* who may delete a znode: a contender is safe from others
  // if its lock was created with an ACL that leaves kDelete to the lock's users, kCreate too, since
  // whoever may create contenders can keep everybody waiting. Acl::creator_only() does all that if
  // all users of a lock show the same identity; users with several need a list of their own. What
  // exists already keeps the ACL that it has.
  Acl default_acl;

  // What a server reads at most in one packet (its jute.maxbuffer): a longer request would cost the
  // connection each time that it is sent, and is refused with kPacketTooLarge instead.
  static constexpr std::size_t kUsualPacketLimit = 0xfffff;
  std::size_t packet_limit = kUsualPacketLimit;

  // Stands in front of the fencing tokens: see fencing_token() in lockstep/fencing.h.
  std::int32_t fencing_epoch = 0;
};

}  // namespace lockstep
