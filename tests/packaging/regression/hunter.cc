// Hunts a broken lock and prints the regression test of what it finds.
#include <cstdio>

#include "lockstep/fake/hunt.h"
#include "my_mutex.h"

int main() {
  const lockstep::fake::HuntReport report =
      lockstep::fake::hunt_lock("my-mutex", &lockstep::fake::contend_for<MyMutex>);
  std::fputs(report.regression_test().c_str(), stdout);
  return report.passed() ? 1 : 0;
}
