#pragma once

#include "lockstep/fakezk/world.h"
#include "lockstep/search/program.h"

// Checks for the end of a LockScenario: znodes that must not be left when all contenders have
// finished.
namespace lockstep::scenarios {

// user:leaked-watch   the server watches for the creation of a znode that is not there
void no_watch_is_left(const fakezk::World& world, search::Verdict& verdict);
// user:leaked-znode   an ephemeral of a live session is still there, whatever it is called
void no_ephemeral_is_left(const fakezk::World& world, search::Verdict& verdict);

}  // namespace lockstep::scenarios
