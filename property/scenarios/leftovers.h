#pragma once

#include "lockstep/fakezk/explore/program.h"
#include "lockstep/fakezk/world.h"

// What must not be left once everybody has finished: checks for the end of a LockScenario.
namespace lockstep::scenarios {

// user:leaked-watch   the server watches for the creation of a znode that is not there
void no_watch_is_left(const fakezk::World& world, fakezk::Verdict& verdict);
// user:leaked-znode   an ephemeral of a live session is still there, whatever it is called
void no_ephemeral_is_left(const fakezk::World& world, fakezk::Verdict& verdict);

}  // namespace lockstep::scenarios
