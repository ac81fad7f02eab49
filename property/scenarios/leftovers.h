#pragma once

#include "lockstep/fakezk/world.h"
#include "lockstep/search/program.h"

// Checks at the end of a LockScenario: znodes and watches that finished contenders must not leave.
namespace lockstep::scenarios {

// user:leaked-watch   the server watches for the creation of a znode that does not exist
void no_watch_is_left(const fakezk::World& world, search::Verdict& verdict);
// user:leaked-znode   an ephemeral of a live session still exists, whatever its name
void no_ephemeral_is_left(const fakezk::World& world, search::Verdict& verdict);

}  // namespace lockstep::scenarios
