#pragma once

namespace lockstep::hunted {

// The body of a measurement: three threads connect with ZooKeeper's C client, lock and unlock
// "/lock" once by synchronous calls, and close.
void three_clients();

}  // namespace lockstep::hunted
