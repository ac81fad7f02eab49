// Hunts a broken lock and prints the regression test of the finding.
#include <cstdio>

#include "lockstep/lab/hunt.h"
#include "my_mutex.h"

int main() {
  const lockstep::lab::HuntReport report =
      lockstep::lab::hunt_lock("my-mutex", &lockstep::lab::contend_for<MyMutex>);
  std::fputs(report.regression_test().c_str(), stdout);
  return report.passed() ? 1 : 0;
}
