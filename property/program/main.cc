// The program `lockstep`: hunts for races in lock recipes, and has commands for the operators of
// real locks. One file per command; property/production/start.cc lists them, where CLI11 has been
// read for others anyway.
#include <iostream>

#include "production/start.h"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  return lockstep::program::start(argc, argv);
}
