#pragma once

#include "parts.h"

namespace lockstep::scenarios::zoo_29 {

// Held after expiry, silently (CURATOR-206, go-zookeeper#20, etcd#11457): while A works, its
// session expires and B acquires and writes; A knows nothing of it and writes too. Correct:
// SharedResource::write_fenced, that is, a resource that refuses older tokens; a notice of the loss
// alone may come too late.
Task<void> contend(Contender& self, Path lock, std::uint32_t rounds);

}  // namespace lockstep::scenarios::zoo_29
