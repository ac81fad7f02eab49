#pragma once

#include "lockstep/session.h"
#include "lockstep/task.h"
#include "support/lab.h"

// The users of all programs.
namespace lockstep::differential {

inline constexpr const char* kCredentials[] = {"ann:secret", "bob:hidden"};
// The same users in ACLs: base64(sha1("ann:secret")), base64(sha1("bob:hidden")).
inline constexpr const char* kDigests[] = {"ann:7RJfAeIvrl4zdj6sS2fXrQHDvHM=",
                                           "bob:t6EE4g1VcSWwVE0HlwKXoBOX6Vk="};

// Adds the credentials of all users to a session.
inline Task<void> introduce_as_everybody(std::shared_ptr<Session> session) {
  for (const char* const credential : kCredentials) {
    support::must(co_await session->add_auth("digest", credential), "authenticate");
  }
}

}  // namespace lockstep::differential
