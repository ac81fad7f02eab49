#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/acl.h"
#include "lockstep/data.h"

namespace lockstep {

// A credential of a client (ZooKeeper's addauth): with the scheme "digest", "user:password".
class AuthInfo {
 public:
  AuthInfo(std::string auth_scheme, Data auth_credential)
      : scheme(std::move(auth_scheme)), credential(std::move(auth_credential)) {}

  std::string scheme;
  Data credential;
};

// Options for every session of a client, on any backend, including the sessions that replace
// expired ones.
class SessionOptions {
 public:
  SessionOptions() = default;

  // Sent on each connection before anything else, in this order. If the server rejects one, the
  // session ends with kAuthFailed.
  std::vector<AuthInfo> auth;

  // The ACL of new znodes that specify none (Acl()), including a recipe's znodes: contenders, the
  // locks above them and the chroot.
  //
  // The ACL of the *parent* decides who may delete a znode: contenders are safe from other clients
  // if the ACL of their lock grants kDelete to the lock's users only. It should also restrict
  // kCreate, because a client that creates contenders can block all others. Acl::creator_only()
  // does both if all users of a lock have the same identity; users with several identities need
  // their own list. Existing znodes keep their ACL.
  Acl default_acl;

  // The longest packet that a server reads (its jute.maxbuffer): a longer request would cost the
  // connection each time it is sent, and is refused with kPacketTooLarge instead.
  static constexpr std::size_t kUsualPacketLimit = 0xfffff;
  std::size_t packet_limit = kUsualPacketLimit;

  // The highest bits of the fencing tokens: see fencing_token() in lockstep/fencing.h.
  std::int32_t fencing_epoch = 0;
};

}  // namespace lockstep
