#pragma once

namespace lockstep::program {

// Opens /dev/null where standard input, output or errors are closed, so that no other file gets
// their numbers. As before, reading and writing there fails.
void open_standard_files();

}  // namespace lockstep::program
