// The program `lockstep`: hunts for races in lock recipes, and has commands for the operators of
// real locks. Each command has a file; property/production/start.cc lists them, because it includes
// CLI11 anyway.
#include <iostream>

#include "production/start.h"
#include "standard_files.h"

int main(int argc, char** argv) {
  lockstep::program::open_standard_files();
  std::ios::sync_with_stdio(false);
  return lockstep::program::start(argc, argv);
}
