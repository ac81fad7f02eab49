// Reads the value of a Result that is an error. The standard library's assertions, which every test
// should be built with, end the program and name the call.
#include "lockstep/result.h"

int main() {
  const lockstep::Result<int> result = lockstep::failure(lockstep::Error::kNoNode);
  return *result;
}
