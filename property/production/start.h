#pragma once

namespace lockstep::program {

// The work of main(); returns the exit status.
int start(int argc, char** argv);

}  // namespace lockstep::program
