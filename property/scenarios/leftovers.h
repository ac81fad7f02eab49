#pragma once

#include "lockstep/fakezk/world.h"
#include "lockstep/search/program.h"

// What must not be left once everybody has finished: checks for the end of a LockScenario.
namespace lockstep::scenarios {

// user:leaked-watch   the server watches for the creation of a znode that is not there
void no_watch_is_left(const fakezk::World& world, search::Verdict& verdict);
// user:leaked-znode   an ephemeral of a live session is still there, whatever it is called
void no_ephemeral_is_left(const fakezk::World& world, search::Verdict& verdict);

}  // namespace lockstep::scenarios
